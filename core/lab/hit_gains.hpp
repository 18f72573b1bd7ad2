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
          sums_(node.attributes()) {
        if constexpr (evaluator == LabEvaluator::fixed) {
            for (std::size_t c = 0; c < node.cells(); ++c) count(c, node.probability(c));
            choose_labels();
        }
    }

    void clear() {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        n_ = 0.0;
        if constexpr (evaluator != LabEvaluator::fixed) {
            std::fill(counts_.begin(), counts_.end(), 0.0);
            choose_labels();
        }
    }

    // An example that chooses labels and is not judged.
    void hold_out(std::size_t cell, double count) { this->count(cell, count); }
    void choose_labels() {
        for (std::size_t b = 0; b < labels_.size(); ++b) choose_label(b);
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
            for (std::size_t a = 0; a < node_->attributes(); ++a) choose_label(of[a]);
            choose_label(whole());
        }
    }

    void gains(double* out) const {
        for (std::size_t a = 0; a < sums_.size(); ++a) out[a] = sums_[a] / n_;
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

    void choose_label(std::size_t b) {
        const std::size_t classes = node_->classes();
        labels_[b] = quality_.label(counts_.data() + b * classes, classes);
    }

    const LabNode* node_;
    Quality quality_;
    std::vector<double> counts_;  // [branch, the whole after them][class]
    std::vector<std::size_t> labels_;
    std::vector<double> sums_;  // one an attribute
    double n_ = 0.0;
};

}  // namespace riparian
