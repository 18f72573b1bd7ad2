#pragma once

#include <algorithm>
#include <vector>

#include "../impurity/accuracy.hpp"
#include "../impurity/loss.hpp"
#include "method.hpp"
#include "node.hpp"

namespace riparian {

// How well a label does on an example, and which label counts ask for: the class that
// is most frequent, ties to the lowest.
struct RightAnswers {
    explicit RightAnswers(const Accuracy&) {}

    [[nodiscard]] double operator()(std::size_t label, std::size_t truth) const noexcept {
        return label == truth ? 1.0 : 0.0;
    }
    [[nodiscard]] std::size_t label(const double* counts, std::size_t classes) const noexcept {
        return static_cast<std::size_t>(std::max_element(counts, counts + classes) - counts);
    }
};

// Likewise with costs: 1 - cost, and the class of least cost.
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

// Gains as means of quality differences, one term an example: the label of its branch
// against that of the whole. `evaluator` says which examples choose the labels.
template <class Quality, LabEvaluator evaluator>
class HitGains {
public:
    static constexpr bool at_once = evaluator != LabEvaluator::prequential;

    HitGains(const LabNode& node, const Quality& quality)
        : node_(&node),
          quality_(quality),
          counts_((node.branches() + 1) * node.classes()),
          labels_(node.branches() + 1),
          sums_(node.attributes()),
          qualities_((node.branches() + 1) * node.classes()),
          expected_(node.attributes()),
          expected_sums_(node.attributes()) {
        for (std::size_t c = 0; c < node.cells(); ++c) {
            for (std::size_t label = 0; label < node.classes(); ++label) {
                const double quality =
                    node.probability(c) * quality_(label, node.class_of(c));
                for (std::size_t a = 0; a < node.attributes(); ++a) {
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

    // An example that chooses labels and is not judged.
    void hold_out(std::size_t cell, double count) { this->count(cell, count); }
    void choose_labels() {
        for (std::size_t b = 0; b < labels_.size(); ++b) choose_label(b);
        expect();
    }

    // Whether fixed labels answer every example alike, whatever the attribute: then no
    // gain will ever lead.
    [[nodiscard]] bool hopeless() const {
        if constexpr (evaluator == LabEvaluator::prequential) return false;
        for (std::size_t c = 0; c < node_->cells(); ++c) {
            const std::uint32_t* const of = node_->branches_of(c);
            for (std::size_t a = 0; a < node_->attributes(); ++a) {
                if (labels_[of[a]] != labels_[whole()]) return false;
            }
        }
        return true;
    }

    void learn(std::size_t cell, double count) {
        const std::size_t k = node_->class_of(cell);
        const std::uint32_t* const of = node_->branches_of(cell);
        const double without = quality_(labels_[whole()], k);
        for (std::size_t a = 0; a < node_->attributes(); ++a) {
            sums_[a] += count * (quality_(labels_[of[a]], k) - without);
        }
        n_ += count;
        if constexpr (evaluator == LabEvaluator::prequential) {
            this->count(cell, count);
            bool changed = choose_label(whole());
            for (std::size_t a = 0; a < node_->attributes(); ++a) changed |= choose_label(of[a]);
            if (changed) expect();
        }
    }

    void gains(double* out) const {
        for (std::size_t a = 0; a < sums_.size(); ++a) out[a] = sums_[a] / n_;
    }

    // What those gains are estimates of: the same means, with each example's term
    // replaced by what the labels that judged it score on the distribution.
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
        for (std::size_t a = 0; a < node_->attributes(); ++a) {
            counts_[of[a] * node_->classes() + k] += count;
        }
        counts_[whole() * node_->classes() + k] += count;
    }

    // Whether the label is another one now.
    bool choose_label(std::size_t b) {
        const std::size_t classes = node_->classes();
        const std::size_t before = labels_[b];
        labels_[b] = quality_.label(counts_.data() + b * classes, classes);
        return labels_[b] != before;
    }

    // The labels changed: from now on other terms are expected.
    void expect() {
        const std::size_t classes = node_->classes();
        for (std::size_t a = 0; a < node_->attributes(); ++a) {
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
    std::vector<double> counts_;  // [branch, the whole after them][class]
    std::vector<std::size_t> labels_;
    std::vector<double> sums_;           // one an attribute
    std::vector<double> qualities_;      // true mean: [branch, the whole after them][label]
    std::vector<double> expected_;       // true mean of a term, with the labels of now
    std::vector<double> expected_sums_;  // of the first `expected_until_` terms
    double expected_until_ = 0.0;
    double n_ = 0.0;
};

}  // namespace riparian
