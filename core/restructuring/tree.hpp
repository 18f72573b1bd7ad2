// Trees that equal the batch tree over their examples, at every moment that they are asked.
//
// ID5R [utgoff1989] and ITI [utgoff1997] add an example to the counts along its path and mark
// that path stale. Then, from the root down, a stale node whose test is no longer the best gets
// the best one: the subtrees below are cut by it and joined again under the old test, which is
// what pulling it up step by step comes to. What that changed is stale and looked at next; the
// printed listing of ID5R repairs less, and is not equal to ID3. A node of one class becomes a
// leaf again.
//
// Where a test has come up, the tests below it may have to change as well, and those below them:
// on noise nearly all of them, and pulling each of them up goes through all examples below it
// every time. So the work of such changes below one node is bounded by a part of what it takes to
// build that subtree; what is left then is built from its examples. An example costs little more
// than the batch learner takes at most, and as a rule far less.
//
// The batch learners ID3 and ID3' and the batch mode of ITI drop the tree and expand a leaf of
// all examples: the same rule without a past. Whoever asks a lazy tree first brings it up to date.
//
// A tree is a function of the examples that it holds. So a file holds those alone, and an
// error in the middle (there is no memory) leaves a tree that is built anew.
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
    bool multiway = true;  // a branch for every value, and no attribute twice; else two branches
    bool rebuild = false;  // instead of restructuring
    bool lazy = false;     // not after every example, but when the tree is asked
    Metric metric = Metric::entropy;
    std::size_t max_examples = most_examples;
};

struct Snapshot : LearnerSnapshot {
    std::vector<double> numbers;           // [example][numeric feature], oldest first
    std::vector<std::int32_t> codes;       // [example][categorical feature]
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
        std::int32_t branch;  // of the new test
        std::int32_t from;    // of the old one
        std::int32_t node;
    };

    // A subtree whose tests change one after the other, in additions to counts.
    struct Region {
        std::uint64_t spent;
        std::uint64_t budget;
    };
    struct Pending {
        std::int32_t node;
        std::int32_t region;  // none: nothing above it has changed
    };

    // learn.cpp
    void demand_room(std::size_t) const override;
    void learn_row(const Batch&, std::size_t row, std::int32_t y, double w) override;
    void add(std::int32_t start, Place);
    void take_out(std::int32_t start, Place);
    void count(Node&, Place, bool adding);
    void drop() noexcept;
    // grow.cpp
    // Throws Stopped in the middle if it is to stop; the tree must then be dropped.
    void revise(Stop*);
    // Gives the region of what is below.
    std::int32_t settle(const Pending&);
    std::int32_t restructure(const Pending&, const Question&);
    void rebuild(std::int32_t, const Question&);
    void expand(std::int32_t);
    void fill_columns(Node&);
    // Gives a node without branches those of its test.
    void divide(std::int32_t, const Held<Place>& examples);
    [[nodiscard]] std::uint64_t additions_to_build(std::int32_t) const;
    void contract(std::int32_t);
    [[nodiscard]] std::optional<Question> best(Node&);
    [[nodiscard]] std::optional<Question> best_multiway(Node&);
    [[nodiscard]] bool divides(const Node&) const;
    [[nodiscard]] bool keeps_common(Node&, Place) const;
    void note_common(Node&) const;
    // restructure.cpp
    void transpose(std::int32_t, const Question&);
    [[nodiscard]] bool slew(std::int32_t, const Question&);
    [[nodiscard]] std::int32_t join(const Node& above, const Piece* first, const Piece* last,
                                    const Question&);
    void part(std::int32_t leaf, std::int32_t from, const Question&);
    [[nodiscard]] std::optional<std::int32_t> only_branch(const Node&, const Question&) const;

    [[nodiscard]] Node& at(std::int32_t id) { return nodes_[static_cast<std::size_t>(id)]; }
    [[nodiscard]] const Node& at(std::int32_t id) const {
        return nodes_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] std::int32_t fresh();
    void release(std::int32_t);
    // The subtree but for its root; its examples go to `out`.
    void release_below(std::int32_t, Held<Place>& out);
    [[nodiscard]] std::int32_t branch_of(const Question&, Place) const noexcept;
    std::int32_t way_or_leaf(std::int32_t id, std::int32_t branch);
    void unlink(std::int32_t);

    // answer.cpp
    void answer(const Batch&, std::size_t row, const Answers&, Reply&) const override;
    [[nodiscard]] Description described() const override;
    // Whoever asks first brings it up to date, which no one can tell.
    [[nodiscard]] std::shared_lock<std::shared_mutex> asked(Stop* = nullptr) const override;

    Settings settings_;
    Store store_;
    std::deque<Node, Counted<Node>> nodes_;
    Held<std::int32_t> free_;
    std::int32_t root_ = none;
    bool built_ = true;  // the tree holds all examples
    // Room that is kept.
    Held<double> room_, merits_;
    std::vector<Piece> pieces_;
    std::vector<Pending> stack_;
    std::vector<Region> regions_;
    std::vector<std::uint8_t> marks_;  // [place] 1: an example of the leaf that is expanded
};

}  // namespace riparian::restructuring
