// Every kernel that reads, learns and scores rows gives the same bits in every instruction set that
// this machine has.
#include <cmath>
#include <cstring>
#include <vector>

#include "kernel_pairs.hpp"

using namespace riparian;
using namespace kernel_pairs;

namespace {

class RowKernels : Pair {
public:
    using Pair::Pair;

    void run() {
        settle();
        copy_rows();
        one_or_two();
        learn();
        forget();
        forget_known();
        lean();
        for (const bool gaps : {false, true}) {
            grow(gaps);
            refresh_and_score();
        }
        categorical_scores();
        softmax();
        functions();
    }

private:
    void settle() {
        const std::size_t rows = 1 + dice_.below(20);
        AlignedDoubles one(rows * stride_, 0.0);
        for (double& x : one) {
            x = value(dice_);
            if (dice_.chance(0.05)) x = examples::nan;
            if (dice_.chance(0.05)) x = dice_.chance(0.5) ? 1.7e308 : -infinity;
        }
        AlignedDoubles two = one;
        std::vector<std::uint8_t> gaps_one(rows, 9), gaps_two(rows, 9);
        const AlignedDoubles before = one;
        const double most = largest();
        a_.settle(one.data(), rows, stride_, gaps_one.data());
        b_.settle(two.data(), rows, stride_, gaps_two.data());
        CHECK(same(one, two));
        CHECK(gaps_one == gaps_two);
        for (std::size_t i = 0; i < rows; ++i) {
            bool gap = false;
            for (std::size_t f = i * stride_; f < (i + 1) * stride_; ++f) {
                gap = gap || before[f] != before[f];
                CHECK(same(one[f], std::max(std::min(before[f], most), -most)) ||
                      before[f] != before[f]);
            }
            CHECK(gaps_one[i] == gap);
        }
    }

    // The rows of a matrix may start anywhere and have any distance. What is next to them, and the
    // gaps of other features, must not change.
    void copy_rows() {
        const std::size_t rows = 1 + dice_.below(20);
        const std::size_t step = n_ * sizeof(double) + dice_.below(40);
        std::vector<char> matrix(dice_.below(8) + rows * step);
        char* const start = matrix.data() + (matrix.size() - rows * step);
        AlignedDoubles want(rows * stride_, 0.0);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t f = 0; f < n_; ++f) {
                double x = value(dice_);
                if (dice_.chance(0.05)) x = dice_.chance(0.5) ? examples::nan : 1.7e308;
                std::memcpy(start + i * step + f * sizeof x, &x, sizeof x);
                want[i * stride_ + f] = x;
            }
        }
        std::vector<std::uint8_t> gaps(rows, 9), gaps_one(rows, 0);
        a_.settle(want.data(), rows, stride_, gaps.data());
        for (std::size_t i = 0; i < rows; ++i) {
            std::fill_n(want.data() + i * stride_ + n_, stride_ - n_, 7.0);
            if (dice_.chance(0.2)) gaps[i] = gaps_one[i] = 1;
        }
        std::vector<std::uint8_t> gaps_two = gaps_one;
        AlignedDoubles one(rows * stride_, 7.0), two = one;
        const auto apart = static_cast<std::ptrdiff_t>(step);
        a_.copy_rows(start, apart, n_, one.data(), rows, stride_, gaps_one.data());
        b_.copy_rows(start, apart, n_, two.data(), rows, stride_, gaps_two.data());
        CHECK(same(one, want) && same(two, want));
        CHECK(gaps_one == gaps && gaps_two == gaps);
    }

    void one_or_two() {
        AlignedDoubles x(stride_, 0.0), one = x, two = x;
        bool all = true;
        for (std::size_t f = 0; f < n_; ++f) {
            one[f] = dice_.chance(0.1) ? examples::nan : value(dice_);
            two[f] = dice_.chance(0.5) ? one[f] + 1.0 : value(dice_);
            x[f] = dice_.chance(0.5) ? one[f] : two[f];
            if (dice_.chance(0.01)) x[f] = dice_.chance(0.5) ? examples::nan : 0.5;
            all = all && (x[f] == one[f] || x[f] == two[f]);
        }
        std::vector<std::int8_t> is_one(stride_, 9), is_two(stride_, 9);
        CHECK(a_.one_or_two(x.data(), one.data(), two.data(), stride_, is_one.data()) == all);
        CHECK(b_.one_or_two(x.data(), one.data(), two.data(), stride_, is_two.data()) == all);
        CHECK(is_one == is_two);
        for (std::size_t f = 0; f < n_; ++f) CHECK(is_one[f] == (x[f] == two[f] ? -1 : 0));
    }

    void learn() {
        AlignedDoubles one(class_planes * n_ + 3, 0.0);
        std::fill_n(one.data() + low * n_, n_, infinity);
        std::fill_n(one.data() + high * n_, n_, -infinity);
        AlignedDoubles two = one;
        double total = 0.0;
        for (std::size_t i = 1 + dice_.below(30); i-- > 0;) {
            const AlignedDoubles x = row(false);
            const double w = weight(dice_);
            total += w;
            a_.learn(one.data(), n_, x.data(), w, w / total);
            b_.learn(two.data(), n_, x.data(), w, w / total);
        }
        CHECK(same(one, two));
        CHECK(!has_nan(one));
        for (std::size_t i = class_planes * n_; i < one.size(); ++i) CHECK(one[i] == 0.0);
    }

    // Rows that were learned are forgotten, the oldest first, with weights in steps, as in a
    // window.
    void forget() {
        AlignedDoubles one(class_planes * n_ + 3, 0.0);
        std::fill_n(one.data() + low * n_, n_, infinity);
        std::fill_n(one.data() + high * n_, n_, -infinity);
        std::vector<AlignedDoubles> rows;
        std::vector<double> weights;
        double total = 0.0;
        for (std::size_t i = 2 + dice_.below(30); i-- > 0;) {
            rows.push_back(row(false));
            weights.push_back(static_cast<double>(1 + dice_.below(1 << 22)) * 0x1p-20);
            total += weights.back();
            a_.learn(one.data(), n_, rows.back().data(), weights.back(), weights.back() / total);
        }
        AlignedDoubles two = one;
        const AlignedDoubles before = one;
        for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
            double left = 0.0;
            for (std::size_t later = i + 1; later < rows.size(); ++later) left += weights[later];
            a_.forget(one.data(), n_, rows[i].data(), weights[i], weights[i] / left);
            b_.forget(two.data(), n_, rows[i].data(), weights[i], weights[i] / left);
            CHECK(same(one, two));
        }
        CHECK(!has_nan(one));
        for (std::size_t i = low * n_; i < one.size(); ++i) CHECK(same(one[i], before[i]));
    }

    void forget_known() {
        AlignedDoubles one(class_planes * n_ + 3, 0.0), known_one(stride_, 0.0);
        std::fill_n(one.data() + low * n_, n_, infinity);
        std::fill_n(one.data() + high * n_, n_, -infinity);
        std::vector<AlignedDoubles> rows;
        std::vector<double> weights;
        for (std::size_t i = 2 + dice_.below(30); i-- > 0;) {
            rows.push_back(row(true));
            weights.push_back(static_cast<double>(1 + dice_.below(1 << 22)) * 0x1p-20);
            a_.learn_known(one.data(), nullptr, known_one.data(), n_, rows.back().data(),
                           weights.back());
        }
        AlignedDoubles two = one, known_two = known_one;
        bool any_left = true;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const bool none_one =
                a_.forget_known(one.data(), known_one.data(), n_, rows[i].data(), weights[i]);
            const bool none_two =
                b_.forget_known(two.data(), known_two.data(), n_, rows[i].data(), weights[i]);
            CHECK(none_one == none_two);
            CHECK(same(one, two));
            CHECK(same(known_one, known_two));
            any_left = any_left && !none_one;
        }
        CHECK(!any_left);  // everything was forgotten
        CHECK(!has_nan(one));
    }

    // A leaf that stores neither its range nor precisions gives the same bits.
    void lean() {
        AlignedDoubles leaf(bayes_leaf_planes * n_ + 3, 0.0),
            found(bayes_leaf_planes * n_ + 3, 0.0);
        std::fill_n(leaf.data() + leaf_low * n_, n_, infinity);
        std::fill_n(leaf.data() + leaf_high * n_, n_, -infinity);
        std::vector<AlignedDoubles> full(n_classes_), small(n_classes_);
        std::vector<double*> classes(n_classes_, nullptr);
        std::vector<double> weights(n_classes_, 0.0);
        AlignedDoubles base(n_classes_, 0.0), one(n_classes_, 7.0), two(n_classes_, 7.0);
        for (std::size_t i = 3 + dice_.below(40); i-- > 0;) {
            const std::size_t k = dice_.below(n_classes_);
            if (!classes[k]) {
                full[k].assign(bayes_class_planes * n_ + 3, 0.0);
                std::fill_n(full[k].data() + low * n_, n_, infinity);
                std::fill_n(full[k].data() + high * n_, n_, -infinity);
                small[k].assign(full[k].begin(), full[k].begin() + static_cast<std::ptrdiff_t>(
                                                                       class_planes * n_ + 3));
                std::fill_n(small[k].data() + class_planes * n_, 3, 0.0);
                classes[k] = small[k].data();
            }
            const AlignedDoubles x = row(false);
            const double w = weight(dice_);
            weights[k] += w;
            // The range may have been computed before; then it is updated.
            const bool before = dice_.below(2) == 0;
            if (before) b_.find_range(classes.data(), n_classes_, n_, found.data());
            const LeafRange known{before ? found.data() : nullptr, classes.data(), n_classes_,
                                  false};
            const LeafRange none{nullptr, classes.data(), n_classes_, false};
            double base_full = 0.0, base_lean = 0.0;
            const bool grown = a_.learn_bayes({full[k].data(), nullptr, weights[k]}, range(leaf),
                                              n_, x.data(), w, &base_full);
            CHECK(grown == b_.learn_bayes({classes[k], nullptr, weights[k]}, known, n_, x.data(), w,
                                          &base_lean));
            CHECK(same(base_full, base_lean));
            if (before) CHECK(std::equal(found.begin(), found.end(), leaf.begin()));
            for (std::size_t c = 0; c < n_classes_; ++c) {
                if (!classes[c]) continue;
                const GaussianClass of_full{full[c].data(), nullptr, weights[c]};
                base[c] = a_.refresh(of_full, range(leaf), n_);
                CHECK(same(base[c], b_.refresh({classes[c], nullptr, weights[c]}, none, n_)));
                for (std::size_t p = 0; p < class_planes * n_; ++p)
                    CHECK(same(full[c][p], small[c][p]));
                for (std::size_t p = 0; p < 3; ++p) CHECK(small[c][class_planes * n_ + p] == 0.0);
            }
            b_.find_range(classes.data(), n_classes_, n_, found.data());
            CHECK(std::equal(found.begin(), found.end(), leaf.begin()));  // 0 may be -0
            std::vector<const double*> planes;
            for (std::size_t c = 0; c < n_classes_; ++c)
                planes.push_back(classes[c] ? full[c].data() : nullptr);
            a_.scores(planes.data(), base.data(), n_classes_, n_, x.data(), one.data());
            b_.lean_scores({found.data(), classes.data(), n_classes_, false}, base.data(),
                           weights.data(), n_, x.data(), two.data());
            CHECK(same(one, two));
        }
    }

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

CASE(row_kernels_agree_with_the_baseline) {
    for_each_set([](const Kernels& baseline, const Kernels& other) {
        for (std::uint64_t seed = 0; seed < 3000; ++seed) RowKernels(baseline, other, seed).run();
    });
}

CASE(the_base_without_features_is_the_logarithm_of_the_weight) {
    for_each_set([](const Kernels&, const Kernels& other) { base_without_features(other); });
}

}  // namespace
