// One example as the tree reads it: numbers only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace riparian {

inline constexpr std::int32_t missing_code = -1;
inline constexpr std::int32_t unseen_code = -2;  // a category that was never learned

// The width of the rows of a schema.
struct RowShape {
    std::size_t numeric = 0;  // numeric features
    std::size_t stride = 0;   // doubles in a row of numbers: `numeric`, rounded up to whole vectors
    std::size_t categorical = 0;  // categorical features
};

// The places of the numbers of a row that are not 0, ascending. Missing ones are among them.
struct NonZeros {
    const std::uint32_t* slots;
    std::size_t count;
};

struct Row {
    const double* x;            // numeric features, padded with zeros; NaN if missing
    const std::int32_t* codes;  // categorical features
    bool gap;                   // whether a numeric value is missing
    // Of a sparse row, so that learning it need not read every feature; null: any may be other than 0.
    const NonZeros* nonzeros = nullptr;
};

// Whether a code is outside the known categories of its feature. Both arrays are per categorical
// feature and padded to whole vectors.
[[nodiscard]] inline bool brings_category(const std::int32_t* codes, const std::int32_t* known,
                                          std::size_t n) noexcept {
    std::uint32_t any = 0;  // collects the sign of negative differences
    for (std::size_t c = 0; c < n; ++c) {
        any |= static_cast<std::uint32_t>(known[c]) - 1 - static_cast<std::uint32_t>(codes[c]);
    }
    return any >> 31;
}

}  // namespace riparian
