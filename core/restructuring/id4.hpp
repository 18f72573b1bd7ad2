// ID4 [schlimmer1986]: counts at every node, no examples, and a subtree is discarded when
// another attribute becomes the best.
//
// Where the order of the two best attributes alternates, the subtree is built anew each time
// (thrashing), and what ID3 learns may never be learned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "../tree/tree.hpp"
#include "../tree/turnstile.hpp"
#include "counters.hpp"
#include "description.hpp"
#include "unlimited.hpp"
#include "value_counts.hpp"
#include "way.hpp"

namespace riparian::restructuring {

struct Id4Settings {
    double alpha = 0.01;           // of the chi-square test, in (0, 1)
    bool count_when_pure = false;  // the listing counts no attributes at a node of one class
};

struct Id4Snapshot {
    std::vector<std::uint64_t> seen, counters;
    std::vector<std::uint32_t> classes;
    std::vector<std::uint8_t> kinds;
    std::vector<std::int32_t> categories;               // [feature]
    std::vector<std::int32_t> parent, branch, feature;  // [node], parents first
    std::vector<double> counts;                         // [node][class]
    std::vector<std::int32_t> sizes;                    // [node][feature]: values counted
    std::vector<std::int32_t> values;
    std::vector<double> weights;  // [value][class]

    template <class Self, class Call>
    static void each(Self& s, Call&& call) {
        call("seen", s.seen);
        call("counters", s.counters);
        call("classes", s.classes);
        call("kinds", s.kinds);
        call("categories", s.categories);
        call("parent", s.parent);
        call("branch", s.branch);
        call("feature", s.feature);
        call("counts", s.counts);
        call("sizes", s.sizes);
        call("values", s.values);
        call("weights", s.weights);
    }
};

class Id4 : public Unlimited {
public:
    explicit Id4(const Id4Settings&);

    void add_features(const std::vector<Kind>&);
    void add_names(std::size_t bytes);
    void expect_classes(const std::vector<std::uint32_t>& bytes);
    void expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes);
    void declare_classes(std::size_t);

    void learn(const Batch&, const std::int32_t* y, const double* w);
    void prequential(const Batch&, const std::int32_t* y, const double* w, const Answers&);
    void predict(const Batch&, const Answers&) const;
    [[nodiscard]] std::vector<std::int32_t> path(const Batch&) const;

    [[nodiscard]] Description describe() const;
    [[nodiscard]] Id4Snapshot snapshot() const;
    static std::unique_ptr<Id4> restore(const Id4Settings&, const Id4Snapshot&);

    [[nodiscard]] std::size_t n_features() const;
    [[nodiscard]] std::size_t n_classes() const;
    [[nodiscard]] std::size_t n_nodes() const;
    [[nodiscard]] std::size_t n_leaves() const;
    [[nodiscard]] std::size_t depth() const;
    [[nodiscard]] std::uint64_t seen() const;
    [[nodiscard]] std::size_t memory_bytes() const;
    [[nodiscard]] Counters counters() const;
    [[nodiscard]] double weight() const;

private:
    struct Node {
        std::int32_t parent = none;
        std::int32_t feature = none;  // installed
        Held<double> totals;
        Held<ValueCounts> tables;  // [feature]
        Held<Way> ways;            // ascending by branch
    };

    void check(const Batch&, const std::int32_t* y, const double* w) const;
    void learn_row(const Batch&, std::size_t row, std::int32_t y, double w);
    // Steps 1 to 3d of the listing; the child of 3e, or none.
    [[nodiscard]] std::int32_t update(std::int32_t, const std::int32_t* codes, std::size_t label,
                                      double w);
    void install(std::int32_t, std::int32_t feature);
    void answer(const Batch&, std::size_t row, const Answers&, std::vector<double>& shares) const;
    // The node that answers, and those above it.
    void descend(const Batch&, std::size_t row, std::vector<std::int32_t>& path) const;
    [[nodiscard]] std::vector<std::int32_t> in_order() const;
    [[nodiscard]] std::int32_t fresh(std::int32_t parent);
    void release_below(std::int32_t);
    [[nodiscard]] std::vector<bool> open(std::int32_t) const;
    [[nodiscard]] Node& at(std::int32_t id) { return nodes_[static_cast<std::size_t>(id)]; }
    [[nodiscard]] const Node& at(std::int32_t id) const {
        return nodes_[static_cast<std::size_t>(id)];
    }

    Id4Settings settings_;
    mutable Turnstile turnstile_;
    Account account_;
    std::size_t names_ = 0;
    std::deque<Node, Counted<Node>> nodes_;  // the root first
    Held<std::int32_t> free_;
    std::vector<std::int32_t> categories_;  // [feature]
    std::size_t classes_ = 0;
    std::uint64_t seen_ = 0;
    double weight_ = 0.0;
    Counters counters_;
    std::vector<std::int32_t> codes_;
    Held<double> merits_;
};

}  // namespace riparian::restructuring
