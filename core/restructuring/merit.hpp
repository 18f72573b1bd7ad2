// How good a test of a node is, computed from exact class weights.
//
// With g(n) = n log2 n, a test that divides the weights T into branches b costs
//
//     C = sum_b (g(N_b) - sum_k g(T_bk))        bits: N times the E-score [utgoff1989]
//
// and the gain ratio is (C_0 - C) / S, where C_0 is the cost without a test and S = g(N) - sum_b
// g(N_b) are the bits that identify the branch [quinlan1986].
//
// Tests whose merits differ only by rounding are ties, and the first one in the order of features
// and values wins. So the choice is a function of the weights, whatever was computed in between.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "information.hpp"
#include "value_counts.hpp"

namespace riparian::restructuring {

enum class Metric : std::uint8_t { entropy, gain_ratio };

inline constexpr double rounding = 1e-9;

// A node as its candidate tests read it. Higher merits are better.
class Whole {
public:
    Whole(Metric metric, std::span<const double> totals) : metric_(metric), totals_(totals) {
        for (const double t : totals) {
            n_ += t;
            cost_ -= n_log_n(t);
        }
        code_ = n_log_n(n_);
        cost_ += code_;
    }

    [[nodiscard]] std::span<const double> totals() const noexcept { return totals_; }
    [[nodiscard]] double n() const noexcept { return n_; }
    // The cost without a test.
    [[nodiscard]] double cost() const noexcept { return cost_; }
    [[nodiscard]] double tolerance() const noexcept {
        return metric_ == Metric::entropy ? rounding * n_ : rounding;
    }

    // The cost of separating these class weights, which sum to `n_left`.
    [[nodiscard]] double cost_of(std::span<const double> left, double n_left) const noexcept {
        double bits = n_log_n(n_left) + n_log_n(n_ - n_left);
        for (std::size_t c = 0; c < totals_.size(); ++c) {
            const double l = c < left.size() ? left[c] : 0.0;
            bits -= n_log_n(l) + n_log_n(totals_[c] - l);
        }
        return bits;
    }
    // The same if sum_k g(T_k) over both sides is known.
    [[nodiscard]] double cost_of_sum(double sum, double n_left) const noexcept {
        return n_log_n(n_left) + n_log_n(n_ - n_left) - sum;
    }
    [[nodiscard]] double cost_of(const ValueCounts& counts) const noexcept {
        double bits = 0.0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const std::span<const double> weights = counts.weights(i);
            // A value of a single class costs nothing.
            if (std::count(weights.begin(), weights.end(), 0.0) + 1 >= std::ssize(weights))
                continue;
            double n_value = 0.0, pure = 0.0;
            for (const double t : weights) {
                n_value += t;
                pure += n_log_n(t);
            }
            bits += n_log_n(n_value) - pure;
        }
        return bits;
    }
    [[nodiscard]] double branch_bits(double n_left) const noexcept {
        return code_ - n_log_n(n_left) - n_log_n(n_ - n_left);
    }
    [[nodiscard]] double merit(double cost, double n_left) const noexcept {
        return metric_ == Metric::entropy ? -cost : (cost_ - cost) / branch_bits(n_left);
    }
    // No test of at least this cost, with n_left between `low` and `high`, has a higher merit.
    [[nodiscard]] double most_merit(double least_cost, double low, double high) const noexcept {
        if (metric_ == Metric::entropy) return -least_cost;
        const double at_low = branch_bits(low), at_high = branch_bits(high);
        const double bits = at_low < at_high ? at_low : at_high;  // it is concave in n_left
        constexpr double any = 1e300;
        return bits > rounding ? (cost_ - least_cost) / bits : any;
    }

private:
    Metric metric_;
    std::span<const double> totals_;
    double n_ = 0.0;
    double code_ = 0.0;
    double cost_ = 0.0;
};

// sum_k (g(L_k) + g(T_k - L_k)) while examples move from one side of a cut to the other; each
// changes one term. Rounding errors are summed separately, so the result is as exact as a new sum
// of all terms.
class RunningSum {
public:
    RunningSum(const Whole& whole, std::span<const double> left) : totals_(whole.totals()) {
        for (std::size_t k = 0; k < totals_.size(); ++k) add(term(k, left[k]));
    }

    // Class k has weight `left` on the left side and gets w more.
    void move(std::size_t k, double left, double w) noexcept {
        add(-term(k, left));
        add(term(k, left + w));
    }
    [[nodiscard]] double value() const noexcept { return sum_ + rest_; }

private:
    [[nodiscard]] double term(std::size_t k, double left) const noexcept {
        return n_log_n(left) + n_log_n(totals_[k] - left);
    }
    void add(double x) noexcept {
        const double sum = sum_ + x, part = sum - sum_;
        rest_ += (sum_ - (sum - part)) + (x - part);
        sum_ = sum;
    }

    std::span<const double> totals_;
    double sum_ = 0.0, rest_ = 0.0;
};

}  // namespace riparian::restructuring
