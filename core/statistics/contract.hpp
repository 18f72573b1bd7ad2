// The contract of statistics: what a leaf remembers about numeric features.
//
// Every leaf counts categories and has Gaussians of numeric features (leaf_statistics.hpp), because
// leaf predictors always use them. A value of this axis declares itself as every policy does
// (policy.hpp) and defines what leaves store in addition, as its type `PerLeaf`. If that offers
// cuts, they replace the cuts of the Gaussians.
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

// Stands for any function that receives the cuts.
struct CutVisitor {
    void operator()(double threshold, const double* left) const;
};

// What a leaf stores. All of it is charged when it is allocated (memory/account.hpp).
template <class P, class Policy>
concept StatisticsPerLeaf =
    std::movable<P> && requires(P p, const P kept, const Policy policy, const Shape shape,
                                const Row row, const std::vector<std::uint32_t> numeric,
                                SavedNumbers& in, std::vector<double>& out, const double* counts) {
        // Whether it offers cuts.
        { P::offers_cuts } -> std::convertible_to<bool>;
        // Bytes that one row may need.
        { P::room_of_a_row } -> std::convertible_to<std::size_t>;
        // Makes room for all numeric features of the shape, and keeps what is stored.
        p.fit(policy, shape);
        // Learns one row of class y with weight w.
        p.learn(shape, row, std::size_t{0}, 1.0);
        // Drops all features except these.
        p.keep(numeric);
        // Saves the state as numbers. restore() is called after fit() and throws std::invalid_argument
        // if a leaf with these class weights cannot have such a state.
        kept.save(out);
        p.restore(policy, in, counts, std::size_t{2});
    };

// Changes after a check that did not split.
template <class P>
concept FollowsChecks = requires(P p, WaitingCheck& check) { p.after_check(check); };

// Gives the class weights of a numeric feature at or below a threshold, and calls f(threshold,
// those weights) for all of its cuts, ascending.
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
