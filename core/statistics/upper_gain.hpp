// U(I): an upper limit for the gain of all cuts inside an interval.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace riparian {

// Arguments are the class weights at a leaf to the left of an interval, inside it and to the right
// of it. An impurity is concave, so the gain of a cut inside is largest if each class lies entirely
// on one side [jin2003]:
//
//     U(I) = max over S of gain(left + inside of S, right + inside of the others)
//
// S runs over all sets of the classes inside. With more than 8 classes, U(I) is instead the gain of
// a cut into left, right and every class inside by itself. That is never less, because joining two
// branches cannot increase the gain. It is summed over a sequence of binary cuts, each weighted by
// its share.
//
// gain(a, b) is the mean decrease of the impurity for class weights a and b, per unit of their own
// weight, times any constant. It is 0 if a or b is empty. The search ends early once U(I) is known
// to be at least `enough`.
template <class Gain>
double upper_gain(const Gain& gain, std::span<const double> left, std::span<const double> inside,
                  std::span<const double> right,
                  double enough = std::numeric_limits<double>::infinity()) {
    constexpr std::size_t most_for_subsets = 8;
    const std::size_t n_classes = inside.size();
    std::vector<std::size_t> present;
    for (std::size_t k = 0; k < n_classes; ++k) {
        if (inside[k] > 0.0) present.push_back(k);
    }
    std::vector<double> a(left.begin(), left.end()), b(right.begin(), right.end());
    for (const std::size_t k : present) b[k] += inside[k];
    double most = gain(a.data(), b.data());

    if (present.size() <= most_for_subsets) {
        // In the order of a Gray code, each step moves one class to the other side.
        for (unsigned step = 1; step < 1U << present.size() && most < enough; ++step) {
            const std::size_t k = present[static_cast<std::size_t>(std::countr_zero(step))];
            const bool to_left = (step ^ step >> 1) >> std::countr_zero(step) & 1U;
            a[k] = to_left ? left[k] + inside[k] : left[k];
            b[k] = to_left ? right[k] : right[k] + inside[k];
            most = std::max(most, gain(a.data(), b.data()));
        }
        return most;
    }

    const auto weight = [](std::span<const double> v) {
        return std::accumulate(v.begin(), v.end(), 0.0);
    };
    const double total = weight(left) + weight(inside) + weight(right);
    double rest = weight(inside);
    most += (rest + weight(right)) / total * gain(inside.data(), right.data());
    std::copy(inside.begin(), inside.end(), b.begin());
    std::fill(a.begin(), a.end(), 0.0);
    for (std::size_t i = 0; i + 1 < present.size(); ++i) {
        const std::size_t k = present[i];
        a[k] = inside[k];
        b[k] = 0.0;
        most += rest / total * gain(a.data(), b.data());
        rest = std::max(0.0, rest - inside[k]);
        a[k] = 0.0;
    }
    return most;
}

}  // namespace riparian
