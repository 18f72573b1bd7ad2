// The two leading cuts of a leaf, compared example by example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../cuts/candidate.hpp"
#include "../data/feature.hpp"
#include "../data/row.hpp"
#include "../memory/account.hpp"
#include "../statistics/waiting_check.hpp"

namespace riparian {

// A cut with the influence of an example of each branch and class on its gain (influence.hpp). The
// influence is fixed when the cut becomes a leader. A leader without a feature is the null cut,
// whose influence is 0.
struct Leader {
    Candidate cut;
    std::size_t slot = 0;
    std::size_t classes = 0;
    Held<double> influence;  // [branch][class], without spare capacity

    [[nodiscard]] double of(const Row&, std::size_t y) const noexcept;
};

// Running variance of the difference between the influences of the two leaders. What both have in
// common cancels out. It starts again when another feature becomes a leader.
class PairedGap {
public:
    void learn(const Row&, std::size_t y, double w) noexcept;
    [[nodiscard]] bool leads(std::int32_t first, std::int32_t second) const noexcept;
    // Makes the two best cuts of the check the leaders, unless cuts of the same features lead
    // already.
    void after_check(WaitingCheck&);

    [[nodiscard]] double weight() const noexcept { return weight_; }
    [[nodiscard]] double variance() const noexcept;  // NaN below 100 examples

    void save(std::vector<double>& numbers) const;
    // Throws std::invalid_argument if the numbers cannot be the state of a leaf of that weight.
    std::size_t restore(const double* numbers, std::size_t count, const Features&,
                        std::size_t classes, double weight);

private:
    [[nodiscard]] static Leader leader(WaitingCheck&, const Candidate&);

    Leader first_, second_;
    double weight_ = 0.0, mean_ = 0.0, squares_ = 0.0;
};

}  // namespace riparian
