// Where the predictions of a batch go.
#pragma once

#include <cstddef>
#include <cstdint>

namespace riparian {

inline constexpr std::int32_t no_answer = -1;  // nothing was learned yet

// A null pointer is not asked for.
struct Answers {
    std::int32_t* classes = nullptr;  // [row]; no_answer before anything was learned
    double* probabilities = nullptr;  // [row][width]
    std::size_t width = 0;
};

// The state that predicted: the examples that it had learned, and the classes that it knew.
struct Moment {
    std::uint64_t seen = 0;
    std::size_t classes = 0;
};

}  // namespace riparian
