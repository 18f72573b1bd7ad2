// The rows of a chunk of the stream, column by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../tree/tree.hpp"

namespace riparian {

class Chunk {
public:
    void add_features(const std::vector<Kind>&);
    void add(const Batch&, std::size_t row, std::int32_t y, double w);
    void clear() noexcept;

    [[nodiscard]] std::size_t rows() const noexcept { return labels.size(); }
    [[nodiscard]] Batch batch() const;
    // The rows in a fold, or those not in it. Row r is in fold r modulo the number of folds.
    [[nodiscard]] Chunk fold(std::size_t fold, std::size_t folds, bool in) const;
    [[nodiscard]] static std::size_t bytes(std::size_t rows, std::size_t numeric,
                                           std::size_t categorical) noexcept;

    std::vector<Kind> kinds;
    std::vector<std::vector<double>> numbers;      // [numeric feature][row]
    std::vector<std::vector<std::int32_t>> codes;  // [categorical feature][row]
    std::vector<std::int32_t> labels;
    std::vector<double> weights;
};

}  // namespace riparian
