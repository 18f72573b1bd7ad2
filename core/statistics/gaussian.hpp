#pragma once

#include "contract.hpp"

namespace riparian {

// Weight, mean, spread, minimum and maximum for each class. Every leaf has these already.
struct GaussianStatistics {
    static constexpr std::string_view name = "gaussian";
    static constexpr std::string_view about =
        "Weight, mean, variance, minimum and maximum of each class.";

    // Stores nothing in addition.
    struct PerLeaf {
        static constexpr bool offers_cuts = false;
        static constexpr std::size_t room_of_a_row = 0;

        void fit(const GaussianStatistics&, const Shape&) noexcept {}
        void learn(const Shape&, const Row&, std::size_t, double) noexcept {}
        void keep(const std::vector<std::uint32_t>&) noexcept {}
        void save(std::vector<double>&) const noexcept {}
        void restore(const GaussianStatistics&, SavedNumbers&, const double*,
                     std::size_t) noexcept {}
    };
};

static_assert(Statistics<GaussianStatistics>);

}  // namespace riparian
