// Where the predictions of a batch go.
#pragma once

#include <cstddef>
#include <cstdint>

namespace riparian {

inline constexpr std::int32_t no_prediction = -1;  // nothing was learned yet

// Where to write predictions. A null pointer means that this output is not needed.
struct Predictions {
    std::int32_t* classes = nullptr;  // [row]; no_prediction before anything was learned
    double* probabilities = nullptr;  // [row][width]
    std::size_t width = 0;

    // Those of the rows from this one on.
    [[nodiscard]] Predictions from(std::size_t row) const noexcept {
        return {classes ? classes + row : nullptr,
                probabilities ? probabilities + row * width : nullptr, width};
    }
};

// The state that made a prediction: how many examples it had learned and how many classes it knew.
struct Moment {
    std::uint64_t seen = 0;
    std::size_t classes = 0;
};

}  // namespace riparian
