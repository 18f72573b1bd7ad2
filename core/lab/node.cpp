#include "node.hpp"

#include <limits>

#include "binomial.hpp"

namespace riparian {

LabNode::LabNode(const std::vector<std::size_t>& values, std::size_t classes,
                 const double* probabilities)
    : classes_(classes), first_branch_{0} {
    std::size_t combinations = 1;
    for (const std::size_t v : values) {
        first_branch_.push_back(first_branch_.back() + v);
        combinations *= v;
    }
    std::vector<std::size_t> at(values.size(), 0);
    for (std::size_t i = 0; i < combinations; ++i) {
        for (std::size_t k = 0; k < classes; ++k) {
            const double p = probabilities[i * classes + k];
            if (!(p > 0.0)) continue;
            for (std::size_t a = 0; a < values.size(); ++a) {
                branch_of_.push_back(static_cast<std::uint32_t>(first_branch_[a] + at[a]));
            }
            class_of_.push_back(static_cast<std::uint32_t>(k));
            probability_.push_back(p);
        }
        for (std::size_t a = values.size(); a-- > 0 && ++at[a] == values[a];) at[a] = 0;
    }

    double sum = 0.0;
    for (const double p : probability_) cumulated_.push_back(sum += p);
    cumulated_.back() = std::numeric_limits<double>::infinity();
    of_rest_.resize(cells());
    double rest = 0.0;
    for (std::size_t c = cells(); c-- > 0;) {
        rest += probability_[c];
        of_rest_[c] = probability_[c] / rest;
    }
    std::uint32_t cell = 0;
    for (std::size_t g = 0; g < guides; ++g) {
        const double u = static_cast<double>(g) / guides;
        while (u >= cumulated_[cell]) ++cell;
        guide_.push_back(cell);
    }
}

void LabNode::draw(Philox& random, std::int64_t n, std::int64_t* counts) const noexcept {
    for (std::size_t c = 0; c + 1 < cells(); ++c) {
        counts[c] = binomial(random, n, of_rest_[c]);
        n -= counts[c];
    }
    counts[cells() - 1] = n;
}

}  // namespace riparian
