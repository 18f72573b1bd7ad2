#pragma once

#include <algorithm>
#include <vector>

#include "../impurity/accuracy.hpp"
#include "../impurity/loss.hpp"
#include "method.hpp"
#include "node.hpp"

namespace riparian {

// The quality of a label for an example, and the best label for counts: the most frequent class.
// Ties go to the lowest.
struct RightPredictions {
    explicit RightPredictions(const Accuracy&) {}

    [[nodiscard]] double operator()(std::size_t label, std::size_t truth) const noexcept {
        return label == truth ? 1.0 : 0.0;
    }
    [[nodiscard]] std::size_t label(const double* counts, std::size_t classes) const noexcept {
        return static_cast<std::size_t>(std::max_element(counts, counts + classes) - counts);
    }
};

// The same with costs: the quality is 1 - cost, and the best label has the least cost.
struct Savings {
    Costs costs;

    explicit Savings(const Loss& loss) : costs(loss.costs) {}

    [[nodiscard]] double operator()(std::size_t label, std::size_t truth) const noexcept {
        return 1.0 - costs(label, truth);
    }
    [[nodiscard]] std::size_t label(const double* counts, std::size_t classes) const noexcept {
        std::size_t best = 0;
        double least = 0.0;
        for (std::size_t l = 0; l < classes; ++l) {
            double cost = 0.0;
            for (std::size_t k = 0; k < classes; ++k) cost += counts[k] * costs(l, k);
            if (l == 0 || cost < least) {
                best = l;
                least = cost;
            }
        }
        return best;
    }
};

// Gains as means of quality differences. Each example contributes the quality of its branch's label
// minus that of the label of the whole. `evaluator` determines which examples choose the labels.
template <class Quality, LabEvaluator evaluator>
class HitGains {
public:
    static constexpr bool at_once = evaluator != LabEvaluator::prequential;

    HitGains(const LabNode& node, const Quality& quality)
        : node_(&node),
          quality_(quality),
          counts_((node.branches() + 1) * node.classes()),
          labels_(node.branches() + 1),
          sums_(node.features()),
          qualities_((node.branches() + 1) * node.classes()),
          expected_(node.features()),
          expected_sums_(node.features()) {
        for (std::size_t c = 0; c < node.cells(); ++c) {
            for (std::size_t label = 0; label < node.classes(); ++label) {
                const double quality = node.probability(c) * quality_(label, node.class_of(c));
                for (std::size_t a = 0; a < node.features(); ++a) {
                    qualities_[node.branches_of(c)[a] * node.classes() + label] += quality;
                }
                qualities_[whole() * node.classes() + label] += quality;
            }
        }
        if constexpr (evaluator == LabEvaluator::fixed) {
            for (std::size_t c = 0; c < node.cells(); ++c) count(c, node.probability(c));
            choose_labels();
        }
    }

    void clear() {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        std::fill(expected_sums_.begin(), expected_sums_.end(), 0.0);
        n_ = expected_until_ = 0.0;
        if constexpr (evaluator != LabEvaluator::fixed) {
            std::fill(counts_.begin(), counts_.end(), 0.0);
            choose_labels();
        }
    }

    // Counts an example that chooses labels and is not evaluated.
    void hold_out(std::size_t cell, double count) { this->count(cell, count); }
    void choose_labels() {
        for (std::size_t b = 0; b < labels_.size(); ++b) choose_label(b);
        expect();
    }

    // Whether the fixed labels are the same for every example and every feature. Then no gain can
    // ever lead.
    [[nodiscard]] bool hopeless() const {
        if constexpr (evaluator == LabEvaluator::prequential) return false;
        for (std::size_t c = 0; c < node_->cells(); ++c) {
            const std::uint32_t* const of = node_->branches_of(c);
            for (std::size_t a = 0; a < node_->features(); ++a) {
                if (labels_[of[a]] != labels_[whole()]) return false;
            }
        }
        return true;
    }

    void learn(std::size_t cell, double count) {
        const std::size_t k = node_->class_of(cell);
        const std::uint32_t* const of = node_->branches_of(cell);
        const double without = quality_(labels_[whole()], k);
        for (std::size_t a = 0; a < node_->features(); ++a) {
            sums_[a] += count * (quality_(labels_[of[a]], k) - without);
        }
        n_ += count;
        if constexpr (evaluator == LabEvaluator::prequential) {
            this->count(cell, count);
            bool changed = choose_label(whole());
            for (std::size_t a = 0; a < node_->features(); ++a) changed |= choose_label(of[a]);
            if (changed) expect();
        }
    }

    void gains(double* out) const {
        for (std::size_t a = 0; a < sums_.size(); ++a) out[a] = sums_[a] / n_;
    }

    // The true values that those gains estimate: the same means, with each example's term replaced
    // by its expectation under the true distribution and the labels of that time.
    void expected_gains(double* out) const {
        for (std::size_t a = 0; a < sums_.size(); ++a) {
            out[a] = (expected_sums_[a] + (n_ - expected_until_) * expected_[a]) / n_;
        }
    }

private:
    [[nodiscard]] std::size_t whole() const noexcept { return node_->branches(); }

    void count(std::size_t cell, double count) {
        const std::size_t k = node_->class_of(cell);
        const std::uint32_t* const of = node_->branches_of(cell);
        for (std::size_t a = 0; a < node_->features(); ++a) {
            counts_[of[a] * node_->classes() + k] += count;
        }
        counts_[whole() * node_->classes() + k] += count;
    }

    // Returns whether the label has changed.
    bool choose_label(std::size_t b) {
        const std::size_t classes = node_->classes();
        const std::size_t before = labels_[b];
        labels_[b] = quality_.label(counts_.data() + b * classes, classes);
        return labels_[b] != before;
    }

    // Called when labels have changed: later terms have another expectation.
    void expect() {
        const std::size_t classes = node_->classes();
        for (std::size_t a = 0; a < node_->features(); ++a) {
            expected_sums_[a] += (n_ - expected_until_) * expected_[a];
            expected_[a] = -qualities_[whole() * classes + labels_[whole()]];
            for (std::size_t b = node_->first_branch(a); b < node_->first_branch(a + 1); ++b) {
                expected_[a] += qualities_[b * classes + labels_[b]];
            }
        }
        expected_until_ = n_;
    }

    const LabNode* node_;
    Quality quality_;
    std::vector<double> counts_;  // [branch, then the whole][class]
    std::vector<std::size_t> labels_;
    std::vector<double> sums_;           // one per feature
    std::vector<double> qualities_;      // true mean: [branch, then the whole][label]
    std::vector<double> expected_;       // true mean of a term, with the present labels
    std::vector<double> expected_sums_;  // sums of the first `expected_until_` terms
    double expected_until_ = 0.0;
    double n_ = 0.0;
};

}  // namespace riparian
