#include "batch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace riparian {
namespace {

template <class T>
bool any_infinite(const Column& column, std::size_t first, std::size_t last) noexcept {
    bool found = false;
    for (std::size_t r = first; r < last; ++r) {
        found |= std::abs(column.at<T>(r)) > std::numeric_limits<T>::max();
    }
    return found;
}

bool any_infinite(const Column& column, std::size_t first, std::size_t last) noexcept {
    if (!column.data) return false;
    switch (column.type) {
        case Column::Type::f64: return any_infinite<double>(column, first, last);
        case Column::Type::f32: return any_infinite<float>(column, first, last);
        case Column::Type::code:
        case Column::Type::code8: return false;
    }
    return false;
}

// All columns lie side by side in one row-major float64 matrix.
bool is_matrix(const Batch& batch) noexcept {
    if (batch.columns.empty()) return false;
    const auto* const base = static_cast<const char*>(batch.columns[0].data);
    for (std::size_t f = 0; f < batch.columns.size(); ++f) {
        const Column& c = batch.columns[f];
        if (c.type != Column::Type::f64 || !c.data || c.stride != batch.columns[0].stride ||
            static_cast<const char*>(c.data) != base + f * sizeof(double)) {
            return false;
        }
    }
    return true;
}

// The same over rows of a matrix, which is how it lies in memory.
bool any_infinite(const Batch& matrix, std::size_t first, std::size_t last) noexcept {
    double largest = 0.0;
    for (std::size_t r = first; r < last; ++r) {
        const Column& c = matrix.columns[0];
        const char* const row =
            static_cast<const char*>(c.data) + static_cast<std::ptrdiff_t>(r) * c.stride;
        for (std::size_t f = 0; f < matrix.columns.size(); ++f) {
            double x;
            std::memcpy(&x, row + f * sizeof x, sizeof x);
            largest = std::abs(x) > largest ? std::abs(x) : largest;
        }
    }
    return largest > std::numeric_limits<double>::max();
}

}  // namespace

std::optional<Place> find_infinite(const Batch& batch) {
    constexpr std::size_t block = 512;  // rows of a block stay in the cache over all columns
    const bool matrix = is_matrix(batch);
    for (std::size_t first = 0; first < batch.rows; first += block) {
        const std::size_t last = std::min(batch.rows, first + block);
        if (matrix && !any_infinite(batch, first, last)) continue;
        std::optional<Place> place;
        for (std::size_t c = 0; c < batch.columns.size(); ++c) {
            if (!any_infinite(batch.columns[c], first, last)) continue;
            std::size_t row = first;
            while (!any_infinite(batch.columns[c], row, row + 1)) ++row;
            if (!place || row < place->row) place = Place{row, c};
        }
        if (place) return place;
    }
    return std::nullopt;
}

RowBuffer::RowBuffer(const Batch& batch, const std::vector<Feature>& features, const Shape& shape)
    : batch_(batch),
      features_(features),
      numeric_(shape.numeric),
      stride_(shape.stride),
      categorical_(shape.categorical),
      capacity_(std::clamp<std::size_t>(4096 / std::max<std::size_t>(1, stride_ + categorical_), 8,
                                        256)),
      matrix_(shape.categorical == 0 && batch.columns.size() == features.size() &&
              is_matrix(batch)) {
    capacity_ = std::max<std::size_t>(1, std::min(capacity_, batch.rows));
    values_.assign(capacity_ * stride_, 0.0);
    codes_.assign(capacity_ * categorical_, missing_code);
    gaps_.assign(capacity_, 0);
}

void RowBuffer::read(std::size_t first, std::size_t n) {
    if (matrix_) {
        for (std::size_t i = 0; i < n; ++i) {
            const Column& c = batch_.columns[0];
            std::memcpy(values_.data() + i * stride_,
                        static_cast<const char*>(c.data) +
                            static_cast<std::ptrdiff_t>(first + i) * c.stride,
                        numeric_ * sizeof(double));
        }
    } else {
        for (std::size_t f = 0; f < features_.size(); ++f) {
            const Column c = f < batch_.columns.size() ? batch_.columns[f] : Column{};
            const std::size_t slot = features_[f].slot;
            if (features_[f].kind == Kind::categorical) {
                std::int32_t* const out = codes_.data() + slot;
                if (!c.data) {
                    for (std::size_t i = 0; i < n; ++i) out[i * categorical_] = missing_code;
                } else if (c.type == Column::Type::code8) {
                    for (std::size_t i = 0; i < n; ++i) {
                        out[i * categorical_] = c.at<std::int8_t>(first + i);
                    }
                } else {
                    for (std::size_t i = 0; i < n; ++i) {
                        out[i * categorical_] = c.at<std::int32_t>(first + i);
                    }
                }
                continue;
            }
            double* const out = values_.data() + slot;
            if (!c.data) {
                for (std::size_t i = 0; i < n; ++i) {
                    out[i * stride_] = std::numeric_limits<double>::quiet_NaN();
                }
            } else if (c.type == Column::Type::f32) {
                for (std::size_t i = 0; i < n; ++i) {
                    out[i * stride_] = static_cast<double>(c.at<float>(first + i));
                }
            } else {
                for (std::size_t i = 0; i < n; ++i) out[i * stride_] = c.at<double>(first + i);
            }
        }
    }
    kernels().settle(values_.data(), n, stride_, gaps_.data());
}

}  // namespace riparian
