// What a leaf remembers of its examples: categorical counts and per-class Gaussians.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../simd/kernels.hpp"
#include "../tree/row.hpp"
#include "pool.hpp"

namespace riparian {

// Sizes that all leaves of a tree share. They change only when features or
// classes appear; then every leaf is laid out anew.
struct Shape {
    std::size_t numeric = 0;        // numeric features
    std::size_t stride = 0;         // doubles in a plane: `numeric`, padded
    std::size_t categorical = 0;    // categorical features
    std::size_t class_stride = 0;   // room for classes; whole vectors if any is categorical
    bool bayes = false;             // keep what naive Bayes needs

    [[nodiscard]] std::size_t class_doubles() const noexcept {
        return (bayes ? bayes_class_planes : class_planes) * stride;
    }
    [[nodiscard]] std::size_t leaf_doubles() const noexcept {
        return bayes ? bayes_leaf_planes * stride : 0;
    }
};

// Counts n_jk of one categorical feature.
struct CountTable {
    double* cells = nullptr;  // [value][class_stride]
    double* known = nullptr;  // [class_stride]; null: every value was known
    std::uint32_t values = 0;
};

// The class counts themselves belong to the node and are handed in: an inner
// node keeps them when its statistics are freed.
class LeafStatistics {
public:
    void open(const Shape&, Pool&);
    void close(const Shape&, Pool&) noexcept;
    // Moves to another shape; what is new starts empty.
    void reshape(const Shape& from, const Shape& to, const double* counts, Pool&);

    // Learns one row of class y; `counts` already include it, `before` is counts[y]
    // without it (not counts[y] - w: that may have been rounded).
    void learn(const Shape&, Pool&, const Row&, std::size_t y, double w, double before,
               const double* counts);

    [[nodiscard]] bool has(std::size_t k) const noexcept { return planes_[k] != nullptr; }
    [[nodiscard]] GaussianClass gaussian(std::size_t k, const double* counts) const noexcept {
        return {planes_[k], known_ ? known_[k] : nullptr, counts[k]};
    }
    [[nodiscard]] const CountTable& table(std::size_t c) const noexcept { return tables_[c]; }
    // A class of this leaf has seen a missing number.
    [[nodiscard]] bool gaps() const noexcept { return known_ != nullptr; }

    // Naive Bayes: log n_k + half the sum of log precision, and the leaf's planes.
    [[nodiscard]] const double* base() const noexcept { return base_; }
    [[nodiscard]] const double* const* planes() const noexcept { return planes_; }
    [[nodiscard]] const double* leaf_planes() const noexcept { return leaf_; }

    // For restoring a saved leaf, before refresh_all().
    double* open_class(const Shape&, Pool&, std::size_t k);
    double* open_known(const Shape&, Pool&, std::size_t k);
    CountTable& open_table(const Shape&, Pool&, std::size_t c, std::size_t values, bool known);
    double* leaf_planes() noexcept { return leaf_; }
    void refresh_all(const Shape&, const double* counts) noexcept;

private:
    void refresh(const Shape&, std::size_t k, const double* counts) noexcept;
    void learn_numeric(const Shape&, Pool&, const Row&, std::size_t y, double w,
                       double before, const double* counts);
    void learn_categorical(const Shape&, Pool&, const Row&, std::size_t y, double w,
                           double before, const double* counts);
    void widen(const Shape&, Pool&, CountTable&, std::size_t values);

    double** planes_ = nullptr;    // [class_stride]; null: class not seen here
    double** known_ = nullptr;     // [class_stride], made at the first gap; null: no gaps
    double* base_ = nullptr;       // [class_stride] (bayes)
    double* leaf_ = nullptr;       // leaf planes (bayes)
    CountTable* tables_ = nullptr;
};

}  // namespace riparian
