// The streaming tree: one loop that predicts and learns rows, and the locks around it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "../adaptation/contract.hpp"
#include "../data/batch.hpp"
#include "../data/predictions.hpp"
#include "../growth/growth.hpp"
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

struct LeafState {
    std::int32_t node;
    std::int32_t depth;
    std::int32_t classes;
    double weight;
    double until_check;  // weight until the next check
    Decision decision;
    double still_needed;  // weight until it would decide at this gap
    bool may_split;  // depth and number of leaves allow it
    std::vector<std::int32_t> dropped;  // features that the leaf no longer tracks
    bool active;     // keeps statistics
    bool room;       // the limit of memory leaves room for a split
};

// Gives a snapshot of an older format what later ones hold in addition.
void fill_later_arrays(const Settings&, Snapshot&);
// The same for format 2.
void fill_passes(Snapshot&);
void fill_arrays_since_3(Snapshot&);

// What a row weighs. `learned` counts in the statistics. `before` of it counts when leaf predictors
// are judged before the row is learned; the rest counts afterwards.
struct RowWeight {
    double learned = 1.0;
    double before = 1.0;

    // Of a row that stands for this many equal ones.
    [[nodiscard]] static RowWeight repeated(double w) noexcept { return {w, std::min(w, 1.0)}; }
};

// What is requested of a row before it is learned: its class, and the class probabilities where there
// is room for them.
struct RowRequest {
    bool predicted = false;
    double* shares = nullptr;  // [width]
    std::size_t width = 0;

    [[nodiscard]] bool any() const noexcept { return predicted || shares; }
    [[nodiscard]] Answers answers(std::int32_t& predicted_class) const noexcept {
        return {&predicted_class, shares, width};
    }
};

// The class predicted before the row was learned, and after it, if that was asked for.
struct Predicted {
    std::int32_t before = no_answer;
    std::int32_t after = no_answer;
};

class Tree;

// Where rows of a buffer that have walked together stand.
struct Routes {
    std::array<std::int32_t, RowBuffer::most_rows> starts;
    std::uint64_t reroutings = 0;

    // Whether rows still go these ways.
    [[nodiscard]] bool hold(const Tree&) const noexcept;
};

// Learning calls must not overlap each other; reading calls may overlap anything.
//
// A learning call that throws leaves a whole tree: as it was, or as after some of its rows. There are
// two exceptions, after which `unfinished` is true and the tree can only be discarded: what a function
// of the user throws, and LimitTooLow.
class Tree {
public:
    // What a tree counts for itself. It does not follow the layout of the class: a change of that must
    // not change what a memory limit does to a model.
    static constexpr std::size_t object_bytes = 3400;

    explicit Tree(const TreeSettings&);
    ~Tree();
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    // The schema grows: features get the next places, classes the next codes.
    void add_features(const std::vector<Kind>&);
    // Counts as seen from now on, for the range of gains.
    void declare_classes(std::size_t count);

    // Takes over the inner nodes of a batch tree; only before anything was learned.
    // Throws std::invalid_argument unless the seed is a tree.
    void seed(const Seed&);
    // The rows to come were learned before.
    void begin_pass();

    // What the names outside hold, in bytes: of features and all else at once; of the next
    // classes or categories from the row on that brings them.
    void add_names(std::size_t bytes);
    void expect_classes(const std::vector<std::uint32_t>& bytes);
    void expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes);
    // The rows that were to bring the names do not come. `bytes`: of those that have not come.
    void expect_nothing(std::size_t bytes) noexcept;
    // Whether an error broke out of the middle of a row.
    [[nodiscard]] bool unfinished() const noexcept { return unfinished_; }
    // At most what these allocate, and the next row after them; what is set aside before them.
    [[nodiscard]] std::size_t most_of_rows(std::size_t rows) const noexcept;
    [[nodiscard]] std::size_t most_of_features(const std::vector<Kind>&) const noexcept;
    [[nodiscard]] std::size_t most_of_classes(std::size_t count) const noexcept;

    // Holds from now on. LimitTooLow, and nothing is changed, if it cannot.
    void set_max_bytes(std::size_t);
    [[nodiscard]] bool fits_in(std::size_t limit) const;
    // A limit that the tree as it is fits, with no leaf active, and goes on fitting while its
    // classes become so many and the names come that are expected.
    [[nodiscard]] std::size_t needed_bytes(std::size_t classes = 0) const;
    // What a tree with this schema needs at least: one leaf that has seen two classes.
    [[nodiscard]] std::size_t least_bytes() const;
    // Whether so many more bytes of names are sure to fit, and an example with distributions
    // of so many numbers, whatever the rows bring.
    [[nodiscard]] bool surely_fits(std::size_t names, std::size_t numbers) const;

    // What predictions are chosen by from now on, and what an impurity that counts costs
    // counts: [predicted][true] among the first classes, 0 to 1.
    void set_costs(const double* matrix, std::size_t classes);

    // std::invalid_argument, naming the row, where a weight is too large to be forgotten exactly.
    // It does not depend on what was learned: batches make no difference.
    void demand_weights(const double* w, std::size_t rows) const;
    // A label or weight of a row that is not learned: y < 0 or w = 0. `w` may be null.
    // `stop` ends a call between two rows, which throws Stopped.
    void learn(const Batch&, const std::int32_t* y, const double* w, Stop* stop = nullptr);
    void prequential(const Batch&, const std::int32_t* y, const double* w, const Answers&,
                     Stop* stop = nullptr);
    // With a `moment`, which is filled, one state predicts all rows, and learners wait for it.
    void predict(const Batch&, const Answers&, Stop* stop = nullptr, Moment* moment = nullptr) const;

    [[nodiscard]] TreeSettings settings() const { return {growth_.settings(), chosen_}; }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return growth_.settings().max_bytes; }
    [[nodiscard]] std::size_t n_features() const;
    [[nodiscard]] std::size_t n_classes() const;
    // Categories of a feature that rows have brought; 0 for a numeric one.
    [[nodiscard]] std::size_t n_categories(std::size_t feature) const;
    [[nodiscard]] std::size_t n_nodes() const;
    [[nodiscard]] std::size_t n_leaves() const;
    [[nodiscard]] std::size_t depth() const;
    [[nodiscard]] std::uint64_t seen() const;
    [[nodiscard]] std::size_t memory_bytes() const;
    [[nodiscard]] std::size_t n_active_leaves() const;
    [[nodiscard]] double delta_spent() const;  // by all checks so far
    [[nodiscard]] std::uint32_t passes() const;  // over the data, the first included
    // Those of splits and changes after the tree had learned this many examples. The last
    // most_changes are kept.
    [[nodiscard]] std::vector<Certificate> certificates(std::optional<std::uint64_t> since = {}) const;
    [[nodiscard]] std::vector<Change> changes(std::uint64_t since = 0) const;
    [[nodiscard]] std::vector<LeafState> leaf_states() const;
    [[nodiscard]] std::array<std::uint64_t, n_change_kinds> change_totals() const;

    // With the path of a row, if one is given.
    [[nodiscard]] Description describe(const Batch* row = nullptr) const;
    [[nodiscard]] Snapshot snapshot() const;
    // Throws std::invalid_argument, naming what is wrong, unless the snapshot is
    // that of a tree which learning could have made.
    [[nodiscard]] static std::unique_ptr<Tree> restore(const TreeSettings&, const Snapshot&);

private:
    friend class Turn;
    friend struct Routes;

    // The row loop. `plain`: no limit of memory, and no leaf keeps more than statistics.
    template <class Policy, bool predicting, bool plain>
    void run(const Policy&, const Batch&, const std::int32_t* y, const double* w, const Answers&,
             Stop*);
    template <bool predicting>
    void run(const Batch&, const std::int32_t* y, const double* w, const Answers&, Stop*);
    // The next row that has uncertain values; `certain`: its other values.
    [[gnu::noinline]] void run_uncertain(const UncertainRows&, Spread&, const Batch&,
                                         const Row& certain, std::int32_t y, double w,
                                         const Answers*);
    void route(const RowBuffer&, std::size_t rows, Routes&) const noexcept;
    // One row of a tree that only grows, and of one that follows change.
    template <class Policy, bool plain>
    Predicted step(const Policy&, std::int32_t start, const Row&, std::size_t y, RowWeight,
                   const RowRequest&, bool again);
    Predicted step(std::int32_t start, const Row&, std::size_t y, RowWeight, const RowRequest&, bool again);
    // Bytes to be set aside before a row.
    [[nodiscard]] std::size_t reserve_bytes() noexcept;
    // Does the rows of a block, all of them or up to one during which memory ran out. Then it
    // throws std::bad_alloc.
    template <class OfRow>
    void each_row(std::size_t n, const OfRow&);
    void predict(std::int32_t start, const Row&, const Answers&, std::size_t row);
    [[nodiscard]] std::vector<std::int32_t> path(const Batch&) const;
    [[nodiscard]] bool replaces() const noexcept { return adaptation_->traits().replaces; }

    Growth growth_;
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
