// Every kernel that scores classes gives the same bits in every instruction set that this machine has.
#include <bit>
#include <cmath>
#include <vector>

#include "kernel_pairs.hpp"

using namespace riparian;
using namespace kernel_pairs;

namespace {

class ScoreKernels : Pair {
public:
    using Pair::Pair;

    void run() {
        for (const bool gaps : {false, true}) {
            grow(gaps);
            refresh_and_score();
        }
        categorical_scores();
        softmax();
        functions();
    }

private:
    void refresh_and_score() {
        for (std::size_t k = 0; k < n_classes_; ++k) {
            const double base_one = a_.refresh(view(one_, k), range(leaf_one_), n_);
            const double base_two = b_.refresh(view(two_, k), range(leaf_two_), n_);
            CHECK(same(base_one, base_two));
            CHECK(base_one == base_one);
            CHECK(same(one_[k].planes, two_[k].planes));
            AlignedDoubles usable(stride_, 0.0), pooled(stride_, 0.0);
            const AlignedDoubles gappy = row(true);
            for (std::size_t f = 0; f < n_; ++f) {
                const double w = one_[k].known.empty() ? weights_[k] : one_[k].known[f];
                usable[f] = gappy[f] == gappy[f] && w > 0.0 ? 1.0 : 0.0;
                pooled[f] = dice_.chance(0.3) ? 0.0 : weight(dice_);
            }
            const double score = a_.full_score(view(one_, k), leaf_one_.data(), usable.data(),
                                               pooled.data(), n_, gappy.data());
            CHECK(same(score, b_.full_score(view(two_, k), leaf_two_.data(), usable.data(),
                                            pooled.data(), n_, gappy.data())));
            CHECK(score == score);
            AlignedDoubles one(stride_, 7.0), two(stride_, 7.0);
            a_.full_precisions(view(one_, k), leaf_one_.data(), usable.data(), pooled.data(), n_,
                               one.data());
            b_.full_precisions(view(two_, k), leaf_two_.data(), usable.data(), pooled.data(), n_,
                               two.data());
            CHECK(same(one, two));
            for (std::size_t f = 0; f < n_; ++f)
                CHECK(usable[f] > 0.0 ? one[f] >= 0.0 : one[f] == 0.0);
        }
        scores();
    }

    // Some classes have not been seen; they have no planes and a score below all others.
    void scores() {
        const AlignedDoubles x = row(false);
        std::vector<const double*> planes_one, planes_two;
        AlignedDoubles base(n_classes_), one(n_classes_, 7.0), two(n_classes_, 7.0);
        for (std::size_t k = 0; k < n_classes_; ++k) {
            const bool seen = !dice_.chance(0.1);
            planes_one.push_back(seen ? one_[k].planes.data() : nullptr);
            planes_two.push_back(seen ? two_[k].planes.data() : nullptr);
            base[k] = 100.0 * dice_.normal();
        }
        a_.scores(planes_one.data(), base.data(), n_classes_, n_, x.data(), one.data());
        b_.scores(planes_two.data(), base.data(), n_classes_, n_, x.data(), two.data());
        CHECK(same(one, two));
        CHECK(!has_nan(one));
        for (std::size_t k = 0; k < n_classes_; ++k) {
            CHECK(planes_one[k] ? one[k] <= base[k] : one[k] == -infinity);
        }
    }

    // Some of the classes are seen at the leaf; some values are missing or new to it.
    void categorical_scores() {
        const std::size_t n_features = dice_.below(dice_.chance(0.5) ? 8 : 40);
        const bool huge = dice_.chance(0.2), gaps = dice_.chance(0.5);
        std::vector<std::uint32_t> starts{0};
        for (std::size_t c = 0; c < n_features; ++c) {
            starts.push_back(starts[c] + static_cast<std::uint32_t>(dice_.below(5)));
        }
        std::vector<std::vector<double>> cells;
        std::vector<const double*> cell_places, known_places;
        std::vector<std::size_t> classes;
        std::vector<double> counts(n_classes_, 0.0);
        std::vector<std::int32_t> codes, values;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            if (k + 1 < n_classes_ && dice_.chance(0.3)) continue;
            classes.push_back(k);
            cells.emplace_back(starts.back() + 3);
            for (double& x : cells.back()) {
                x = dice_.chance(0.3) ? 0.0
                                      : weight(dice_) * (huge && dice_.chance(0.3) ? 0x1p200 : 1.0);
                counts[k] += x;
            }
        }
        for (const std::vector<double>& each : cells) cell_places.push_back(each.data());
        std::vector<std::vector<double>> known(n_features, counts);
        for (std::size_t c = 0; c < n_features; ++c) {
            codes.push_back(static_cast<std::int32_t>(dice_.below(7)) - 2);
            for (double& x : known[c]) x *= dice_.uniform();
            known_places.push_back(dice_.chance(0.5) ? nullptr : known[c].data());
            values.push_back(static_cast<std::int32_t>(1 + dice_.below(100)));
        }
        const CategoricalRow row{
            codes.data(),   starts.data(),  n_features,    cell_places.data(),
            classes.data(), classes.size(), counts.data(), gaps ? known_places.data() : nullptr,
            values.data()};
        AlignedDoubles one(padded(classes.size()), 7.0), two = one;
        a_.categorical_scores(row, one.data());
        b_.categorical_scores(row, two.data());
        CHECK(same(one, two));
        for (std::size_t i = 0; i < classes.size(); ++i) {
            double want = 0.0;
            for (std::size_t c = 0; c < n_features; ++c) {
                if (codes[c] == missing_code) continue;
                const std::size_t k = classes[i];
                const double n = gaps && known_places[c] ? known[c][k] : counts[k];
                const auto code = static_cast<std::uint32_t>(codes[c]);
                const double here =
                    code < starts[c + 1] - starts[c] ? cells[i][starts[c] + code] : 0.0;
                want += std::log(here + 1.0) - std::log(n + values[c]);
            }
            CHECK(std::abs(one[i] - want) <= 1e-9 * (1.0 + std::abs(want)));
        }
        // If nothing is missing at the leaf, passing the weights of known values makes no
        // difference.
        if (gaps) return;
        std::fill(known_places.begin(), known_places.end(), counts.data());
        CategoricalRow told = row;
        told.known = known_places.data();
        a_.categorical_scores(told, two.data());
        CHECK(same(one, two));
    }

    void softmax() {
        const std::size_t stride = padded(n_classes_);
        AlignedDoubles one(stride, -infinity);
        for (std::size_t k = 0; k < n_classes_; ++k) {
            one[k] =
                dice_.chance(0.2) ? -infinity : std::ldexp(dice_.normal(), int(dice_.below(40)));
        }
        one[dice_.below(n_classes_)] = dice_.normal();
        AlignedDoubles two = one;
        a_.softmax(one.data(), n_classes_, stride);
        b_.softmax(two.data(), n_classes_, stride);
        double sum = 0.0;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            CHECK(same(one[k], two[k]));
            CHECK(one[k] >= 0.0);
            sum += one[k];
        }
        CHECK(std::abs(sum - 1.0) <= 1e-12);
    }

    void functions() {
        AlignedDoubles x(64), one(64), two(64);
        for (double& v : x) {
            v = dice_.chance(0.1) ? examples::nan : std::bit_cast<double>(dice_.bits());
            if (dice_.chance(0.4)) v = 20.0 * dice_.normal();
            if (dice_.chance(0.1)) v = dice_.chance(0.5) ? infinity : -infinity;
        }
        for (const auto member :
             {&Kernels::normal_cdf, &Kernels::xlog2x, &Kernels::exponential, &Kernels::logarithm}) {
            (a_.*member)(x.data(), x.size(), one.data());
            (b_.*member)(x.data(), x.size(), two.data());
            CHECK(same(one, two));
        }
    }
};

// Without numeric features the base of a class is the logarithm of its weight.
void base_without_features(const Kernels& k) {
    for (double w = 0x1p-500; w < 0x1p200; w *= 3.0) {
        const GaussianClass c{nullptr, nullptr, w};
        const double got = k.refresh(c, {nullptr, nullptr, 0}, 0);
        CHECK(std::abs(got - std::log(w)) <= 1e-12 * std::max(1.0, std::abs(std::log(w))));
    }
}

CASE(score_kernels_agree_with_the_baseline) {
    for_each_set([](const Kernels& baseline, const Kernels& other) {
        for (std::uint64_t seed = 0; seed < 3000; ++seed) ScoreKernels(baseline, other, seed).run();
    });
}

CASE(the_base_without_features_is_the_logarithm_of_the_weight) {
    for_each_set([](const Kernels&, const Kernels& other) { base_without_features(other); });
}

}  // namespace
