// What rows have brought to a tree so far: classes, categories and features.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../memory/account.hpp"
#include "../memory/expected_names.hpp"

namespace riparian {

// Classes and categories have codes from 0 on, in the order in which they came.
struct Known {
    std::size_t n_classes = 0;
    Held<std::int32_t> categories;  // [categorical slot]: how many categories
    Held<std::uint8_t> features;    // [feature] 1: a row had a value for it
    std::size_t n_features = 0;     // features with a value so far

    // [categorical slot]: no cut of it is offered, because it may be an identifier. Empty: none is watched.
    std::vector<bool> watched;

    // Names of classes and categories count as memory from the row on that brings them.
    ExpectedNames class_names;
    std::vector<ExpectedNames> category_names;  // [categorical slot], as far as any are expected

    void watch(std::size_t slot, bool on) {
        if (!on && watched.empty()) return;
        watched.resize(categories.size(), false);
        watched[slot] = on;
        if (std::find(watched.begin(), watched.end(), true) == watched.end()) watched.clear();
    }
    void expect_categories(std::size_t slot, const std::vector<std::uint32_t>& bytes) {
        if (category_names.size() <= slot) category_names.resize(slot + 1);
        category_names[slot].expect(bytes);
    }
    void expect_nothing() noexcept {
        class_names.clear();
        for (ExpectedNames& names : category_names) names.clear();
    }
    [[nodiscard]] std::size_t expected_bytes() const noexcept {
        std::size_t bytes = class_names.bytes_left();
        for (const ExpectedNames& names : category_names) bytes += names.bytes_left();
        return bytes;
    }
};

}  // namespace riparian
