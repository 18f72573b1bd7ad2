#pragma once

#include "bound.hpp"

namespace riparian {

// No bound: a leaf splits at each check that finds a gain, as SPDT does in each round
// [benhaim2010, sec. 2.2].
struct NoBound {
    static constexpr std::string_view name = "none";
    static constexpr std::string_view type_name = "NoBound";
    static constexpr std::string_view about =
        "No bound: every check that finds a gain splits, as in SPDT.";
    static constexpr std::string_view promise =
        "There is no bound: a leaf splits at its first check that finds a gain, on whatever it has "
        "seen. Nothing follows for a single split; with a bound, such as bound='hoeffding', the "
        "same tree is a Hoeffding tree.";
    static constexpr std::string_view spending = "nothing";
    static constexpr bool splits_at_each_check = true;

    [[nodiscard]] double half_width(const Evidence&) const noexcept { return 0.0; }

    bool operator==(const NoBound&) const = default;
};

static_assert(Bound<NoBound>);

}  // namespace riparian
