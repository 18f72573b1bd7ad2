// Uncertain values as arrays, as the caller passes them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "batch.hpp"

namespace riparian {

struct UncertainTable {
    std::size_t values = 0, points = 0;
    const std::int64_t* rows = nullptr;      // [value], ascending
    const std::int32_t* features = nullptr;  // [value]
    const std::uint8_t* types = nullptr;     // [value], as Uncertain::Type
    const double* numbers = nullptr;         // [value][low, high, mean, deviation]
    const std::int64_t* starts = nullptr;    // [value + 1]: index of its first point
    const double* point_values = nullptr;    // [point]
    const double* point_weights = nullptr;   // [point]
};

// Adds these values to a batch and clips them to the range of numbers that can be learned. If one
// is not valid, throws std::invalid_argument and leaves the batch unchanged.
void set_uncertain(Batch&, const UncertainTable&);

}  // namespace riparian
