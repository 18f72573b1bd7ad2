// The evidence of the last check of a leaf, as the leaf keeps it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../memory/account.hpp"
#include "decision.hpp"

namespace riparian {

// The two best cuts, n and epsilon, in 48 bytes. Gains and epsilon are single precision: they are
// reported, and nothing is decided by them again.
struct LastCheck : HeldObject {
    explicit LastCheck(const Decision&) noexcept;
    LastCheck(double n, const double* numbers, const std::int32_t* cuts) noexcept;

    // The decision without its ranking. Of the evidence, n and the variance are set.
    [[nodiscard]] Decision decision(const Settings&) const noexcept;

    // For files: the numbers and cuts that the second constructor reads.
    static constexpr std::size_t numbers_each = 6;
    static constexpr std::size_t cuts_each = 6;
    void save(double* numbers, std::int32_t* cuts) const noexcept;

    double n;                         // weight as the bound counted it, > 0
    double best_place, second_place;  // threshold or category; NaN: of a cut that has no name
    float best_gain, second_gain;
    float epsilon;
    float variance;                  // of the gap, for bounds that use it; negative: unknown
    std::int32_t best_feature : 24;  // max_features fit
    std::uint32_t best_test : 8;
    std::int32_t second_feature : 24;
    std::uint32_t second_test : 6;
    std::uint32_t criterion : 1;
    std::uint32_t rough : 1;  // the gains are rough estimates
};

static_assert(sizeof(LastCheck) == 48);

}  // namespace riparian
