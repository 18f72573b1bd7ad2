#include "chunk.hpp"

#include <limits>

namespace riparian {

void Chunk::add_features(const std::vector<Kind>& more) {
    for (const Kind kind : more) {
        kinds.push_back(kind);
        if (kind == Kind::numeric) {
            numbers.emplace_back(rows(), std::numeric_limits<double>::quiet_NaN());
        } else {
            codes.emplace_back(rows(), missing_code);
        }
    }
}

void Chunk::add(const Batch& batch, std::size_t row, std::int32_t y, double w) {
    std::size_t n = 0, c = 0;
    for (std::size_t f = 0; f < kinds.size(); ++f) {
        const bool given = f < batch.columns.size() && batch.columns[f].data;
        if (kinds[f] == Kind::numeric) {
            double x = std::numeric_limits<double>::quiet_NaN();
            if (given) {
                const Column& column = batch.columns[f];
                x = column.type == Column::Type::f64 ? column.at<double>(row)
                                                     : static_cast<double>(column.at<float>(row));
            }
            // All NaNs get the same bits.
            numbers[n++].push_back(x == x ? x : std::numeric_limits<double>::quiet_NaN());
        } else {
            std::int32_t code = missing_code;
            if (given) {
                const Column& column = batch.columns[f];
                code = column.type == Column::Type::code ? column.at<std::int32_t>(row)
                                                         : column.at<std::int8_t>(row);
            }
            codes[c++].push_back(code);
        }
    }
    labels.push_back(y);
    weights.push_back(w);
}

void Chunk::clear() noexcept {
    for (auto& column : numbers) column.clear();
    for (auto& column : codes) column.clear();
    labels.clear();
    weights.clear();
}

Batch Chunk::batch() const {
    Batch out;
    out.rows = rows();
    std::size_t n = 0, c = 0;
    for (const Kind kind : kinds) {
        if (kind == Kind::numeric) {
            out.columns.push_back({numbers[n++].data(), sizeof(double), Column::Type::f64});
        } else {
            out.columns.push_back({codes[c++].data(), sizeof(std::int32_t), Column::Type::code});
        }
    }
    return out;
}

Chunk Chunk::fold(std::size_t fold, std::size_t folds, bool in) const {
    Chunk out;
    out.add_features(kinds);
    const Batch all = batch();
    for (std::size_t r = 0; r < rows(); ++r) {
        if ((r % folds == fold) == in) out.add(all, r, labels[r], weights[r]);
    }
    return out;
}

std::size_t Chunk::bytes(std::size_t rows, std::size_t numeric, std::size_t categorical) noexcept {
    // Lists double, and folds are copies.
    return 2 * 2 * rows * (numeric * sizeof(double) + categorical * sizeof(std::int32_t) + 12);
}

}  // namespace riparian
