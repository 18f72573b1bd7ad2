// Runs the kernels of two instruction sets with the same numbers.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "../simd/aligned.hpp"
#include "../simd/kernels.hpp"
#include "checking.hpp"
#include "examples.hpp"

namespace kernel_pairs {

using namespace riparian;
using examples::Dice;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline std::size_t padded(std::size_t n) { return (n + 3) / 4 * 4; }

// Two NaNs count as equal, because it is not defined which operand's NaN a processor returns.
inline bool same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (a != a && b != b);
}

inline bool same(const AlignedDoubles& a, const AlignedDoubles& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!same(a[i], b[i])) return false;
    }
    return true;
}

inline bool has_nan(const AlignedDoubles& v) {
    for (const double x : v) {
        if (x != x) return true;
    }
    return false;
}

// The largest number after settle().
inline double largest() {
    AlignedDoubles row(4, 1.7e308);
    std::uint8_t missing = 0;
    kernels().settle(row.data(), 1, 4, &missing);
    return row[0];
}

// A value as settle() returns it: any size, denormals, zeros of both signs.
inline double value(Dice& dice) {
    static const double most = largest();
    switch (dice.below(12)) {
        case 0: return most;
        case 1: return -most;
        case 2: return 5e-324 * static_cast<double>(dice.below(1000));
        case 3: return -1e-310;
        case 4: return 0.0;
        case 5: return -0.0;
        case 6: return 1e9 + dice.normal();
        case 7: return std::ldexp(dice.normal(), static_cast<int>(dice.below(800)) - 400);
        default: return dice.normal();
    }
}

inline double weight(Dice& dice) {
    switch (dice.below(6)) {
        case 0: return 1e-300;
        case 1: return 0x1p53 * dice.uniform() + 1e-3;
        case 2: return dice.uniform() + 1e-9;
        default: return 1.0;
    }
}

// The statistics of a leaf for one instruction set.
struct Leaf {
    AlignedDoubles planes, leaf, known;
};

// Classes of a leaf that both sets have learned.
class Pair {
public:
    Pair(const Kernels& a, const Kernels& b, std::uint64_t seed) : a_(a), b_(b), dice_(seed) {
        n_ = 1 + dice_.below(33);
        stride_ = padded(n_);
        n_classes_ = 1 + dice_.below(dice_.chance(0.1) ? 20 : 9);
    }

protected:
    AlignedDoubles row(bool gaps) {
        AlignedDoubles x(stride_, 0.0);
        const bool wild = dice_.chance(0.5);
        for (std::size_t f = 0; f < n_; ++f) {
            x[f] = wild ? value(dice_) : dice_.normal();
            if (gaps && dice_.chance(0.2)) x[f] = examples::nan;
        }
        return x;
    }

    void grow(bool gaps) {
        leaf_one_.assign(bayes_leaf_planes * n_ + 3, 0.0);
        std::fill_n(leaf_one_.data() + leaf_low * n_, n_, infinity);
        std::fill_n(leaf_one_.data() + leaf_high * n_, n_, -infinity);
        leaf_two_ = leaf_one_;
        one_.assign(n_classes_, {});
        two_.assign(n_classes_, {});
        weights_.assign(n_classes_, 0.0);
        for (std::size_t k = 0; k < n_classes_; ++k) {
            AlignedDoubles& planes = one_[k].planes;
            planes.assign(bayes_class_planes * n_ + 3, 0.0);
            std::fill_n(planes.data() + low * n_, n_, infinity);
            std::fill_n(planes.data() + high * n_, n_, -infinity);
            if (gaps) one_[k].known.assign(stride_, 0.0);
            two_[k] = one_[k];
            for (std::size_t i = 1 + dice_.below(20); i-- > 0;) {
                const AlignedDoubles x = row(gaps);
                const double w = weight(dice_);
                weights_[k] += w;
                bool grown_one, grown_two;
                if (gaps) {
                    const bool alone = i % 7 == 3;  // the leaf's planes may be absent
                    grown_one = a_.learn_known(planes.data(), alone ? nullptr : leaf_one_.data(),
                                               one_[k].known.data(), n_, x.data(), w);
                    grown_two =
                        b_.learn_known(two_[k].planes.data(), alone ? nullptr : leaf_two_.data(),
                                       two_[k].known.data(), n_, x.data(), w);
                } else {
                    double base_one = 0.0, base_two = 0.0;
                    grown_one =
                        a_.learn_bayes(view(one_, k), range(leaf_one_), n_, x.data(), w, &base_one);
                    grown_two =
                        b_.learn_bayes(view(two_, k), range(leaf_two_), n_, x.data(), w, &base_two);
                    CHECK(same(base_one, base_two));
                    CHECK(same(base_one, a_.refresh(view(one_, k), range(leaf_one_), n_)));
                }
                CHECK(grown_one == grown_two);
            }
            CHECK(same(planes, two_[k].planes));
            CHECK(same(one_[k].known, two_[k].known));
            CHECK(!has_nan(planes));
        }
        CHECK(same(leaf_one_, leaf_two_));
        CHECK(!has_nan(leaf_one_));
        for (std::size_t i = bayes_leaf_planes * n_; i < leaf_one_.size(); ++i) {
            CHECK(leaf_one_[i] == 0.0);
        }
    }

    static LeafRange range(AlignedDoubles& leaf) { return {leaf.data(), nullptr, 0, true}; }

    GaussianClass view(std::vector<Leaf>& leaves, std::size_t k) {
        return {leaves[k].planes.data(), leaves[k].known.empty() ? nullptr : leaves[k].known.data(),
                weights_[k]};
    }

    const Kernels& a_;
    const Kernels& b_;
    Dice dice_;
    std::size_t n_, stride_, n_classes_;
    std::vector<Leaf> one_, two_;
    AlignedDoubles leaf_one_, leaf_two_;
    std::vector<double> weights_;
};

// Calls test(baseline, other) for each other instruction set that this machine has.
template <class Test>
void for_each_set(Test&& test) {
    const Kernels* const baseline = kernels_named("baseline");
    CHECK(baseline != nullptr);
    int compared = 0;
    for (const char* const name : kernel_names) {
        const Kernels* const other = kernels_named(name);
        if (!other || other == baseline) continue;
        ++compared;
        test(*baseline, *other);
    }
    if (compared == 0) checking::skip("this machine has one instruction set");
}

}  // namespace kernel_pairs
