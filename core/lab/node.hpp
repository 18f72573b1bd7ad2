#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../random/philox.hpp"

namespace riparian {

// A leaf with a known distribution: the joint probabilities of d categorical features and K
// classes. A cell is one combination of all of them; cells with probability 0 are left out. The
// branches of all features are numbered consecutively.
class LabNode {
public:
    // In row-major order with the class last: probabilities[value of 0]...[value of d - 1][class].
    LabNode(const std::vector<std::size_t>& values, std::size_t classes,
            const double* probabilities);

    [[nodiscard]] std::size_t features() const noexcept { return first_branch_.size() - 1; }
    [[nodiscard]] std::size_t classes() const noexcept { return classes_; }
    [[nodiscard]] std::size_t cells() const noexcept { return class_of_.size(); }
    [[nodiscard]] std::size_t branches() const noexcept { return first_branch_.back(); }
    // The branches of feature a are [first_branch(a), first_branch(a + 1)).
    [[nodiscard]] std::size_t first_branch(std::size_t a) const noexcept {
        return first_branch_[a];
    }
    // The branches that a cell belongs to, one per feature.
    [[nodiscard]] const std::uint32_t* branches_of(std::size_t cell) const noexcept {
        return branch_of_.data() + cell * features();
    }
    [[nodiscard]] std::size_t class_of(std::size_t cell) const noexcept { return class_of_[cell]; }
    [[nodiscard]] double probability(std::size_t cell) const noexcept { return probability_[cell]; }

    // Draws the cell of one example: the first whose cumulative probability exceeds a uniform
    // number. A guide table gives the start of the search.
    [[nodiscard]] std::size_t draw(Philox& random) const noexcept {
        const double u = random.uniform();
        std::size_t cell = guide_[static_cast<std::size_t>(u * guides)];
        while (u >= cumulated_[cell]) ++cell;
        return cell;
    }

    // Draws how many of n examples fall into each cell.
    void draw(Philox& random, std::int64_t n, std::int64_t* counts) const noexcept;

private:
    static constexpr std::size_t guides = 256;

    std::size_t classes_;
    std::vector<std::size_t> first_branch_;
    std::vector<std::uint32_t> branch_of_;  // [cell][feature]
    std::vector<std::uint32_t> class_of_;
    std::vector<double> probability_;
    // cumulative probabilities; the last is above every uniform number
    std::vector<double> cumulated_;
    // probability of a cell divided by that of it and all later cells
    std::vector<double> of_rest_;
    std::vector<std::uint32_t> guide_;
};

}  // namespace riparian
