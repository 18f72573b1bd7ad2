// How often a member was right, and the weight that this gives its vote.
#pragma once

#include <cstdint>

namespace riparian {

// Accuracy to a power [gomes2017 has the power 1], over all rows since the tree of a member began, or
// over the recent rows: a row then counts (1 - 1/memory)^age.
struct VoteRule {
    bool weighted = true;
    std::uint32_t power = 1;
    double keep = 1.0;  // of the weight of earlier rows, at each row; 1: nothing is forgotten

    [[nodiscard]] bool forgets() const noexcept { return keep < 1.0; }
};

class RightShare {
public:
    // A member predicted a row of this weight before it learned it.
    void note(const VoteRule& rule, bool was_right, double w) noexcept {
        if (rule.forgets()) {
            right *= rule.keep;
            predicted *= rule.keep;
        }
        predicted += w;
        if (was_right) right += w;
    }
    [[nodiscard]] double share() const noexcept {
        return predicted > 0.0 ? right / predicted : 0.0;
    }
    // Accuracies that forget are never 0: half a row counts as right, and half a row as wrong.
    [[nodiscard]] double weight(const VoteRule& rule) const noexcept {
        if (!rule.weighted) return 1.0;
        if (!rule.forgets() && !(right > 0.0)) return 1.0;
        const double x = rule.forgets() ? (right + 0.5) / (predicted + 1.0) : right / predicted;
        double weight = x;
        for (std::uint32_t i = 1; i < rule.power; ++i) weight *= x;
        return weight;
    }

    double right = 0.0, predicted = 0.0;  // weight of rows
};

}  // namespace riparian
