// Gains, and the trees that grow by them, have the same bits in every instruction set that this
// machine has.
#include <algorithm>
#include <variant>
#include <vector>

#include "../impurity/any.hpp"
#include "kernel_pairs.hpp"

using namespace riparian;
using namespace kernel_pairs;

namespace {

class GainKernels : Pair {
public:
    using Pair::Pair;

    void run() {
        for (const bool gaps : {false, true}) {
            grow(gaps);
            numeric_gains<Entropy>(0);
            numeric_gains<Gini>(1);
        }
        categorical_masses<Entropy>(0);
        categorical_masses<Gini>(1);
    }

    static inline int gains_seen = 0, limits_near = 0;

private:
    template <class Impurity>
    void numeric_gains(std::size_t place) {
        const std::size_t n_candidates = 1 + dice_.below(12);
        AlignedDoubles thresholds(n_candidates * stride_, examples::nan);
        for (std::size_t c = 0; c < n_candidates; ++c) {
            for (std::size_t f = 0; f < n_; ++f) {
                if (!dice_.chance(0.1)) thresholds[c * stride_ + f] = value(dice_);
            }
        }
        std::vector<GaussianClass> classes_one, classes_two;
        double total = 0.0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            classes_one.push_back(view(one_, k));
            classes_two.push_back(view(two_, k));
            total += weights_[k];
        }
        AlignedDoubles scratch(numeric_scratch(n_classes_));
        AlignedDoubles gains_one(n_candidates * stride_, 7.0), gains_two = gains_one;
        NumericCheck check{};
        check.n_classes = n_classes_;
        check.n_features = n_;
        check.stride = stride_;
        check.thresholds = thresholds.data();
        check.n_candidates = n_candidates;
        check.total = total;
        check.min_branch_fraction = dice_.chance(0.5) ? 0.01 : 0.0;
        check.clip_to_range = dice_.chance(0.5);
        check.scratch = scratch.data();
        const Impurity impurity;
        check.classes = classes_one.data();
        check.gains = gains_one.data();
        a_.numeric_gains[place](&impurity, check);
        check.classes = classes_two.data();
        check.gains = gains_two.data();
        b_.numeric_gains[place](&impurity, check);
        CHECK(same(gains_one, gains_two));
        CHECK(!has_nan(gains_one));
        rough_gains_hold<Impurity>(place, check, gains_two);
        for (std::size_t c = 0; c < n_candidates; ++c) {
            for (std::size_t f = 0; f < stride_; ++f) {
                const double t = thresholds[c * stride_ + f];
                if (t != t) CHECK(gains_one[c * stride_ + f] == -infinity);
                if (t != t || f >= n_) continue;
                std::vector<double> left_one(n_classes_), left_two(n_classes_);
                check.classes = classes_one.data();
                a_.left_masses(check, f, t, left_one.data());
                check.classes = classes_two.data();
                b_.left_masses(check, f, t, left_two.data());
                for (std::size_t k = 0; k < n_classes_; ++k) {
                    CHECK(same(left_one[k], left_two[k]));
                    CHECK(left_one[k] >= 0.0 && left_one[k] <= weights_[k] * (1.0 + 1e-9));
                }
            }
        }
    }

    // The gains of each feature lie within the limits of the rough estimate. The limits are close
    // to the gains, unless it is unknown whether both branches have enough weight.
    template <class Impurity>
    void rough_gains_hold(std::size_t place, const NumericCheck& check,
                          const AlignedDoubles& gains) {
        constexpr double error = Impurity::template Rough<double>::error;
        AlignedDoubles limits_one(3 * stride_, 7.0), limits_two = limits_one;
        AlignedDoubles best_one(stride_, 7.0), best_two = best_one;
        const auto found = [&](AlignedDoubles& l, AlignedDoubles& best) {
            return RoughGains{l.data(), l.data() + stride_, l.data() + 2 * stride_, best.data()};
        };
        a_.rough_gains[place](check, found(limits_one, best_one));
        b_.rough_gains[place](check, found(limits_two, best_two));
        CHECK(same(limits_one, limits_two));
        CHECK(same(best_one, best_two));
        CHECK(!has_nan(limits_one));
        const RoughGains limits = found(limits_one, best_one);
        for (std::size_t f = 0; f < n_; ++f) {
            double best = -infinity, second = -infinity, lead = -infinity;
            for (std::size_t i = f; i < gains.size(); i += stride_) {
                if (check.thresholds[i] == limits.best[f]) lead = std::max(lead, gains[i]);
                if (gains[i] > best) {
                    second = std::exchange(best, gains[i]);
                } else {
                    second = std::max(second, gains[i]);
                }
            }
            CHECK(best <= limits.most[f]);
            CHECK((limits.best[f] == limits.best[f]) == (limits.most[f] > -infinity));
            // The cut that leads by its estimate is one of the best, if it is allowed.
            if (lead > -infinity) CHECK(lead >= best - 2.0 * error);
            CHECK(best >= limits.least[f]);
            CHECK(second >= limits.second[f]);
            if (best < 0.01) continue;
            ++gains_seen;
            if (limits.most[f] - limits.least[f] < 2.1 * error) ++limits_near;
        }
    }

    template <class Impurity>
    void categorical_masses(std::size_t place) {
        const std::size_t n_values = 1 + dice_.below(20);
        std::vector<std::vector<double>> cells(n_classes_, std::vector<double>(n_values + 3, 0.0));
        std::vector<const double*> cell_places;
        std::vector<double> known(n_classes_, 0.0);
        for (std::size_t k = 0; k < n_classes_; ++k) {
            for (std::size_t v = 0; v < n_values; ++v) {
                known[k] += cells[k][v] = dice_.chance(0.3) ? 0.0 : weight(dice_);
            }
            cell_places.push_back(cells[k].data());
        }
        AlignedDoubles scratch(4 * 2 * n_classes_);
        AlignedDoubles out_one[3], out_two[3];
        for (int i = 0; i < 3; ++i) out_one[i] = out_two[i] = AlignedDoubles(padded(n_values), 7.0);
        const Impurity impurity;
        CategoricalCheck check{cell_places.data(), n_values,         n_classes_,
                               known.data(),       scratch.data(),   out_one[0].data(),
                               out_one[1].data(),  out_one[2].data()};
        const double whole = a_.categorical_masses[place](&impurity, check);
        check.mass = out_two[0].data();
        check.rest = out_two[1].data();
        check.weight = out_two[2].data();
        CHECK(same(whole, b_.categorical_masses[place](&impurity, check)));
        for (int i = 0; i < 3; ++i) {
            CHECK(same(out_one[i], out_two[i]));
            CHECK(!has_nan(out_one[i]));
        }
    }
};

// A whole tree does not depend on the machine that grew it.
void trees_are_the_same(const Kernels& a, const Kernels& b) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        examples::Wanted wanted;
        wanted.numeric = 1 + seed * 2;
        wanted.weights = seed % 2 == 1;
        const examples::Rows rows = examples::make_rows(wanted, seed);
        TreeSettings settings = examples::quick_settings(Adaptive{});
        if (seed % 2) settings.impurity = Gini{};
        if (seed % 3 == 1) settings.cuts = Combined{};
        if (seed % 3 == 2) {
            settings.impurity = Accuracy{};
            settings.judging.evaluator = Evaluator::prequential;
        }
        Snapshot grown[2];
        for (int i = 0; i < 2; ++i) {
            use_kernels(i ? b : a);
            Tree tree(settings);
            tree.add_features(rows.kinds);
            tree.learn(rows.batch(), rows.y.data(), rows.w.data());
            CHECK(tree.facts().n_leaves > 2);
            grown[i] = tree.snapshot();
        }
        CHECK(examples::same(grown[0], grown[1]));
    }
    use_kernels(b);
}

CASE(gain_kernels_agree_with_the_baseline) {
    for_each_set([](const Kernels& baseline, const Kernels& other) {
        for (std::uint64_t seed = 0; seed < 3000; ++seed) GainKernels(baseline, other, seed).run();
        CHECK(GainKernels::gains_seen > 1000 &&
              GainKernels::limits_near > 0.95 * GainKernels::gains_seen);
    });
}

CASE(trees_do_not_depend_on_the_instruction_set) { for_each_set(trees_are_the_same); }

}  // namespace
