// The rows of a sparse matrix as the caller passes them: compressed rows (CSR).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "column.hpp"

namespace riparian {

// The values of row r, and the columns that they are in, are those from starts[r] to starts[r + 1].
// What is not listed is 0. The columns of a row ascend.
struct SparseRows {
    const std::int64_t* starts = nullptr;  // [row]; null: the batch has columns instead
    const std::int32_t* columns = nullptr;
    Column values{};        // float64 or float32
    std::size_t width = 0;  // columns of the matrix
    // [column]: the feature that it is, or no_feature; null: that with its own number.
    std::shared_ptr<const std::vector<std::uint32_t>> features;

    static constexpr std::uint32_t no_feature = UINT32_MAX;

    [[nodiscard]] explicit operator bool() const noexcept { return starts != nullptr; }
    [[nodiscard]] double value(std::int64_t i) const noexcept {
        const auto at = static_cast<std::size_t>(i);
        return values.type == Column::Type::f64 ? values.at<double>(at)
                                                : static_cast<double>(values.at<float>(at));
    }
};

// What is wrong with the arrays of a matrix.
struct SparseFault {
    enum class Kind : std::uint8_t {
        starts,    // they descend, or lead outside of the values
        column,    // there is no such column
        unsorted,  // the columns of a row do not ascend, or one is there twice
    };
    Kind kind;
    std::size_t row;
    std::int64_t value;
};

// `size`: the number of values. A fault that leads out of the arrays comes before one of order.
[[nodiscard]] std::optional<SparseFault> find_fault(const SparseRows&, std::size_t rows,
                                                    std::size_t size) noexcept;

}  // namespace riparian
