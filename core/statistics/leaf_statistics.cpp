#include "leaf_statistics.hpp"

#include <algorithm>
#include <limits>

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void fill_range(double* low_plane, double* high_plane, std::size_t stride) noexcept {
    std::fill_n(low_plane, stride, infinity);
    std::fill_n(high_plane, stride, -infinity);
}

}  // namespace

void LeafStatistics::open(const Shape& s, Pool& pool) {
    planes_ = pool.take_array<double*>(s.class_stride);
    if (s.bayes) {
        base_ = pool.take_array<double>(s.class_stride);
        leaf_ = pool.take_array<double>(s.leaf_doubles());
        fill_range(leaf_ + leaf_low * s.stride, leaf_ + leaf_high * s.stride, s.stride);
    }
    tables_ = pool.take_array<CountTable>(s.categorical);
}

void LeafStatistics::close(const Shape& s, Pool& pool) noexcept {
    for (std::size_t k = 0; k < s.class_stride; ++k) {
        pool.give_array(planes_[k], s.class_doubles());
        if (known_) pool.give_array(known_[k], s.stride);
    }
    for (std::size_t c = 0; c < s.categorical; ++c) {
        pool.give_array(tables_[c].cells, tables_[c].values * s.class_stride);
        pool.give_array(tables_[c].known, s.class_stride);
    }
    pool.give_array(planes_, s.class_stride);
    pool.give_array(known_, s.class_stride);
    pool.give_array(base_, s.class_stride);
    pool.give_array(leaf_, s.leaf_doubles());
    pool.give_array(tables_, s.categorical);
    *this = {};
}

double* LeafStatistics::open_class(const Shape& s, Pool& pool, std::size_t k) {
    if (s.stride == 0) return nullptr;
    planes_[k] = pool.take_array<double>(s.class_doubles());
    fill_range(planes_[k] + low * s.stride, planes_[k] + high * s.stride, s.stride);
    return planes_[k];
}

double* LeafStatistics::open_known(const Shape& s, Pool& pool, std::size_t k) {
    if (!known_) known_ = pool.take_array<double*>(s.class_stride);
    return known_[k] = pool.take_array<double>(s.stride);
}

CountTable& LeafStatistics::open_table(const Shape& s, Pool& pool, std::size_t c,
                                       std::size_t values, bool known) {
    CountTable& table = tables_[c];
    widen(s, pool, table, values);
    if (known) table.known = pool.take_array<double>(s.class_stride);
    return table;
}

void LeafStatistics::widen(const Shape& s, Pool& pool, CountTable& table, std::size_t values) {
    if (values <= table.values) return;
    auto* const cells = pool.take_array<double>(values * s.class_stride);
    std::copy_n(table.cells, table.values * s.class_stride, cells);
    pool.give_array(table.cells, table.values * s.class_stride);
    table.cells = cells;
    table.values = static_cast<std::uint32_t>(values);
}

void LeafStatistics::reshape(const Shape& from, const Shape& to, const double* counts, Pool& pool) {
    LeafStatistics old = *this;
    *this = {};
    open(to, pool);
    const auto copy_plane = [&](const double* source, double* target) {
        if (source) std::copy_n(source, from.numeric, target);
    };
    for (std::size_t k = 0; k < from.class_stride; ++k) {
        if (counts[k] == 0.0 || to.stride == 0) continue;
        open_class(to, pool, k);
        for (std::size_t p = 0; p < class_planes && old.planes_[k]; ++p) {
            copy_plane(old.planes_[k] + p * from.stride, planes_[k] + p * to.stride);
        }
        if (old.known_ && old.known_[k]) {
            copy_plane(old.known_[k], open_known(to, pool, k));
        } else if (to.numeric > from.numeric) {
            std::fill_n(open_known(to, pool, k), from.numeric, counts[k]);
        }
    }
    if (to.bayes) {
        for (std::size_t p = 0; p < bayes_leaf_planes; ++p) {
            copy_plane(old.leaf_ + p * from.stride, leaf_ + p * to.stride);
        }
    }
    for (std::size_t c = 0; c < to.categorical; ++c) {
        const bool added = c >= from.categorical;
        const CountTable source = added ? CountTable{} : old.tables_[c];
        CountTable& target = open_table(to, pool, c, source.values, added || source.known);
        for (std::size_t v = 0; v < source.values; ++v) {
            std::copy_n(source.cells + v * from.class_stride, from.class_stride,
                        target.cells + v * to.class_stride);
        }
        if (source.known) std::copy_n(source.known, from.class_stride, target.known);
    }
    old.close(from, pool);
    if (to.bayes) refresh_all(to, counts);
}

void LeafStatistics::refresh(const Shape& s, std::size_t k, const double* counts) noexcept {
    base_[k] = kernels().refresh(gaussian(k, counts), leaf_, s.stride);
}

void LeafStatistics::refresh_all(const Shape& s, const double* counts) noexcept {
    for (std::size_t k = 0; k < s.class_stride; ++k) {
        if (counts[k] > 0.0) refresh(s, k, counts);
    }
}

void LeafStatistics::learn(const Shape& s, Pool& pool, const Row& row, std::size_t y, double w,
                           double before, const double* counts) {
    if (s.categorical) learn_categorical(s, pool, row, y, w, before, counts);
    if (s.stride) {
        learn_numeric(s, pool, row, y, w, before, counts);
    } else if (s.bayes) {
        refresh(s, y, counts);
    }
}

void LeafStatistics::learn_numeric(const Shape& s, Pool& pool, const Row& row, std::size_t y,
                                   double w, double before, const double* counts) {
    if (!planes_[y]) open_class(s, pool, y);
    const Kernels& k = kernels();
    bool grown = false;
    if (row.gap && !(known_ && known_[y])) {
        std::fill_n(open_known(s, pool, y), s.stride, before);
    }
    if (known_ && known_[y]) {
        grown = k.learn_known(planes_[y], leaf_, known_[y], s.stride, row.x, w);
    } else if (s.bayes) {
        grown = k.learn_bayes(planes_[y], leaf_, s.stride, row.x, w, w / counts[y]);
    } else {
        k.learn(planes_[y], s.stride, row.x, w, w / counts[y]);
    }
    if (!s.bayes) return;
    // The floor of every class's variance hangs on the leaf's range.
    if (grown) {
        refresh_all(s, counts);
    } else {
        refresh(s, y, counts);
    }
}

void LeafStatistics::learn_categorical(const Shape& s, Pool& pool, const Row& row, std::size_t y,
                                       double w, double before, const double* counts) {
    for (std::size_t c = 0; c < s.categorical; ++c) {
        CountTable& table = tables_[c];
        const std::int32_t code = row.codes[c];
        if (code < 0) {
            if (!table.known) {
                table.known = pool.take_array<double>(s.class_stride);
                std::copy_n(counts, s.class_stride, table.known);
                table.known[y] = before;
            }
            continue;
        }
        const auto value = static_cast<std::size_t>(code);
        if (value >= table.values) {
            widen(s, pool, table, std::max<std::size_t>(value + 1, table.values * 2));
        }
        table.cells[value * s.class_stride + y] += w;
        if (table.known) table.known[y] += w;
    }
}

}  // namespace riparian
