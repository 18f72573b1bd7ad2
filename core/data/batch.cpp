#include "batch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "../simd/kernels.hpp"

namespace riparian {
namespace {

std::ptrdiff_t size_of(Column::Type type) noexcept {
    switch (type) {
        case Column::Type::f64: return sizeof(double);
        case Column::Type::f32: return sizeof(float);
        case Column::Type::code: return sizeof(std::int32_t);
        case Column::Type::code8: return sizeof(std::int8_t);
    }
    return 0;
}

// Whether a column is adjacent in memory to the last one of a group.
bool continues(const Run& run, const Column& c) noexcept {
    const auto offset = static_cast<std::ptrdiff_t>(run.count) * size_of(run.column.type);
    return run.column.data && c.data && run.column.type == c.type &&
           run.column.stride == c.stride &&
           static_cast<const char*>(run.column.data) + offset == c.data;
}

// Calls of_run(Run) for groups of columns of one type that are adjacent in memory, as in a row-major
// matrix. Such a group is read row by row. From the end of the columns on, up to n, they are missing.
template <class OfRun>
void each_run(const std::vector<Column>& columns, std::size_t n, OfRun&& of_run) {
    for (std::size_t f = 0; f < n;) {
        Run run{f < columns.size() ? columns[f] : Column{}, f, 1};
        while (++f < std::min(n, columns.size()) && continues(run, columns[f])) ++run.count;
        of_run(run);
    }
}

// The j-th value of one row of a group.
template <class T>
T value_at(const Run& run, std::size_t row, std::size_t j) noexcept {
    T value;
    std::memcpy(&value,
                static_cast<const char*>(run.column.data) +
                    static_cast<std::ptrdiff_t>(row) * run.column.stride + j * sizeof(T),
                sizeof value);
    return value;
}

bool any_infinite(const Run& run, std::size_t first, std::size_t last) noexcept {
    if (!run.column.data) return false;
    if (run.column.type == Column::Type::f64) {
        return kernels().any_infinite(static_cast<const char*>(run.column.data) +
                                          static_cast<std::ptrdiff_t>(first) * run.column.stride,
                                      run.column.stride, run.count, last - first);
    }
    bool found = false;
    if (run.column.type == Column::Type::f32) {
        for (std::size_t r = first; r < last; ++r) {
            for (std::size_t j = 0; j < run.count; ++j) {
                found |= std::abs(value_at<float>(run, r, j)) > std::numeric_limits<float>::max();
            }
        }
    }
    return found;
}

std::optional<Place> find_infinite(const SparseRows& m, std::size_t rows) {
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::int64_t i = m.starts[r]; i < m.starts[r + 1]; ++i) {
            if (std::isinf(m.value(i))) return Place{r, static_cast<std::size_t>(m.columns[i])};
        }
    }
    return std::nullopt;
}

template <class T, class Out>
void copy(const Run& run, std::size_t first, std::size_t n, Out* out, std::size_t width) noexcept {
    for (std::size_t i = 0; i < n; ++i, out += width) {
        for (std::size_t j = 0; j < run.count; ++j) {
            out[j] = static_cast<Out>(value_at<T>(run, first + i, j));
        }
    }
}

template <class Out>
void fill(std::size_t n, Out value, Out* out, std::size_t width) noexcept {
    for (std::size_t i = 0; i < n; ++i) out[i * width] = value;
}

}  // namespace

Batch Batch::certain_rows(std::size_t first, std::size_t n) const {
    Batch out{n, columns, sparse, {}, {}};
    if (sparse) out.sparse.starts += first;
    for (Column& c : out.columns) {
        if (!c.data) continue;
        c.data = static_cast<const char*>(c.data) + static_cast<std::ptrdiff_t>(first) * c.stride;
    }
    return out;
}

Batch Batch::part(std::size_t first, std::size_t n) const {
    Batch out = certain_rows(first, n);
    for (const Uncertain& u : uncertain) {
        if (u.row < first || u.row >= first + n) continue;
        out.uncertain.push_back(u);
        out.uncertain.back().row -= first;
    }
    if (!out.uncertain.empty()) out.points = points;
    return out;
}

std::optional<Place> find_infinite(const Batch& batch) {
    if (batch.sparse) return find_infinite(batch.sparse, batch.rows);
    constexpr std::size_t block = 512;
    std::vector<Run> runs;
    each_run(batch.columns, batch.columns.size(), [&](const Run& run) { runs.push_back(run); });
    for (std::size_t first = 0; first < batch.rows; first += block) {
        const std::size_t last = std::min(batch.rows, first + block);
        std::optional<Place> place;
        for (const Run& run : runs) {
            if (!any_infinite(run, first, last)) continue;
            std::size_t row = first;
            while (!any_infinite(run, row, row + 1)) ++row;
            std::size_t j = 0;
            const auto one = [&] {
                return Run{{static_cast<const char*>(run.column.data) +
                                static_cast<std::ptrdiff_t>(j) * size_of(run.column.type),
                            run.column.stride, run.column.type},
                           0,
                           1};
            };
            while (!any_infinite(one(), row, row + 1)) ++j;
            if (!place || row < place->row) place = Place{row, run.first + j};
        }
        if (place) return place;
    }
    return std::nullopt;
}

RowBuffer::RowBuffer(const Batch& batch, const Features& features, const RowShape& shape)
    : numeric_(shape.numeric),
      stride_(shape.stride),
      categorical_(shape.categorical),
      capacity_(std::clamp<std::size_t>(4096 / std::max<std::size_t>(1, stride_ + categorical_), 8,
                                        most_rows)) {
    if (batch.sparse) {
        // Rows are wide and mostly untouched, so that few of them fill a cache.
        constexpr std::size_t doubles = std::size_t{1} << 18;
        by_rows_ = false;
        capacity_ =
            std::clamp<std::size_t>(doubles / std::max<std::size_t>(1, stride_), 1,
                                    std::min(most_rows, std::max<std::size_t>(1, batch.rows)));
        sparse_ =
            std::make_unique<SparseReader>(batch.sparse, batch.rows, features, shape, capacity_);
    } else {
        std::size_t n_runs = 0;
        by_rows_ = true;
        // Features that the batch does not have are missing.
        each_run(batch.columns, features.size(), [&](const Run& run) {
            const Feature& feature = features[run.first];
            parts_.push_back({run.column, feature.slot, run.count, feature.kind});
            if (feature.kind != Kind::numeric) return;
            ++n_runs;
            by_rows_ &= run.column.data && run.column.type == Column::Type::f64;
        });
        by_rows_ &= n_runs <= 1 + numeric_ / 2;
        capacity_ = std::max<std::size_t>(1, std::min(capacity_, batch.rows));
    }
    values_.assign(capacity_ * stride_, 0.0);
    codes_.assign(capacity_ * categorical_, missing_code);
    gaps_.assign(capacity_, 0);
    rows_.reserve(capacity_);
    for (std::size_t i = 0; i < capacity_; ++i) {
        rows_.push_back({values_.data() + i * stride_, codes_.data() + i * categorical_, false,
                         sparse_ ? sparse_->row(i) : nullptr});
    }
}

void RowBuffer::read(std::size_t first, std::size_t n) {
    if (sparse_) {
        sparse_->read(first, n, values_.data(), stride_, gaps_.data());
    } else {
        read_columns(first, n);
    }
    any_gap_ = std::memchr(gaps_.data(), 1, n) != nullptr;
    if (!any_gap_ && flagged_ == 0) return;
    for (std::size_t i = 0; i < std::max(n, flagged_); ++i) rows_[i].gap = i < n && gaps_[i];
    flagged_ = any_gap_ ? n : 0;
}

void RowBuffer::read_columns(std::size_t first, std::size_t n) {
    if (by_rows_) std::fill_n(gaps_.begin(), n, std::uint8_t{0});
    for (const Part& part : parts_) {
        const Run run{part.column, 0, part.count};
        if (part.kind == Kind::numeric) {
            double* const out = values_.data() + part.slot;
            if (by_rows_) {
                kernels().copy_rows(static_cast<const char*>(part.column.data) +
                                        static_cast<std::ptrdiff_t>(first) * part.column.stride,
                                    part.column.stride, part.count, out, n, stride_, gaps_.data());
            } else if (!part.column.data) {
                fill(n, std::numeric_limits<double>::quiet_NaN(), out, stride_);
            } else if (part.column.type == Column::Type::f32) {
                copy<float>(run, first, n, out, stride_);
            } else {
                copy<double>(run, first, n, out, stride_);
            }
        } else {
            std::int32_t* const out = codes_.data() + part.slot;
            if (!part.column.data) {
                fill(n, missing_code, out, categorical_);
            } else if (part.column.type == Column::Type::code8) {
                copy<std::int8_t>(run, first, n, out, categorical_);
            } else {
                copy<std::int32_t>(run, first, n, out, categorical_);
            }
        }
    }
    if (!by_rows_) kernels().settle(values_.data(), n, stride_, gaps_.data());
}

}  // namespace riparian
