// The decision of a check, and its evidence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ranking.hpp"

namespace riparian {

enum class Verdict : std::uint8_t {
    wait,
    bound,   // the best cut is ahead by more than the bound
    tie,     // the bound is so small that the difference does not matter
    forced,  // the best cut has no rival, and nothing to wait for
    seeded,  // no check: the split came with a batch tree
    better,  // a race: the leader is better than all rivals
    within,  // a race: no rival is better by tau or more
    round,   // there is no bound, and the best cut has a gain
};

[[nodiscard]] inline bool decided_by_race(Verdict v) noexcept {
    return v == Verdict::better || v == Verdict::within;
}

struct Decision {
    Verdict verdict = Verdict::wait;
    std::uint8_t criterion = 0;  // which impurity of a hybrid decided
    Candidate best;
    Candidate second;
    Ranking ranking;  // the best first
    Evidence evidence{};
    double epsilon = 0.0;
    double gain_error = 0.0;    // gains are estimates, off by at most this; 0: they are exact
    std::int32_t heavy = none;  // the branch that gets missing values; none: the heaviest

    [[nodiscard]] double gap() const noexcept { return best.gain - second.gain; }
};

// A decision that led to a split.
struct Certificate {
    std::int32_t node = 0;
    std::int32_t depth = 0;
    std::uint64_t seen = 0;  // examples learned by the tree, this one included
    double spent = 0.0;      // delta of all checks of the tree so far
    std::uint32_t pass = 1;  // over the data; the first unless they were presented again
    Decision decision;
    std::vector<std::vector<double>> branches;  // [child][class]: weights that the split estimated
    std::uint64_t until = 0;  // examples learned when the split was replaced; 0: the tree has it
};

// A cut that lost, as it is stored.
struct Rival {
    double threshold;
    double gain;
    std::int32_t feature;
    std::int32_t category : 24;  // max_categories fit
    std::uint32_t test : 8;
};
inline constexpr Rival no_rival{0.0, 0.0, none, none, 0};

// A certificate as it is stored: the best cut is the test of the node, and the others are in a list of
// rivals, one split after the other.
struct Split {
    std::uint64_t seen;
    double n, gain_range, epsilon, delta, spent, gain;
    std::int32_t node;
    Verdict verdict;
    std::uint8_t criterion;
    std::uint8_t rivals;
    bool null_second;  // the runner-up is the null cut, or with a forced split nothing
    std::uint32_t pass;
    float log_evidence = 0.0F;  // of a race
};

// The evidence of a check that is known before any gain, without depth, seen and features.
// `classes`: seen at the leaf. `number`: of the check, from 1.
[[nodiscard]] Evidence make_evidence(const Settings&, const AnyImpurity&, double n,
                                     std::size_t classes, double number);

// The evidence after this much more weight, all else being equal.
[[nodiscard]] inline Evidence later(Evidence e, double weight) noexcept {
    e.n += weight;
    e.seen += weight;
    return e;
}

// The weight that a leaf needs in all before the bound, or the tie, decides at this gap; infinity: it never
// does.
[[nodiscard]] double weight_to_decide(const Settings&, const Decision&);

// The longest adaptive delay after a check at this weight. Gaps change: with a quarter or
// more of the weight, accuracy on the streams of benchmarks/growth.py moves by half a point.
[[nodiscard]] inline double longest_delay(const Settings& settings, double weight) noexcept {
    return std::max(settings.grace_period, weight / 8.0);
}

// The delta that one check uses up.
[[nodiscard]] double delta_of_check(const Settings&, const Evidence&) noexcept;

}  // namespace riparian
