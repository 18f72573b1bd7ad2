// The streaming tree: one loop that predicts and learns rows, and the locks around it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../adaptation/contract.hpp"
#include "../data/batch.hpp"
#include "../data/facts.hpp"
#include "../data/predictions.hpp"
#include "../growth/growth.hpp"
#include "../growth/row_learner.hpp"
#include "../memory/reserve.hpp"
#include "pace.hpp"
#include "settings.hpp"
#include "stop.hpp"
#include "turnstile.hpp"

namespace riparian {

struct Description;
struct Seed;
struct Snapshot;
class UncertainRows;

// ---- what a tree reports ----

struct TreeFacts : Facts {
    std::size_t n_leaves = 0;  // that predict
    std::uint32_t passes = 1;  // over the data, the first included
    double delta_spent = 0.0;  // by all checks so far
    std::array<std::uint64_t, n_change_kinds> change_totals{};
};

// The part of a tree that predicts, without alternates. A tree that replaces subtrees counts its nodes
// for this.
struct TreeSize {
    std::size_t n_nodes = 0;
    std::size_t depth = 0;
    std::size_t n_active_leaves = 0;
};

struct LeafState {
    std::int32_t node;
    std::int32_t depth;
    std::int32_t classes;
    double weight;
    double since_check;  // weight since the last check
    double until_check;  // weight until the next check
    // Of the last check, without a ranking; n is 0 before the first check.
    Decision decision;
    double still_needed;                // weight until it would decide at the gap of that check
    bool may_split;                     // depth and number of leaves allow it
    std::vector<std::int32_t> dropped;  // features that the leaf no longer tracks
    bool active;                        // keeps statistics
    bool room;                          // the memory limit leaves room for a split
    // Checks of a leaf with races, as far as they are kept: its weight, and the evidence.
    std::vector<std::pair<double, double>> ledger;
};

// ---- files of older formats ----

// Each gives a snapshot the arrays that a later format added. Format 1 lacks those of the first function,
// format 2 those of the other two.
void fill_later_arrays(const Settings&, Snapshot&);
void fill_passes(Snapshot&);
void fill_arrays_since_3(Snapshot&);

// ---- rows one by one ----

// What a row weighs. `learned` counts in the statistics. `before` is the part of it that counts when leaf
// predictors are observed before the row is learned; the rest counts afterwards.
struct RowWeight {
    double learned = 1.0;
    double before = 1.0;

    // The weight of a row that stands for this many equal ones.
    [[nodiscard]] static RowWeight repeated(double w) noexcept { return {w, std::min(w, 1.0)}; }
};

// What is predicted for a row before it is learned: its class, and class probabilities if `shares` is
// set.
struct RowRequest {
    bool predicted = false;
    double* shares = nullptr;  // [width]
    std::size_t width = 0;

    [[nodiscard]] bool any() const noexcept { return predicted || shares; }
    [[nodiscard]] Predictions predictions(std::int32_t& predicted_class) const noexcept {
        return {&predicted_class, shares, width};
    }
};

// The class predicted before the row was learned, and after it, where they were requested.
struct Predicted {
    std::int32_t before = no_prediction;
    std::int32_t after = no_prediction;
};

class Tree;

// Where the rows of a buffer stand after they were routed together.
struct Routes {
    std::array<std::int32_t, RowBuffer::most_rows> starts;
    std::uint64_t reroutings = 0;

    // Whether rows still take these ways.
    [[nodiscard]] bool hold(const Tree&) const noexcept;
};

// What a forest asks of the memory of its trees. Nobody may learn meanwhile.
class TreeMemory {
public:
    explicit TreeMemory(const Tree& tree) noexcept : tree_(tree) {}

    // Whether the tree can be brought below a limit.
    [[nodiscard]] bool fits_in(std::size_t limit) const;
    // A limit that the tree as it is fits with no leaf active, and goes on fitting while its classes
    // become this many and the expected names come.
    [[nodiscard]] std::size_t needed(std::size_t classes = 0) const;
    // Upper bounds of what these allocate, together with the next row after them.
    [[nodiscard]] std::size_t most_of_rows(std::size_t rows) const noexcept;
    [[nodiscard]] std::size_t most_of_features(const std::vector<Kind>&) const noexcept;
    [[nodiscard]] std::size_t most_of_classes(std::size_t count) const noexcept;

private:
    const Tree& tree_;
};

// Threads: calls that are not const must not overlap each other. Const calls may overlap anything: each
// sees a tree between two blocks of rows.
//
// Errors: a call that throws leaves a whole tree, as it was or as after some of its rows. There are two
// exceptions, after which `unfinished` is true and the tree can only be discarded: what a function of the
// user throws, and LimitTooLow.
class Tree {
public:
    // What a tree counts for the objects that it consists of. The number does not follow the layout of
    // the classes, because a change of layout must not change what a memory limit does to a model.
    static constexpr std::size_t object_bytes = 3800;

    explicit Tree(const TreeSettings&);
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    // ---- the schema ----

    // Features get the next places.
    void add_features(const std::vector<Kind>&);
    // Classes below `count` are known from now on, for the range of gains.
    void declare_classes(std::size_t count);
    // Names are held outside, and their bytes count in the memory limit: these at once, and those of the
    // next classes or categories from the row on that brings them.
    void add_names(std::size_t bytes);
    void expect_classes(const std::vector<std::uint32_t>& bytes);
    void expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes);
    // The rows that were to bring expected names do not come. `bytes`: of the names that have not come.
    void expect_nothing(std::size_t bytes) noexcept;
    // A watched categorical feature may be an identifier: no cut of it is offered.
    void watch(std::size_t feature, bool);
    // The values of a categorical feature are missing from now on: frees what leaves hold of them. It
    // stays watched. `names`: the bytes of its names, which are freed too.
    void leave_out(std::size_t feature, std::size_t names);
    // [predicted][true], from 0 to 1, among the first classes: predictions are chosen by these costs from
    // now on, and an impurity that counts costs counts them.
    void set_costs(const double* matrix, std::size_t classes);
    // Starts from the inner nodes of a batch tree. Throws std::invalid_argument unless the seed is a tree
    // and nothing was learned yet.
    void seed(const Seed&);
    // The rows to come were learned before.
    void begin_pass();

    // ---- rows ----

    // `w` may be null. A row with y < 0 or w = 0 is not learned. `stop` can end a call between two rows;
    // the call then throws Stopped.
    void learn(const Batch&, const std::int32_t* y, const double* w, Stop* stop = nullptr);
    // The same; each row is predicted before it is learned.
    void prequential(const Batch&, const std::int32_t* y, const double* w, const Predictions&,
                     Stop* stop = nullptr);
    // With a `moment`, which is filled, one state predicts all rows, and learners wait for the call.
    void predict(const Batch&, const Predictions&, Stop* stop = nullptr,
                 Moment* moment = nullptr) const;
    // Throws std::invalid_argument, naming the row, if a weight is too large to be forgotten exactly. It
    // does not depend on what was learned, so batches make no difference.
    void demand_weights(const double* w, std::size_t rows) const;
    // Whether an error broke out of the middle of a row.
    [[nodiscard]] bool unfinished() const noexcept { return unfinished_; }

    // ---- memory ----

    // The limit holds from now on. Throws LimitTooLow, and changes nothing, if it cannot.
    void set_max_bytes(std::size_t);
    [[nodiscard]] std::size_t max_bytes() const noexcept {
        return growth_.state.settings.max_bytes;
    }
    [[nodiscard]] std::size_t memory_bytes() const;
    // What a tree with this schema needs at least: one leaf that has seen two classes.
    [[nodiscard]] std::size_t least_bytes() const;
    // Whether these bytes of names, and an example with distributions of this many numbers, fit whatever
    // the rows bring.
    [[nodiscard]] bool surely_fits(std::size_t names, std::size_t numbers) const;
    [[nodiscard]] TreeMemory memory() const noexcept { return TreeMemory(*this); }

    // ---- what the tree is ----

    [[nodiscard]] TreeSettings settings() const { return {growth_.state.settings, chosen_}; }
    [[nodiscard]] TreeFacts facts() const;
    [[nodiscard]] TreeSize size() const;
    // Categories of a feature that rows have brought; 0 for a numeric one.
    [[nodiscard]] std::size_t n_categories(std::size_t feature) const;
    // Certificates of splits, and changes, made after the tree had learned this many examples. The last
    // most_changes changes are kept.
    [[nodiscard]] std::vector<Certificate> certificates(
        std::optional<std::uint64_t> since = {}) const;
    // Of splits that the tree no longer has, in the order in which they went.
    [[nodiscard]] std::vector<Certificate> former_certificates(
        std::optional<std::uint64_t> since = {}) const;
    [[nodiscard]] std::vector<Change> changes(std::uint64_t since = 0) const;
    // Each leaf with the evidence of its last check. No gain is computed.
    [[nodiscard]] std::vector<LeafState> leaf_states() const;
    // With the nodes at which the paths of rows end, if rows are given.
    [[nodiscard]] Description describe(const Batch* rows = nullptr, bool formulas = false) const;

    [[nodiscard]] Snapshot snapshot() const;
    // Throws std::invalid_argument, naming what is wrong, unless the snapshot is that of a tree which
    // learning could have made.
    [[nodiscard]] static std::unique_ptr<Tree> restore(const TreeSettings&, const Snapshot&);

private:
    friend class Turn;
    friend class TreeMemory;
    friend struct Routes;

    // The row loop. `plain`: no memory limit, and no leaf keeps more than statistics.
    template <class Policy, bool predicting, bool plain>
    void run(const Policy&, const Batch&, const std::int32_t* y, const double* w,
             const Predictions&, Stop*);
    template <bool predicting>
    void run(const Batch&, const std::int32_t* y, const double* w, const Predictions&, Stop*);
    // The next row that has uncertain values; `certain`: its other values.
    [[gnu::noinline]] void run_uncertain(const UncertainRows&, Spread&, const Batch&,
                                         const Row& certain, std::int32_t y, double w,
                                         const Predictions*);
    void route(const RowBuffer&, std::size_t rows, Routes&) const noexcept;
    // One row of a tree that only grows, and of one that follows change.
    template <class Policy, bool plain>
    Predicted step(const Policy&, std::int32_t start, const Row&, std::size_t y, RowWeight,
                   const RowRequest&, bool again);
    Predicted step(std::int32_t start, const Row&, std::size_t y, RowWeight, const RowRequest&,
                   bool again);
    // Bytes to be set aside before a row.
    [[nodiscard]] std::size_t reserve_bytes() noexcept;
    // Does the rows of a block, all of them or up to one during which memory ran out. Then it throws
    // std::bad_alloc.
    template <class OfRow>
    void each_row(std::size_t n, const OfRow&);
    void predict(std::int32_t start, const Row&, const Predictions&, std::size_t row);
    [[nodiscard]] std::vector<std::int32_t> ends(const Batch&) const;
    // The states of the leaves without still_needed.
    [[nodiscard]] std::vector<LeafState> noted_leaf_states() const;
    [[nodiscard]] bool replaces() const noexcept { return adaptation_->traits().replaces; }

    RowLearner growth_;
    AnyAdaptation chosen_;
    std::unique_ptr<Adaptation> adaptation_;
    Reserve reserve_;
    std::size_t reserve_for_ = SIZE_MAX, row_bytes_ = 0;  // bytes held when this was worked out
    Pace pace_{RowBuffer::most_rows};
    bool unfinished_ = false;
    mutable Turnstile turnstile_;
};

inline bool Routes::hold(const Tree& tree) const noexcept {
    return reroutings == tree.adaptation_->reroutings();
}

template <class OfRow>
void Tree::each_row(std::size_t n, const OfRow& of_row) {
    unfinished_ = true;
    for (std::size_t i = 0; i < n && !reserve_.used(); ++i) of_row(i);
    unfinished_ = false;
    if (reserve_.used()) throw std::bad_alloc();
}

}  // namespace riparian
