// Every kernel that reads, learns and forgets rows gives the same bits in every instruction set that
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
};

CASE(row_kernels_agree_with_the_baseline) {
    for_each_set([](const Kernels& baseline, const Kernels& other) {
        for (std::uint64_t seed = 0; seed < 3000; ++seed) RowKernels(baseline, other, seed).run();
    });
}

}  // namespace
