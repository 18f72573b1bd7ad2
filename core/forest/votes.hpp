// The votes of the members of a forest on rows, and their sum.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../impurity/loss.hpp"
#include "../tree/tree.hpp"

namespace riparian {

// The votes of a member.
struct Votes {
    double* shares = nullptr;  // [row][width], or null
    std::size_t width = 0;
    double* weights = nullptr;  // [row]: weight of the vote; 0 before anything was learned
};

// Room for the votes of all members on a block of rows.
class Ballots {
public:
    Ballots(std::size_t members, std::size_t rows, std::size_t width)
        : shares_(members * rows * width), weights_(members * rows) {
        for (std::size_t m = 0; m < members; ++m) {
            votes_.push_back(
                {shares_.data() + m * rows * width, width, weights_.data() + m * rows});
        }
    }
    [[nodiscard]] const std::vector<Votes>& votes() const noexcept { return votes_; }

private:
    std::vector<double> shares_, weights_;
    std::vector<Votes> votes_;
};

// How many rows to predict at once: enough that threads seldom wait for each other.
[[nodiscard]] std::size_t block_rows(std::size_t members, std::size_t width) noexcept;
// How many threads are worth using for this many rows of this many trees.
[[nodiscard]] std::size_t worthwhile(std::size_t threads, std::size_t members,
                                     std::size_t rows) noexcept;

// The weighted sum of the votes, in the order of members: class probabilities, and the most likely class or
// the one that costs least. Where no member has drawn a row yet, all classes are equally likely.
// `known(row)`: how many classes there were; 0 before anything was learned.
template <class Known>
void combine(const std::vector<Votes>& votes, std::size_t rows, const Costs& costs,
             const Known& known, const Predictions& predictions, std::size_t first) {
    const std::size_t width = votes.empty() ? 0 : votes[0].width;
    std::vector<double> sum(width);
    for (std::size_t r = 0; r < rows; ++r) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for (const Votes& v : votes) {
            const double weight = v.weights[r];
            if (!(weight > 0.0)) continue;
            for (std::size_t k = 0; k < width; ++k) sum[k] += weight * v.shares[r * width + k];
        }
        double total = 0.0;
        for (const double s : sum) total += s;
        if (!(total > 0.0)) {
            std::fill_n(sum.begin(), known(r), 1.0);
            total = static_cast<double>(known(r));
        }
        if (predictions.probabilities) {
            double* const out = predictions.probabilities + (first + r) * predictions.width;
            for (std::size_t k = 0; k < predictions.width; ++k)
                out[k] = total > 0.0 ? sum[k] / total : 0.0;
        }
        if (!predictions.classes) continue;
        std::int32_t& predicted = predictions.classes[first + r];
        if (!(total > 0.0)) {
            predicted = no_prediction;
        } else if (costs.classes) {
            predicted = costs.cheapest(sum.data(), known(r));
        } else {
            predicted =
                static_cast<std::int32_t>(std::max_element(sum.begin(), sum.end()) - sum.begin());
        }
    }
}

}  // namespace riparian
