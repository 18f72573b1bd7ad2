// Rows from Python: columns, or sparse rows, that point into NumPy arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

#include "../core/data/batch.hpp"

using AnyArray = nanobind::ndarray<nanobind::ro, nanobind::device::cpu>;

// Keeps the arrays alive whose memory the columns point into.
struct PyBatch {
    riparian::Batch batch;
    std::vector<AnyArray> arrays;
    std::vector<std::int64_t> starts;  // of sparse rows
    std::vector<std::int32_t> columns;
};
