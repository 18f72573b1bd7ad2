// ID4 [schlimmer1986]: every node has counts, no examples are stored, and a subtree is discarded
// when another feature becomes the best.
//
// If the order of the two best features alternates, the subtree is discarded every time
// (thrashing), and a concept that ID3 learns may never be learned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "learner.hpp"
#include "value_counts.hpp"
#include "child.hpp"

namespace riparian::restructuring {

struct Id4Settings {
    double alpha = 0.01;  // level of the chi-square test, in (0, 1)
    // the published listing counts no features at a node of one class
    bool count_when_pure = false;
};

struct Id4Snapshot : LearnerSnapshot {
    std::vector<std::int32_t> parent, branch, feature;  // [node], parents first
    std::vector<double> counts;                         // [node][class]
    std::vector<std::int32_t> sizes;                    // [node][feature]: number of values counted
    std::vector<std::int32_t> values;
    std::vector<double> weights;  // [value][class]

    template <class Self, class Call>
    static void each(Self& s, Call&& call) {
        LearnerSnapshot::each(s, call);
        call("parent", s.parent);
        call("branch", s.branch);
        call("feature", s.feature);
        call("counts", s.counts);
        call("sizes", s.sizes);
        call("values", s.values);
        call("weights", s.weights);
    }
};

class Id4 final : public Learner {
public:
    explicit Id4(const Id4Settings&);

    void add_features(const std::vector<Kind>&);
    [[nodiscard]] Id4Snapshot snapshot() const;
    static std::unique_ptr<Id4> restore(const Id4Settings&, const Id4Snapshot&);

    [[nodiscard]] std::size_t n_nodes() const;
    [[nodiscard]] std::size_t n_leaves() const;
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    struct Node {
        std::int32_t parent = none;
        std::int32_t feature = none;  // the installed feature
        Held<double> totals;
        Held<ValueCounts> tables;  // [feature]
        Held<Child> children;      // ascending by branch
    };

    void learn_row(const Batch&, std::size_t row, std::int32_t y, double w) override;
    // Steps 1 to 3d of the listing. Returns the child of step 3e, or none.
    [[nodiscard]] std::int32_t update(std::int32_t, const std::int32_t* codes, std::size_t label,
                                      double w);
    void install(std::int32_t, std::int32_t feature);
    void predict_row(const Batch&, std::size_t row, const Predictions&,
                     PredictionRoom&) const override;
    // Finds the node that predicts, and those above it.
    void descend(const Batch&, std::size_t row, std::vector<std::int32_t>& path) const;
    [[nodiscard]] Description described() const override;
    [[nodiscard]] std::int32_t fresh(std::int32_t parent);
    void release_below(std::int32_t);
    [[nodiscard]] std::vector<bool> open(std::int32_t) const;
    [[nodiscard]] Node& at(std::int32_t id) { return nodes_[static_cast<std::size_t>(id)]; }
    [[nodiscard]] const Node& at(std::int32_t id) const {
        return nodes_[static_cast<std::size_t>(id)];
    }

    Id4Settings settings_;
    std::deque<Node, Counted<Node>> nodes_;  // the root is first
    Held<std::int32_t> free_;
    std::vector<std::int32_t> codes_;
    Held<double> merits_;
};

}  // namespace riparian::restructuring
