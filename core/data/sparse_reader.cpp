#include "sparse_reader.hpp"

#include <algorithm>
#include <limits>

#include "../simd/kernels.hpp"

namespace riparian {

SparseReader::SparseReader(const SparseRows& rows, std::size_t n_rows, const Features& features,
                           const RowShape& shape, std::size_t capacity)
    : rows_(rows) {
    const bool all_numeric = shape.numeric == features.size();
    if (rows.features || !all_numeric) {
        slots_of_columns_.assign(rows.width, SparseRows::no_feature);
        std::vector<std::uint8_t> present(shape.numeric, 0);
        for (std::size_t c = 0; c < rows.width; ++c) {
            const std::uint32_t f =
                rows.features ? (*rows.features)[c] : static_cast<std::uint32_t>(c);
            if (f >= features.size() || features[f].kind != Kind::numeric) continue;
            slots_of_columns_[c] = static_cast<std::uint32_t>(features[f].slot);
            present[features[f].slot] = 1;
        }
        for (std::uint32_t s = 0; s < shape.numeric; ++s) {
            if (!present[s]) absent_.push_back(s);
        }
    } else {
        for (std::size_t s = rows.width; s < shape.numeric; ++s) {
            absent_.push_back(static_cast<std::uint32_t>(s));
        }
    }
    std::int64_t most = 0;
    for (std::size_t r = 0; r < n_rows; ++r) {
        most = std::max(most, rows.starts[r + 1] - rows.starts[r]);
    }
    slots_.resize(capacity * (static_cast<std::size_t>(most) + absent_.size()));
    lists_.resize(capacity);
}

void SparseReader::read(std::size_t first, std::size_t n, double* values, std::size_t stride,
                        std::uint8_t* gaps) {
    for (std::size_t i = 0; i < filled_; ++i) {
        double* const x = values + i * stride;
        for (std::size_t j = 0; j < lists_[i].count; ++j) x[lists_[i].slots[j]] = 0.0;
    }
    std::uint32_t* slot = slots_.data();
    for (std::size_t i = 0; i < n; ++i) {
        double* const x = values + i * stride;
        std::uint32_t* const begin = slot;
        bool gap = !absent_.empty();
        for (std::int64_t j = rows_.starts[first + i]; j < rows_.starts[first + i + 1]; ++j) {
            const double value = rows_.value(j);
            const auto column = static_cast<std::uint32_t>(rows_.columns[j]);
            const std::uint32_t s = slots_of_columns_.empty() ? column : slots_of_columns_[column];
            if (value == 0.0 || s == SparseRows::no_feature) continue;
            gap |= value != value;
            x[s] = std::clamp(value, -largest_value, largest_value);
            *slot++ = s;
        }
        for (const std::uint32_t s : absent_) {
            x[s] = std::numeric_limits<double>::quiet_NaN();
            *slot++ = s;
        }
        if (!absent_.empty()) std::sort(begin, slot);
        gaps[i] = gap ? 1 : 0;
        lists_[i] = {begin, static_cast<std::size_t>(slot - begin)};
    }
    filled_ = n;
}

}  // namespace riparian
