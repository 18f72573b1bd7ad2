#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "evaluator.hpp"
#include "impurity.hpp"

namespace riparian {

// Costs of predicting a label for a true class, as [label][true class]. They are divided by the
// largest cost, so they lie in [0, 1].
struct Costs {
    std::shared_ptr<const double[]> entries;
    std::size_t labels = 0;
    std::size_t classes = 0;

    [[nodiscard]] double operator()(std::size_t label, std::size_t truth) const noexcept {
        return entries[label * classes + truth];
    }
    // The label of least cost for these probabilities. Ties go to the lowest code; -1 if there is
    // none.
    [[nodiscard]] std::int32_t cheapest(const double* probabilities, std::size_t n) const noexcept {
        std::int32_t best = -1;
        double least = 0.0;
        n = n < classes ? n : classes;
        for (std::size_t a = 0; a < n; ++a) {
            double cost = 0.0;
            for (std::size_t k = 0; k < n; ++k) cost += probabilities[k] * (*this)(a, k);
            if (best < 0 || cost < least) {
                best = static_cast<std::int32_t>(a);
                least = cost;
            }
        }
        return best;
    }
    // The costs of these true classes only, in this order. The labels stay.
    [[nodiscard]] Costs of_classes(std::span<const std::size_t> codes) const {
        auto some = std::make_shared<double[]>(labels * codes.size());
        for (std::size_t l = 0; l < labels; ++l) {
            for (std::size_t i = 0; i < codes.size(); ++i) {
                some[l * codes.size() + i] = codes[i] < classes ? (*this)(l, codes[i]) : 0.0;
            }
        }
        return {std::move(some), labels, codes.size()};
    }
    bool operator==(const Costs&) const = default;
};

// Divides by the largest entry, which must not be 0.
[[nodiscard]] inline Costs costs_of(const double* matrix, std::size_t classes) {
    double largest = 0.0;
    for (std::size_t i = 0; i < classes * classes; ++i) {
        largest = matrix[i] > largest ? matrix[i] : largest;
    }
    auto entries = std::make_shared<double[]>(classes * classes);
    for (std::size_t i = 0; i < classes * classes; ++i) entries[i] = matrix[i] / largest;
    return {std::move(entries), classes, classes};
}

// Loss reduction [matuszyk2013, eq. 8]. The impurity is the least mean cost of any label:
//
//     g = min over l of sum p_k cost(l, k)
struct Loss : Judged {
    static constexpr std::string_view name = "loss";
    static constexpr std::string_view about =
        "The least mean misclassification cost of any label; needs costs.";
    static constexpr Measure measure = Measure::loss;
    static constexpr auto rules = [] {
        std::array<Rule, Judged::rules.size() + 1> all{};
        all[0] = {is_not("costs", "None"), "the loss is computed from the costs"};
        std::copy(Judged::rules.begin(), Judged::rules.end(), all.begin() + 1);
        return all;
    }();
    Costs costs;

    [[nodiscard]] double gain_range(std::size_t) const noexcept { return 1.0; }

    template <class Real>
    [[nodiscard]] __attribute__((always_inline)) Real mass(const Real* counts, std::size_t classes,
                                                           Real) const {
        const double* const entries = costs.entries.get();
        const std::size_t known = classes < costs.classes ? classes : costs.classes;
        Real least = 0.0;
        for (std::size_t l = 0; l < costs.labels; ++l) {
            Real cost = 0.0;
            for (std::size_t k = 0; k < known; ++k) {
                cost += counts[k] * entries[l * costs.classes + k];
            }
            least = l == 0 ? cost : select(cost < least, cost, least);
        }
        return least;
    }

    bool operator==(const Loss&) const = default;
};

static_assert(Impurity<Loss>);

}  // namespace riparian
