// The list of all statistics. New statistics are a new file and an entry here.
#pragma once

#include <cstddef>
#include <utility>
#include <variant>

#include "exhaustive.hpp"
#include "gaussian.hpp"
#include "histogram.hpp"
#include "intervals.hpp"
#include "relabelling.hpp"

namespace riparian {

using AnyStatistics =
    std::variant<GaussianStatistics, ExhaustiveStatistics, IntervalStatistics, HistogramStatistics>;

// Two workers may learn one tree if the statistics declare how their leaves are merged. Others declare
// why not.
template <class S>
concept Mergeable =
    !S::PerLeaf::offers_cuts || requires(typename S::PerLeaf p, const typename S::PerLeaf other,
                                         const Relabelling to) { p.merge(other, to); };
template <class... S>
consteval bool all_declare_merging(const std::variant<S...>*) {
    return ((Mergeable<S> == why_unmergeable(S{}).empty()) && ...);
}
static_assert(all_declare_merging(static_cast<const AnyStatistics*>(nullptr)));

template <class... S>
std::variant<typename S::PerLeaf...> per_leaf_of(const std::variant<S...>*);

// What a leaf stores for one of the statistics.
using AnyLeafValues = decltype(per_leaf_of(static_cast<const AnyStatistics*>(nullptr)));

// Calls f(policy, what a leaf stores for it). The second must have been made for the first.
template <class Values, class F>
void with_policy(const AnyStatistics& statistics, Values& values, F&& f) {
    std::visit(
        [&]<class S>(const S& policy) { f(policy, *std::get_if<typename S::PerLeaf>(&values)); },
        statistics);
}

[[nodiscard]] inline AnyLeafValues make_values(const AnyStatistics& statistics) {
    return std::visit([]<class S>(const S&) { return AnyLeafValues(typename S::PerLeaf{}); },
                      statistics);
}

// Whether leaves store values that offer cuts. Then the cuts of the Gaussians are not used.
[[nodiscard]] inline bool offers_cuts(const AnyStatistics& statistics) noexcept {
    return std::visit([]<class S>(const S&) { return S::PerLeaf::offers_cuts; }, statistics);
}

// Bytes that one row may need.
[[nodiscard]] inline std::size_t room_of_a_row(const AnyStatistics& statistics) noexcept {
    return std::visit([]<class S>(const S&) { return S::PerLeaf::room_of_a_row; }, statistics);
}

// Class weights of a numeric feature at or below t; all of them if t is infinite. The values must
// offer cuts.
inline void left_mass(const AnyLeafValues& values, std::size_t slot, double t, std::size_t classes,
                      double* out) {
    std::visit(
        [&]<class P>(const P& kept) {
            if constexpr (P::offers_cuts) kept.left_mass(slot, t, classes, out);
        },
        values);
}

// Calls f(threshold, class weights at or below it) for all cuts of a numeric feature, ascending.
template <class F>
void each_cut(const AnyLeafValues& values, std::size_t slot, std::size_t classes, F&& f) {
    std::visit(
        [&]<class P>(const P& kept) {
            if constexpr (P::offers_cuts) kept.each_cut(slot, classes, f);
        },
        values);
}

}  // namespace riparian
