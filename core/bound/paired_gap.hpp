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

// A cut with what an example of each branch and class adds to its gain (influence.hpp),
// frozen when it became a leader. No feature: the null cut, to which nothing adds.
struct Leader {
    Candidate cut;
    std::size_t slot = 0;
    std::size_t classes = 0;
    Held<double> influence;  // [branch][class], without room to spare

    [[nodiscard]] double of(const Row&, std::size_t y) const noexcept;
};

// Running variance of the difference of their influences, in which what the two have in
// common cancels. It starts anew when another feature takes the lead.
class PairedGap {
public:
    void learn(const Row&, std::size_t y, double w) noexcept;
    [[nodiscard]] bool leads(std::int32_t first, std::int32_t second) const noexcept;
    // The two best cuts of the check lead from now on, unless their features do already.
    void after_check(WaitingCheck&);

    [[nodiscard]] double weight() const noexcept { return weight_; }
    [[nodiscard]] double variance() const noexcept;  // NaN below 100 examples

    void save(std::vector<double>& numbers) const;
    // std::invalid_argument unless the numbers can be a state of a leaf of that weight.
    std::size_t restore(const double* numbers, std::size_t count, const Features&,
                        std::size_t classes, double weight);

private:
    [[nodiscard]] static Leader leader(WaitingCheck&, const Candidate&);

    Leader first_, second_;
    double weight_ = 0.0, mean_ = 0.0, squares_ = 0.0;
};

}  // namespace riparian
