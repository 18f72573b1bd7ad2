// A cut with its gain.
#pragma once

#include <cstdint>

namespace riparian {

enum class Test : std::uint8_t {
    leaf,
    threshold,    // x <= threshold: first child, else the second
    one_value,    // x is the category: first child, else the second
    every_value,  // one child per category
};

inline constexpr std::int32_t none = -1;

struct Candidate {
    std::int32_t feature = none;  // none: the null cut, no split
    Test test = Test::leaf;
    double threshold = 0.0;
    std::int32_t category = none;
    double gain = 0.0;
};

}  // namespace riparian
