// The streaming tree: routes, answers, learns and grows, row by row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "../check/check.hpp"
#include "../data/batch.hpp"
#include "../data/limits.hpp"
#include "../data/predictions.hpp"
#include "../memory/account.hpp"
#include "../memory/expected_names.hpp"
#include "../memory/limit_too_low.hpp"
#include "../memory/reserve.hpp"
#include "archived.hpp"
#include "change.hpp"
#include "example_window.hpp"
#include "leaves.hpp"
#include "limit.hpp"
#include "nodes.hpp"
#include "pace.hpp"
#include "settings.hpp"
#include "short_memory.hpp"
#include "side.hpp"
#include "stop.hpp"
#include "turnstile.hpp"

namespace riparian {

struct Description;
struct Seed;
struct Snapshot;

// Far above what a model needs; a file that says more is damaged.
inline constexpr std::size_t most_window = std::size_t{1} << 30;

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

// Gives a snapshot of an older format what later ones hold besides.
void fill_later_arrays(const Settings&, Snapshot&);
// The same for format 2.
void fill_passes(Snapshot&);
void fill_arrays_since_3(Snapshot&);

// Places in lists of classes for so many of them.
[[nodiscard]] std::size_t room_for_classes(std::size_t count) noexcept;

// What a prediction has prepared for the leaf that is to learn the row.
struct Prepared {
    const Row* row = nullptr;  // as the leaf tracks it
    double* range = nullptr;   // the leaf's planes, where it keeps none
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

    explicit Tree(const Settings&);
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

    // What answers are chosen by from now on, and what an impurity that counts costs
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

    // Row by row, for a forest, while it holds the tree: nobody else asks or learns. What
    // `find_starts` gives is good until `reroutings` counts on.
    [[nodiscard]] auto hold() const { return turnstile_.writing(); }
    [[nodiscard]] RowBuffer buffer_of(const Batch& batch) const {
        return {batch, features(), shape()};
    }
    [[nodiscard]] bool reads(const RowBuffer& buffer) const noexcept { return buffer.reads(shape()); }
    void find_starts(const RowBuffer&, std::size_t n, std::int32_t* starts) const noexcept;
    [[nodiscard]] std::uint64_t reroutings() const noexcept { return reroutings_; }
    // `shares`: room for the class probabilities, of this width, or null.
    struct Shares {
        double* shares = nullptr;
        std::size_t width = 0;
    };
    // The class of a row.
    std::int32_t predict_row(std::int32_t start, const Row&, const Shares&);
    // The weight of a row. `learned` counts in the statistics. `before` of it counts when leaf
    // predictors are judged before the row is learned; the rest counts afterwards.
    struct Weight {
        double learned = 1.0;
        double before = 1.0;
    };
    // Of a row that stands for this many equal ones.
    [[nodiscard]] static Weight repeated(double w) noexcept { return {w, std::min(w, 1.0)}; }
    // The class predicted before the row was learned, and after, if `again` asks for it.
    struct Predicted {
        std::int32_t before = no_answer;
        std::int32_t after = no_answer;
    };
    Predicted predict_and_learn(std::int32_t start, const Row&, std::size_t y, Weight,
                                const Shares&, bool again);
    // Learns a row without a prediction.
    void learn_row(std::int32_t start, const Row&, std::size_t y, double w);
    // Where the examples of a short memory are that the tree does not hold: those that it has
    // learned among the last ones, from the oldest on.
    using Recaller = std::function<void(const Row&, std::size_t y, double w)>;
    using Elsewhere = std::function<void(const Recaller&)>;
    void recall_from(Elsewhere held) { elsewhere_ = std::move(held); }

    [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return settings_.max_bytes; }
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
    [[nodiscard]] static std::unique_ptr<Tree> restore(const Settings&, const Snapshot&);

private:
    // `plain`: no limit of memory, and no leaf keeps more than statistics, nor waits for
    // another weight than the grace period.
    template <class Policy, bool answering, bool plain>
    void run(const Policy&, const Batch&, const std::int32_t* y, const double* w, const Answers&,
             Stop*);
    template <bool answering>
    void run(const Batch&, const std::int32_t* y, const double* w, const Answers&, Stop*);
    [[nodiscard]] std::size_t held_bytes() const noexcept {
        return structure_.held + leaves_.account().held + working_.held;
    }
    // The same before a row.
    [[nodiscard]] std::size_t reserve_bytes() noexcept;
    // Does the rows of a block, all of them or up to one during which memory ran out. Then it
    // throws std::bad_alloc.
    template <class OfRow>
    void each_row(std::size_t n, const OfRow&);
    template <class Policy>
    void answer(const Policy&, std::int32_t start, const Row&, Asking&, const Answers&,
                std::size_t row) const;
    // Where options lead a row: roots of subtrees, and the nodes that it ends at in them.
    struct Reached {
        Held<std::int32_t> roots, ends;
        Held<double> one, all;  // [class]: of an end, and their mean

        void fit(std::size_t classes) {
            one.resize(classes);
            all.resize(classes);
        }
    };
    void reach(const Row&, Reached&) const;
    template <class Predict>
    void vote(Reached&, Predict&&) const;
    template <class Policy>
    void answer_by_all(const Policy&, const Row&, Asking&, Reached&, const Answers&,
                       std::size_t row) const;
    // Answers as the ends of a row do before they learn it, and notes who was right.
    std::int32_t observe_all(const Row&, std::size_t y, double w);
    template <bool plain>
    void learn(std::int32_t node, const Row&, std::size_t y, double w, Prepared = {});
    template <bool plain>
    void count(std::size_t place, const Row&, std::size_t y, double w, const Prepared& = {});
    void learn_limited(std::size_t place, const Row&, std::size_t y, double w);
    bool count_limited(std::size_t place, const Row&, std::size_t y, double w);
    template <bool plain>
    void check_if_due(std::size_t place);

    [[nodiscard]] const Features& features() const noexcept { return nodes_.features(); }
    [[nodiscard]] const Shape& shape() const noexcept { return leaves_.shape(); }
    [[nodiscard]] Node& at(std::int32_t id) noexcept { return nodes_.at(id); }
    [[nodiscard]] const Node& at(std::int32_t id) const noexcept { return nodes_.at(id); }
    [[nodiscard]] LeafNumbers& numbers(std::int32_t node) noexcept {
        return leaves_[static_cast<std::size_t>(at(node).place)].numbers;
    }
    // [class]: the weight that the split above estimated for a node.
    [[nodiscard]] const double* estimated(std::int32_t node) const noexcept;
    // As Nodes::route(), but a category without a branch gets one.
    std::int32_t route_learning(std::int32_t start, const Row&);
    std::int32_t route_on(std::int32_t start, const Row&);
    [[nodiscard]] LeafView view(std::int32_t node) const noexcept;
    // A leaf, and the row with the features that the leaf tracks.
    struct LeafAndRow {
        LeafView leaf;
        Row row;
    };
    [[nodiscard]] LeafAndRow leaf_and_row(std::int32_t node, const Row&, Asking&) const;
    [[nodiscard]] std::vector<std::string_view> predictors() const;
    [[nodiscard]] std::vector<std::int32_t> path(const Batch&) const;
    [[nodiscard]] LeafCase leaf_case(const NodeRecord& leaf, CaseRoom& room) const {
        return leaf_case(leaf, room, settings_);
    }
    [[nodiscard]] LeafCase leaf_case(const NodeRecord&, CaseRoom&, const Settings&) const;
    void note_known(const Row&);
    void add_class(std::size_t y);
    void add_category(std::size_t slot, std::int32_t code);
    void add_categories(const Row&);
    void fix_cuts(std::size_t place);
    void drop_poor(std::size_t place);
    void after_check(std::size_t place, const Decision&);
    [[nodiscard]] bool may_split(const NodeRecord&) const noexcept;
    // Weight from one check of a leaf to the next.
    [[nodiscard]] double delay(std::size_t place) const noexcept {
        return leaves_.delay(place, settings_.grace_period);
    }

    void make_room_in_lists(std::size_t children);
    std::int32_t add_node(std::int32_t parent, std::int32_t branch, Role role = Role::child);
    std::int32_t add_branch(std::int32_t node, std::int32_t category);
    void open_leaf(std::int32_t node, std::size_t place, bool active = true);
    void check(std::size_t place);
    void leave_room() noexcept;
    // The same, and of the lists that last for a row.
    void give_back_room();
    // In a list that lasts for a row.
    void note(Held<std::int32_t>& list, std::int32_t id) {
        const Charge charge(working_);
        list.push_back(id);
    }
    void split(std::size_t place, const Decision&);
    // The same with the class weights of the branches, [branch][class_stride].
    void split(std::size_t place, const Decision&, const std::vector<double>& table);
    void certify(std::int32_t node, const Decision&);
    [[nodiscard]] std::size_t most_rivals() const noexcept {
        return settings_.lean ? 1 : Ranking::most - 1;
    }
    void forget_certificate(std::int32_t node);
    void recall(std::int32_t node);
    void recall(std::int32_t child, const Row&, std::size_t y, double w);
    void reshape(const Shape&);
    void allow_labels() noexcept;

    // Uncertain values (scatter.cpp), in trees whose leaves judge no rows and have no short
    // memory.
    template <class Pass, class Way, class Arrive>
    void scatter(Spread&, Pass&&, Way&&, Arrive&&) const;
    template <class Way>
    double fan_out(Spread&, std::size_t value, const Spread::Waiting&, Way&&) const;
    bool halve(Spread&, std::size_t value, Spread::Waiting&) const;
    [[nodiscard]] LeafView view_of(std::int32_t node) const noexcept;
    void run_uncertain(const Batch&, const std::int32_t* y, const double* w, const Answers&, Stop*);
    void predict_certain(const Batch&, const Answers&, const BlockLocks&, Stop*) const;
    void predict_uncertain(const Batch&, const Answers&, const BlockLocks&, Stop*) const;
    void answer(Spread&, AnswerScratch&, const Answers&, std::size_t row) const;
    void learn(Spread&, std::size_t y, double w);
    void arrive(const Spread&, std::size_t y);
    [[nodiscard]] bool observes() const noexcept;
    void observe(std::int32_t leaf, Spread&, std::size_t y, double w);
    void observe_again(std::int32_t leaf, Spread&, std::size_t y, double share, double w);
    // What a share of an example weighs: in steps where examples are forgotten.
    [[nodiscard]] double part_of(double share, double w) const noexcept {
        return settings_.forgets() ? in_steps(share * w) : share * w;
    }
    // The weight of one part after the other, likewise.
    template <class Learn>
    void each_part(Spread&, double w, Learn&&) const;
    // At a leaf, or a node that keeps statistics; false: it is inactive.
    bool learn_parts(std::int32_t node, Spread&, std::size_t y, double w);
    void explore(Spread&, std::int32_t root, double share, std::size_t y, double w, bool judged);
    void learn_below(Spread&, std::int32_t node, double share, std::size_t y, double w);
    void retrace(Spread&, std::uint64_t number) const;
    void follow(const Fixed&, Spread&, std::size_t y, double w);
    void follow(const Alternates&, Spread&, std::size_t y, double w);
    void follow(const Reevaluation&, Spread&, std::size_t y, double w);
    void follow(const Options&, Spread&, std::size_t y, double w);
    void follow(const Window&, Spread&, std::size_t y, double w);

    // Following change (adapt.cpp, graft.cpp).
    [[nodiscard]] std::vector<std::int32_t> numbers() const;
    void run_adapting(const Batch&, const std::int32_t* y, const double* w, const Answers&, Stop*);
    std::int32_t adapt(std::int32_t start, const Row&, std::size_t y, double w);
    template <class Policy>
    Predicted predict_and_learn(const Policy&, std::int32_t start, const Row&, std::size_t y,
                                Weight, const Shares&, bool again);
    std::int32_t follow(const Fixed&, std::int32_t start, const Row&, std::size_t y, double w);
    std::int32_t follow(const Alternates&, std::int32_t start, const Row&, std::size_t y, double w);
    std::int32_t follow(const Reevaluation&, std::int32_t start, const Row&, std::size_t y, double w);
    std::int32_t follow(const Options&, std::int32_t start, const Row&, std::size_t y, double w);
    void consider_option(const Options&, std::int32_t node);
    [[nodiscard]] std::vector<double> branches_of(std::int32_t node) const;
    // How many leaves one row may reach: from every node, counted from the tree as it is.
    void count_paths() noexcept;
    // The paths of the parent if those of a node were so many, not fewer than they are.
    [[nodiscard]] std::int32_t paths_above(std::int32_t node, std::int32_t paths) const noexcept;
    // From the root, with one more option at a node.
    [[nodiscard]] std::size_t paths_with_option(std::int32_t node) const noexcept;
    void count_option(std::int32_t node) noexcept;
    // Whether a node may still use its statistics. It does not where no option can begin any more.
    [[nodiscard]] bool uses_statistics(std::int32_t node) const noexcept;
    std::int32_t follow(const Window&, std::int32_t start, const Row&, std::size_t y, double w);
    void open_lists();
    // The inner nodes from a leaf up to a root, to path_.
    void trace(std::int32_t leaf, std::int32_t root);
    bool judge(const Alternates&, std::int32_t node, bool wrong);
    // Learns a row at an inner node that keeps statistics; false: it is inactive.
    bool learn_inside(std::int32_t node, const Row&, std::size_t y, double w);
    // Whether an inner node still makes the best of its examples; true: its children are new,
    // or gone.
    bool reconsider(std::int32_t node);
    void prune(std::int32_t node);
    void move_cut(std::int32_t node, const Decision&);
    [[nodiscard]] Adwin::Parameters monitor_parameters() const noexcept;
    void note_error(std::int32_t node, bool wrong);
    // Answers as the leaf does before it learns the row, and notes who was right.
    std::int32_t observe(std::int32_t leaf, const Row&, std::size_t y, double w);
    void answer(std::int32_t start, const Row&, const Answers&, std::size_t row);
    // What a row brings to the whole tree; after it was answered.
    void arrive(const Row&, std::size_t y);
    void arrive_here(const Row&, std::size_t y);
    void learn_at(std::int32_t leaf, const Row&, std::size_t y, double w);
    // What a node with a test makes of a row, where nobody answers.
    void count_inside(std::size_t place, const Row&, std::size_t y, double w);
    // Where the statistics of a node are; none: it keeps none.
    [[nodiscard]] std::int32_t record(std::int32_t id) const noexcept {
        if (at(id).test == Test::leaf) return at(id).place;
        return sides_.empty() ? none : side(id).record;
    }
    [[nodiscard]] Side& side(std::int32_t id) noexcept { return sides_[static_cast<std::size_t>(id)]; }
    [[nodiscard]] const Side& side(std::int32_t id) const noexcept {
        return sides_[static_cast<std::size_t>(id)];
    }
    // Whether rows are answered below a node.
    [[nodiscard]] bool answers(std::int32_t id) const noexcept {
        return settings_.has_options() || nodes_.fragment(id) == 0;
    }
    [[nodiscard]] std::size_t answering_leaves() const;
    // How many would answer if the tree of this node took its place.
    [[nodiscard]] std::size_t leaves_with(std::int32_t id) const;
    std::int32_t attach(std::int32_t owner, Role);
    void detach(std::int32_t root);
    void drop(std::int32_t beside);
    void promote(std::int32_t owner, std::int32_t root);
    void compact();
    // Before it happens: where a node is, and what is there.
    [[nodiscard]] Change change_at(std::int32_t node) const;
    void log_change(const Change&);
    // Before it happens: what is at a node, and what will be.
    void log_change(ChangeKind, std::int32_t node, const Cut& after, std::uint32_t leaves_after,
                    Standing ours, Standing theirs, double bound);
    void count_change(ChangeKind kind) noexcept { ++change_totals_[static_cast<std::size_t>(kind)]; }

    // A window of examples (window.cpp).
    template <class Visit>
    void each_that_learned(const Row&, std::uint64_t number, Visit&&);
    void remember(const Row&, std::size_t y, double w);
    void remember(Spread&, std::size_t y, double w);
    void forget_down_to(std::size_t examples);
    void forget_oldest();
    void forget_oldest(Spread&);
    void shorten(std::size_t limit, std::size_t numeric, std::size_t categorical);
    void make_room_to_remember(std::size_t numbers);
    void count_anew_if_due();
    void forget_at(std::int32_t node, const Row&, std::size_t y, double w, std::uint64_t number);
    void count_anew();
    void relearn_window(std::uint64_t from, std::int32_t least);
    void relearn(std::int32_t node, const Row&, std::size_t y, double w);
    void note_tests(const Window&, std::int32_t node, bool wrong, double w);
    void conclude_test(const Window&, std::int32_t node);
    void check_all_splits(const Window&);
    [[nodiscard]] bool may_have_beside(std::int32_t node) const noexcept;
    [[nodiscard]] bool is_doubtful(std::int32_t node, const Decision&) const;
    bool start_beside(std::int32_t node, const Decision&);
    void tidy_trial(std::int32_t node);
    // What was replaced (archive.cpp).
    void archive(const Window&, std::int32_t node);
    bool bring_back(const Window&, std::int32_t node);
    bool bring_back(const Window&, const Archived&);
    void plant(const Archived&, std::uint64_t since);
    void give_up_archived(std::size_t);
    [[nodiscard]] std::size_t archive_bytes() const noexcept;
    void set_window(std::size_t);
    void make_room_for_wider(std::size_t numeric, std::size_t categorical);
    // How many examples fit beside all else, with so many numbers of distributions among
    // them, and what is set aside for them.
    [[nodiscard]] std::size_t window_fits(std::size_t limit, std::size_t numeric,
                                          std::size_t categorical,
                                          std::size_t numbers) const noexcept;
    [[nodiscard]] std::size_t window_reserve() const noexcept;
    // The shortest that there may be, and the limit that has room for it and so much besides.
    [[nodiscard]] std::size_t least_window(std::size_t numeric, std::size_t categorical) const noexcept;
    [[nodiscard]] std::size_t beside_window(std::size_t bytes) const noexcept;

    // What it holds, and room for more (room.cpp).
    [[nodiscard]] bool limited() const noexcept { return settings_.max_bytes != SIZE_MAX; }
    // What never goes away again: the structure, and what examples are to take.
    [[nodiscard]] std::size_t lasting() const noexcept {
        const std::size_t reserve = window_reserve(), held = examples_.bytes();
        return structure_.held + memory_.to_come() + (reserve > held ? reserve - held : 0);
    }
    // What it may become. The short memory does not grow with the tree, and comes on top.
    [[nodiscard]] std::size_t most_lasting(bool answers = false) const noexcept;
    [[nodiscard]] bool may_shrink_to(std::size_t limit) const noexcept;
    [[nodiscard]] std::size_t needed(std::size_t more, std::size_t classes = 0) const noexcept;
    [[nodiscard]] std::size_t bytes_of_classes(std::size_t stride) const noexcept;
    [[nodiscard]] Limit::Usage usage() const noexcept;
    [[nodiscard]] std::size_t free_bytes() const noexcept;
    [[nodiscard]] std::size_t growth(std::size_t branches, std::size_t splits) const noexcept;
    // Whether the structure may grow; that of a tree that answers leaves room for others.
    [[nodiscard]] bool may_add(std::size_t bytes, bool answers = false) const noexcept;
    [[nodiscard]] double promise(std::int32_t node) const noexcept;
    void settle() noexcept;
    // `classes`: the number of them that it is for, if it is.
    void demand_structure(std::size_t more, std::size_t classes = 0);
    void add_to_structure(std::size_t bytes);
    bool make_room_for(std::size_t bytes, std::int32_t keep);
    // For new leaves, which take so many bytes besides their statistics.
    enum class Room { none, inactive, active };
    Room make_room_for_leaves(std::size_t bytes, std::size_t leaves, std::int32_t keep);
    void rank(std::size_t need, std::int32_t keep);
    void activate(std::size_t place);
    void open_statistics(std::size_t place);
    void draw_features(std::size_t place);
    void draw_first();
    void inherit(std::size_t place, const PredictorState& of_parent);
    void learn_inactive(std::size_t place, double w);
    void reshape_leaves(const Shape& from);
    void widen_estimates(std::size_t from);

    void restore_nodes(const Snapshot&);
    void restore_leaves(const Snapshot&);
    void restore_extras(const Snapshot&);
    void restore_states(const Snapshot&);
    void restore_certificates(const Snapshot&);
    void restore_sides(const Snapshot&);
    void restore_changes(const Snapshot&);
    void restore_memory(const Snapshot&);
    void restore_window(const Snapshot&);
    class Reader;
    [[nodiscard]] std::vector<double> read_distributions(const Row&, Reader&,
                                                         const std::string& where) const;
    void restore_archive(const Snapshot&);
    void save_archive(Snapshot&) const;
    void restore_archived_nodes(const Snapshot&, std::size_t first, std::size_t n, Archived&,
                                const std::string& where) const;
    void demand_split(const Split&, Test, const std::string& where) const;
    [[nodiscard]] Rival demand_rival(const Snapshot&, std::uint8_t test, std::int32_t feature,
                                     double threshold, std::int32_t category, double gain,
                                     const std::string& where) const;
    void demand_example(const Row&, std::int32_t label, double w, const std::string& where) const;
    void restore_kept(std::size_t place, const Snapshot&);

    // Every byte of the tree is on one of these, what stays and the room of the last check, or on
    // the account of the leaves.
    Account structure_, working_;
    Limit limit_;

    Settings settings_;
    Held<std::int32_t> categories_;  // [categorical slot]: values seen so far
    Nodes nodes_;
    Leaves leaves_;
    Held<Side> sides_;  // [node], where the tree follows change
    std::uint64_t born_ = 0;  // nodes made so far
    std::size_t n_leaves_ = 0;  // that answer
    std::uint64_t draws_ = 0;  // of features, by leaves
    Costs costs_;  // that answers are chosen by; or none
    ShortMemory memory_;
    Elsewhere elsewhere_;
    ExampleWindow examples_;
    std::size_t window_ = 0;  // how many there may be
    std::size_t fits_ = 0;    // the same below the limit of memory
    std::uint64_t forgotten_ = 0;  // since statistics were counted anew
    Held<Archived> archive_;       // the oldest first
    std::uint64_t archived_ = 0;   // so far
    Held<double> estimates_;  // [node][class_stride]: inherited, before recall()
    Held<Change> changes_;  // the oldest first
    std::array<std::uint64_t, n_change_kinds> change_totals_{};
    Held<Split> splits_;
    Held<Rival> rivals_;  // of all splits, one after the other
    double spent_ = 0.0;
    std::uint32_t passes_ = 1;
    Held<std::uint8_t> known_;  // [feature] 1: a row had a value for it
    std::size_t n_known_ = 0;
    std::uint64_t seen_ = 0;
    std::size_t n_classes_ = 0;

    // No leaf keeps more than statistics, nor waits for another weight than the grace period.
    bool plain_ = true;
    ExpectedNames class_names_;
    std::vector<ExpectedNames> category_names_;  // [categorical slot], as far as any are to come

    // Roots of subtrees that were given up; they go at the end of the row.
    Held<std::int32_t> given_up_;
    std::uint64_t reroutings_ = 0;  // how often rows came to go other ways than before
    Held<std::int32_t> path_, fragments_;  // of the row at hand
    Held<std::int32_t> tested_;  // nodes whose test ends with it
    Held<std::int32_t> walks_;   // roots, of a row of the window
    Reached reached_;            // by the row at hand, with options

    Checker checker_;
    Asking scratch_;
    CaseRoom case_room_;
    GatheredRow gathered_;
    Reserve reserve_;
    std::size_t reserve_for_ = SIZE_MAX, row_bytes_ = 0;  // bytes held when this was worked out
    Pace pace_{RowBuffer::most_rows};
    bool unfinished_ = false;
    mutable Turnstile turnstile_;
};

template <class OfRow>
void Tree::each_row(std::size_t n, const OfRow& of_row) {
    unfinished_ = true;
    for (std::size_t i = 0; i < n && !reserve_.used(); ++i) of_row(i);
    unfinished_ = false;
    if (reserve_.used()) throw std::bad_alloc();
}

template <class Learn>
void Tree::each_part(Spread& spread, double w, Learn&& learn) const {
    if (!settings_.forgets()) {
        spread.each_part([&](const Row& part, double share) { learn(part, w * share); });
        return;
    }
    SharesInSteps shares(w);
    spread.each_part([&](const Row& part, double share) {
        if (const double weight = shares.next(share); weight > 0.0) learn(part, weight);
    });
}

// Visits the nodes that have learned an example of the window. It went down the branch for
// missing values where its own did not exist yet; where another subtree has taken the place of
// what it met there, nobody has learned it.
template <class Visit>
void Tree::each_that_learned(const Row& row, std::uint64_t number, Visit&& visit) {
    walks_.clear();
    note(walks_, 0);
    for (std::size_t f = 0; f < walks_.size(); ++f) {
        std::int32_t i = walks_[f];
        while (side(i).since <= number) {
            visit(i);
            for (std::int32_t b = side(i).first; b != none; b = side(b).next) note(walks_, b);
            if (at(i).test == Test::leaf) break;
            const std::int32_t next = nodes_.step(i, row);
            i = next == none || side(next).there > number ? at(i).heavy : next;
        }
    }
}

}  // namespace riparian
