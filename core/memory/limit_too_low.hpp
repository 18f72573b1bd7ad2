// The error of a memory limit that is too low.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace riparian {

// What a model must hold does not fit, even with every leaf inactive.
struct LimitTooLow : std::runtime_error {
    LimitTooLow(std::size_t limit, std::size_t least,
                const char* what = "the tree as it is with no leaf active")
        : std::runtime_error("max_bytes is " + std::to_string(limit) + ", but " +
                             std::to_string(least) + " bytes are needed for " + what),
          needed(least) {}
    std::size_t needed;
};

}  // namespace riparian
