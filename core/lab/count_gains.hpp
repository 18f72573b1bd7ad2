#pragma once

#include <algorithm>
#include <vector>

#include "../bound/influence.hpp"
#include "count.hpp"
#include "node.hpp"

namespace riparian {

// Gains computed from the tables of counts, as in a tree: (mass of the whole - masses of the
// branches) / n. Only the masses of branches that changed are computed again.
template <class Impurity>
class CountGains {
public:
    static constexpr bool at_once = true;  // whether many examples may be added as counts

    CountGains(const LabNode& node, const Impurity& impurity)
        : node_(&node),
          impurity_(impurity),
          counts_(node.branches() * node.classes()),
          weights_(node.branches()),
          masses_(node.branches()),
          changed_(node.branches()),
          whole_(node.classes()),
          cells_(node.cells()) {}

    void clear() {
        std::fill(counts_.begin(), counts_.end(), Count());
        std::fill(weights_.begin(), weights_.end(), Count());
        std::fill(masses_.begin(), masses_.end(), 0.0);
        std::fill(changed_.begin(), changed_.end(), false);
        std::fill(whole_.begin(), whole_.end(), Count());
        std::fill(cells_.begin(), cells_.end(), 0.0);
        n_ = 0.0;
    }

    void learn(std::size_t cell, double count) {
        const std::size_t k = node_->class_of(cell);
        const std::uint32_t* const of = node_->branches_of(cell);
        for (std::size_t a = 0; a < node_->features(); ++a) {
            counts_[of[a] * node_->classes() + k] += count;
            weights_[of[a]] += count;
            changed_[of[a]] = true;
        }
        whole_[k] += count;
        cells_[cell] += count;
        n_ += count;
    }

    void gains(double* out) {
        const std::size_t classes = node_->classes();
        const double whole = impurity_.mass(whole_.data(), classes, Count(n_)).value;
        for (std::size_t a = 0; a < node_->features(); ++a) {
            double sum = 0.0;
            for (std::size_t b = node_->first_branch(a); b < node_->first_branch(a + 1); ++b) {
                if (changed_[b]) {
                    masses_[b] =
                        impurity_.mass(counts_.data() + b * classes, classes, weights_[b]).value;
                    changed_[b] = false;
                }
                sum += masses_[b];
            }
            out[a] = (whole - sum) / n_;
        }
    }

    // Per-example variance of the gain of a feature. NaN if a cell has too few examples.
    [[nodiscard]] double variance(std::size_t a) const {
        const std::vector<double> table = table_of(a);
        return influence_variance(impurity_.measure, table.data(), table.size() / node_->classes(),
                                  node_->classes(), n_);
    }

    // Per-example variance of the difference of two gains, from the joint counts of their features.
    [[nodiscard]] double variance(std::size_t first, std::size_t second) const {
        if (!(variance(first) >= 0.0) || !(variance(second) >= 0.0)) {
            return std::numeric_limits<double>::quiet_NaN();
        }
        const std::vector<double> of_first = influence_of(first), of_second = influence_of(second);
        double mean = 0.0, squares = 0.0;
        for (std::size_t c = 0; c < node_->cells(); ++c) {
            const double difference = of_first[place(c, first)] - of_second[place(c, second)];
            mean += cells_[c] / n_ * difference;
            squares += cells_[c] / n_ * difference * difference;
        }
        return std::max(squares - mean * mean, 0.0);
    }

private:
    [[nodiscard]] std::vector<double> table_of(std::size_t a) const {
        const std::size_t from = node_->first_branch(a) * node_->classes();
        const std::size_t to = node_->first_branch(a + 1) * node_->classes();
        std::vector<double> out;
        out.reserve(to - from);
        for (std::size_t i = from; i < to; ++i) out.push_back(counts_[i].value);
        return out;
    }

    [[nodiscard]] std::vector<double> influence_of(std::size_t a) const {
        const std::vector<double> table = table_of(a);
        return influence(impurity_.measure, table.data(), table.size() / node_->classes(),
                         node_->classes());
    }

    // Index of a cell in the table of a feature.
    [[nodiscard]] std::size_t place(std::size_t cell, std::size_t a) const {
        const std::size_t value = node_->branches_of(cell)[a] - node_->first_branch(a);
        return value * node_->classes() + node_->class_of(cell);
    }

    const LabNode* node_;
    Impurity impurity_;
    std::vector<Count> counts_;  // [branch][class]
    std::vector<Count> weights_;
    std::vector<double> masses_;
    std::vector<char> changed_;
    std::vector<Count> whole_;
    std::vector<double> cells_;
    double n_ = 0.0;
};

}  // namespace riparian
