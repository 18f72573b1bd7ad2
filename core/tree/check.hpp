// Whether a leaf should be split, and on what evidence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../simd/aligned.hpp"
#include "batch.hpp"
#include "node.hpp"
#include "settings.hpp"

namespace riparian {

enum class Verdict : std::uint8_t { wait, bound, tie };

struct Decision {
    Verdict verdict = Verdict::wait;
    Candidate best;
    Candidate second;
    double n = 0.0;
    double gain_range = 0.0;
    double epsilon = 0.0;

    [[nodiscard]] double gap() const noexcept { return best.gain - second.gain; }
};

// A decision that led to a split.
struct Certificate {
    std::int32_t node = 0;
    std::int32_t depth = 0;
    std::uint64_t seen = 0;  // examples learned by the tree, this one included
    Decision decision;
};

// The same as a tree keeps it: the best cut is the test of the node.
struct Split {
    std::uint64_t seen;
    double n, gain_range, epsilon, gain;
    Candidate second;
    std::int32_t node;
    Verdict verdict;
};

// A leaf with what a check needs to know of its tree.
struct LeafCase {
    const Settings& settings;
    const Shape& shape;
    const std::vector<Feature>& features;
    const LeafStatistics& statistics;
    const double* counts;
    double weight;                     // seen at the leaf
    double n;                          // the same as the bound counts it
    std::size_t n_classes;             // known to the tree
    std::size_t classes_here;          // seen at the leaf: the gain ranges over these
    const std::vector<bool>& used_up;  // [categorical slot]: by a multiway test above
};

// Evaluates candidates; keeps its room between checks.
class Checker {
public:
    // The verdict with all its evidence.
    [[nodiscard]] Decision decide(const LeafCase&);
    // The same verdict, but what waits comes without its cuts: most leaves are told so
    // by a rough look.
    [[nodiscard]] Decision check(const LeafCase&);
    // The class weights of each branch of a candidate, [branch][class_stride];
    // every_value has a branch for each category up to the last one seen.
    [[nodiscard]] std::vector<double> branches(const LeafCase&, const Candidate&);

private:
    NumericCheck numeric_check(const LeafCase&);
    NumericCheck numeric_cuts(const LeafCase&);
    void numeric(const LeafCase&);
    bool surely_waits(const LeafCase&, double threshold);
    void select_first(const NumericCheck&);
    template <class Impurity>
    void select_open(const LeafCase&, const NumericCheck&, const Impurity&, double threshold);
    void propose_at(const LeafCase&, const NumericCheck&);
    void categories(const LeafCase&);
    void categorical(const LeafCase&, std::size_t feature);
    void propose(RunnerUp, const Candidate&);

    Candidate best_;
    Candidate second_;
    std::vector<GaussianClass> classes_;
    std::vector<std::size_t> codes_;
    std::vector<double> low_, high_, thresholds_, gains_;
    std::vector<double> chi_square_;
    std::vector<std::uint32_t> places_;
    AlignedDoubles scratch_;
    // Of all categories of a leaf, as its cells lie; and of each categorical feature.
    std::vector<double> mass_, rest_, weight_, whole_;
    std::vector<const double*> cells_;
    std::vector<double> known_;
};

// How much weight a leaf needs in all before the bound is met at this gap, or the
// tie; infinity if neither can be.
[[nodiscard]] double weight_to_decide(const Settings&, const Decision&);

}  // namespace riparian
