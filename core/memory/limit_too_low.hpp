// The error of a memory limit that is too low.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace riparian {

// Thrown if a model does not fit into the limit even with every leaf inactive.
struct LimitTooLow : std::runtime_error {
    LimitTooLow(std::size_t limit, std::size_t least,
                const char* what = "the present tree with all leaves inactive")
        : std::runtime_error("max_bytes is " + std::to_string(limit) + ", but " +
                             std::to_string(least) + " bytes are needed for " + what),
          needed(least) {}
    std::size_t needed;
};

}  // namespace riparian
