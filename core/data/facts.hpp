// What every model can report of itself, taken at one moment.
#pragma once

#include <cstddef>
#include <cstdint>

namespace riparian {

struct Facts {
    std::size_t n_features = 0;
    std::size_t n_classes = 0;
    std::uint64_t seen = 0;  // examples learned
};

}  // namespace riparian
