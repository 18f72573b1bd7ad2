#pragma once

#include "impurity.hpp"

namespace riparian {

// Misclassification error [rutkowski2015, mirkhan2021 eq. 4]:
//
//     g = 1 - max p_k,    gain = (sum over branches of max n_k - max n_k) / N
//
// The mass leaves out the N, which cancels. If the gain were computed as a difference of two
// errors, a gain of zero would be rounding noise, and trees would split on it.
struct Misclassification {
    static constexpr std::string_view name = "misclassification";
    static constexpr std::string_view about = "The share of examples outside the largest class.";
    static constexpr Measure measure = Measure::misclassification;
    static constexpr double offset = 1.0;  // mass / N + offset is the impurity
    bool legacy_gain = false;              // keep that noise, as the released code of mDT does

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit("legacy_gain", self.legacy_gain, TrueOrFalse{},
              "Compute gains as the released code of mDT does, with rounding errors of 1e-17 "
              "that count as gains.");
    }

    [[nodiscard]] double gain_range(std::size_t) const noexcept { return 1.0; }

    template <class Real>
    [[nodiscard]] static __attribute__((always_inline)) Real largest(const Real* counts,
                                                                     std::size_t classes) {
        Real top = counts[0];
        for (std::size_t k = 1; k < classes; ++k) top = select(counts[k] > top, counts[k], top);
        return top;
    }

    template <class Real>
    [[nodiscard]] __attribute__((always_inline)) Real mass(const Real* counts, std::size_t classes,
                                                           Real) const {
        return Real(0.0) - largest(counts, classes);
    }

    // The gain as a difference of impurities, rounded at every step.
    template <class Real>
    [[nodiscard]] __attribute__((always_inline)) Real
    rounded_gain(const Real* all, const Real* left, const Real* right, std::size_t classes,
                 Real total, Real n_left, Real n_right) const {
        const auto error = [&](const Real* counts, Real n) __attribute__((always_inline)) {
            return Real(1.0) - select(n > 0.0, largest(counts, classes) / n, Real(0.0));
        };
        return error(all, total) -
               (n_left / total * error(left, n_left) + n_right / total * error(right, n_right));
    }

    bool operator==(const Misclassification&) const = default;
};

static_assert(Impurity<Misclassification>);

}  // namespace riparian
