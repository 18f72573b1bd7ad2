// How the codes of one set of rows become those of another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "leaf_statistics.hpp"

namespace riparian {

// Two parts of a stream may meet the same names in another order. No two codes become one.
struct Relabelling {
    std::vector<std::uint32_t> numeric;      // [numeric slot there]: the slot here
    std::vector<std::uint32_t> categorical;  // [categorical slot there]: the slot here
    std::vector<std::uint32_t> classes;      // [class there]: the class here
    // [categorical slot there][category there]: the category here
    std::vector<std::vector<std::uint32_t>> categories;

    // Codes that stay as they are.
    [[nodiscard]] static Relabelling none_of(const Shape& there, std::size_t n_classes) {
        Relabelling same;
        const auto fill = [](std::vector<std::uint32_t>& codes, std::size_t n) {
            codes.resize(n);
            std::iota(codes.begin(), codes.end(), 0U);
        };
        fill(same.numeric, there.numeric);
        fill(same.categorical, there.categorical);
        fill(same.classes, n_classes);
        same.categories.resize(there.categorical);
        return same;
    }
    // Statistics with the codes of here. Fills the class weights of here, [class_stride]. Moments of
    // sparse rows cannot be relabelled.
    [[nodiscard]] LeafStatistics relabelled(const LeafStatistics&, const Shape& there,
                                            const double* counts, const Shape& here,
                                            double* counts_here) const;
    // Whether all codes stay as they are.
    [[nodiscard]] bool changes_nothing() const noexcept {
        const auto same = [](const std::vector<std::uint32_t>& codes) {
            for (std::size_t i = 0; i < codes.size(); ++i) {
                if (codes[i] != i) return false;
            }
            return true;
        };
        return same(numeric) && same(categorical) && same(classes) &&
               std::all_of(categories.begin(), categories.end(), same);
    }
    // The category here. One beyond the list stays as it is.
    [[nodiscard]] std::uint32_t category(std::size_t slot, std::size_t code) const noexcept {
        const std::vector<std::uint32_t>& codes = categories[slot];
        return code < codes.size() ? codes[code] : static_cast<std::uint32_t>(code);
    }
};

}  // namespace riparian
