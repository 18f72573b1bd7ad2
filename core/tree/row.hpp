// One example, as the tree sees it: numbers only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace riparian {

inline constexpr std::int32_t missing_code = -1;
inline constexpr std::int32_t unseen_code = -2;  // a category that was never learned

struct Row {
    const double* x;            // numeric features, padded with zeros; NaN: missing
    const std::int32_t* codes;  // categorical features
    bool gap;                   // a numeric value is missing
};

}  // namespace riparian
