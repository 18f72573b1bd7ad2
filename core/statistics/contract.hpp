// What a value of the statistics axis owns.
//
// Every leaf counts categories and keeps Gaussians of numeric features (leaf_statistics.hpp):
// leaf predictors use them whatever the axis says. A value of the axis declares itself as every
// policy does (policy.hpp) and owns what leaves keep in addition, its type `PerLeaf`. Where that
// offers cuts, they take the place of the cuts of the Gaussians.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../policy.hpp"
#include "leaf_statistics.hpp"
#include "saved_numbers.hpp"
#include "waiting_check.hpp"

namespace riparian {

// Stands for whatever function is given the cuts.
struct CutVisitor {
    void operator()(double threshold, const double* left) const;
};

// All that a leaf keeps is charged as it is allocated (memory/account.hpp).
template <class P, class Policy>
concept StatisticsPerLeaf = std::movable<P> && requires(
    P p, const P kept, const Policy policy, const Shape shape, const Row row,
    const std::vector<std::uint32_t> numeric, WaitingCheck& check, SavedNumbers& in,
    std::vector<double>& out, const double* counts) {
    // Whether it offers cuts.
    { P::offers_cuts } -> std::convertible_to<bool>;
    // Bytes that it may need for one row.
    { P::room_of_a_row } -> std::convertible_to<std::size_t>;
    // As many numeric features as the shape has; what there is of them stays.
    p.fit(policy, shape);
    // One row of class y with weight w.
    p.learn(shape, row, std::size_t{0}, 1.0);
    // Only these features stay.
    p.keep(numeric);
    // After a check that does not split.
    p.after_check(check);
    // As numbers, and back after fit(); std::invalid_argument unless a leaf with these class
    // weights can have them.
    kept.save(out);
    p.restore(policy, in, counts, std::size_t{2});
};

// Class weights of a numeric feature at or below a threshold, and f(threshold, those weights) for
// all its cuts, ascending.
template <class P>
concept OffersCuts = P::offers_cuts && requires(const P kept, double* out, CutVisitor f) {
    kept.left_mass(std::size_t{0}, 0.0, std::size_t{2}, out);
    kept.each_cut(std::size_t{0}, std::size_t{2}, f);
};

template <class S>
concept Statistics = requires {
    { S::name } -> std::convertible_to<std::string_view>;
    requires StatisticsPerLeaf<typename S::PerLeaf, S>;
    requires !S::PerLeaf::offers_cuts || OffersCuts<typename S::PerLeaf>;
};

}  // namespace riparian
