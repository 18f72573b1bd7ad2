// Trees that are equal to the batch tree over their examples whenever they are read.
//
// ID5R [utgoff1989] and ITI [utgoff1997] add an example to the counts along its path and mark that
// path as stale. Then, from the root down, a stale node whose test is no longer the best gets the
// best one: the subtrees below are divided by it and joined again under the old test, which has the
// same effect as pulling it up step by step. The nodes that this changes are stale and checked
// next. The published listing of ID5R repairs less and is not equal to ID3. A node of one class
// becomes a leaf again.
//
// When a test has been pulled up, the tests below it may have to change as well, and so on. On
// noise this affects nearly all of them, and each pull-up visits all examples below it. So the work
// of such changes below one node is limited to a fraction of building that subtree; the rest is
// then built from its examples. An example costs at most little more than the batch learner, and
// usually far less.
//
// The batch learners ID3 and ID3' and the batch mode of ITI drop the tree and expand a leaf of all
// examples by the same rule. A lazy tree is brought up to date by the first call that reads it.
//
// A tree is a function of the examples that it stores. So a file contains only those, and after an
// error, such as missing memory, the tree is built again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "learner.hpp"
#include "node.hpp"

namespace riparian::restructuring {

struct Settings {
    // a branch per value and no feature twice on a path; otherwise two branches
    bool multiway = true;
    bool rebuild = false;  // build the tree again instead of restructuring it
    bool lazy = false;     // restructure when the tree is read, not after every example
    Metric metric = Metric::entropy;
    std::size_t max_examples = most_examples;
};

struct Snapshot : LearnerSnapshot {
    std::vector<double> numbers;      // [example][numeric feature], oldest first
    std::vector<std::int32_t> codes;  // [example][categorical feature]
    std::vector<std::int32_t> labels;
    std::vector<double> weights;

    template <class Self, class Call>
    static void each(Self& s, Call&& call) {
        LearnerSnapshot::each(s, call);
        call("numbers", s.numbers);
        call("codes", s.codes);
        call("labels", s.labels);
        call("weights", s.weights);
    }
};

class Tree final : public Learner {
public:
    explicit Tree(const Settings&);

    void add_features(const std::vector<Kind>&);
    // Brings a lazy tree up to date.
    void settle() const;

    [[nodiscard]] Snapshot snapshot() const;
    static std::unique_ptr<Tree> restore(const Settings&, const Snapshot&);

    [[nodiscard]] std::size_t n_nodes() const;
    [[nodiscard]] std::size_t n_leaves() const;
    [[nodiscard]] std::size_t n_examples() const;
    [[nodiscard]] std::size_t memory_bytes() const;

private:
    struct Piece {
        std::int32_t branch;  // branch of the new test
        std::int32_t from;    // branch of the old test
        std::int32_t node;
    };

    // A subtree whose tests change one after the other. The work is counted in additions to counts.
    struct Region {
        std::uint64_t spent;
        std::uint64_t budget;
    };
    struct Pending {
        std::int32_t node;
        std::int32_t region;  // none if nothing above it has changed
    };

    // learn.cpp
    void demand_room(std::size_t) const override;
    void learn_row(const Batch&, std::size_t row, std::int32_t y, double w) override;
    void add(std::int32_t start, Place);
    void remove(std::int32_t start, Place);
    void count(Node&, Place, bool adding);
    void drop() noexcept;
    // grow.cpp
    // Throws Stopped if it has to stop; then the tree must be dropped.
    void revise(Stop*);
    // Returns the region of the nodes below.
    std::int32_t settle(const Pending&);
    std::int32_t restructure(const Pending&, const Split&);
    void rebuild(std::int32_t, const Split&);
    void expand(std::int32_t);
    void fill_columns(Node&);
    // Gives a node without branches the branches of its test.
    void divide(std::int32_t, const Held<Place>& examples);
    [[nodiscard]] std::uint64_t additions_to_build(std::int32_t) const;
    void contract(std::int32_t);
    [[nodiscard]] std::optional<Split> best(Node&);
    [[nodiscard]] std::optional<Split> best_multiway(Node&);
    [[nodiscard]] bool divides(const Node&) const;
    [[nodiscard]] bool keeps_common(Node&, Place) const;
    void note_common(Node&) const;
    // restructure.cpp
    void transpose(std::int32_t, const Split&);
    [[nodiscard]] bool slew(std::int32_t, const Split&);
    [[nodiscard]] std::int32_t join(const Node& above, const Piece* first, const Piece* last,
                                    const Split&);
    void part(std::int32_t leaf, std::int32_t from, const Split&);
    [[nodiscard]] std::optional<std::int32_t> only_branch(const Node&, const Split&) const;

    [[nodiscard]] Node& at(std::int32_t id) { return nodes_[static_cast<std::size_t>(id)]; }
    [[nodiscard]] const Node& at(std::int32_t id) const {
        return nodes_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] std::int32_t fresh();
    void release(std::int32_t);
    // Releases the subtree except its root. Its examples are appended to `out`.
    void release_below(std::int32_t, Held<Place>& out);
    [[nodiscard]] std::int32_t branch_of(const Split&, Place) const noexcept;
    std::int32_t child_or_leaf(std::int32_t id, std::int32_t branch);
    void unlink(std::int32_t);

    // predict.cpp
    void predict_row(const Batch&, std::size_t row, const Predictions&,
                     PredictionRoom&) const override;
    [[nodiscard]] Description described() const override;
    // The first reader brings a lazy tree up to date; others do not notice.
    [[nodiscard]] std::shared_lock<std::shared_mutex> read_lock(Stop* = nullptr) const override;

    Settings settings_;
    Store store_;
    std::deque<Node, Counted<Node>> nodes_;
    Held<std::int32_t> free_;
    std::int32_t root_ = none;
    bool built_ = true;  // whether the tree contains all examples
    // Working memory that is reused.
    Held<double> room_, merits_;
    std::vector<Piece> pieces_;
    std::vector<Pending> stack_;
    std::vector<Region> regions_;
    // [place]: 1 for the examples of the leaf that is being expanded
    std::vector<std::uint8_t> marks_;
};

}  // namespace riparian::restructuring
