// Uncertain values as arrays, as they come from outside.
#pragma once

#include <cstddef>
#include <cstdint>

#include "batch.hpp"

namespace riparian {

struct UncertainTable {
    std::size_t values = 0, points = 0;
    const std::int64_t* rows = nullptr;       // [value], ascending
    const std::int32_t* features = nullptr;   // [value]
    const std::uint8_t* types = nullptr;      // [value], as Uncertain::Type
    const double* numbers = nullptr;          // [value][low, high, mean, deviation]
    const std::int64_t* starts = nullptr;     // [value + 1]: where its points begin
    const double* point_values = nullptr;     // [point]
    const double* point_weights = nullptr;    // [point]
};

// Gives a batch these values, brought into the range of numbers that are learned. Throws
// std::invalid_argument, and the batch is as it was, if there cannot be such values.
void set_uncertain(Batch&, const UncertainTable&);

}  // namespace riparian
