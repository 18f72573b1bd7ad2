// A tree that grows: its nodes, what its leaves keep, checks and splits, and the room for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../check/check.hpp"
#include "../data/limits.hpp"
#include "../data/predictions.hpp"
#include "../data/uncertain.hpp"
#include "../data/weight_steps.hpp"
#include "../memory/account.hpp"
#include "../memory/expected_names.hpp"
#include "../memory/limit_too_low.hpp"
#include "../settings.hpp"
#include "certificates.hpp"
#include "hooks.hpp"
#include "leaves.hpp"
#include "limit.hpp"
#include "nodes.hpp"
#include "short_memory.hpp"

namespace riparian {

struct Seed;
struct Sizes;

// Places in lists of classes for so many of them.
[[nodiscard]] std::size_t room_for_classes(std::size_t count) noexcept;

// What a prediction has prepared for the leaf that is to learn the row.
struct Prepared {
    const Row* row = nullptr;  // as the leaf tracks it
    double* range = nullptr;   // the leaf's planes, where it keeps none
};

// Where a row ends that several leaves predict together.
struct Ends {
    Held<std::int32_t> roots, nodes;  // of subtrees, and where it ends in each
    Held<double> one, all;            // [class]: of one end, and their mean

    void fit(std::size_t classes) {
        one.resize(classes);
        all.resize(classes);
    }
};

class Growth {
public:
    // `object_bytes`: what the tree counts for itself.
    Growth(const Settings&, std::size_t object_bytes);
    Growth(const Growth&) = delete;
    Growth& operator=(const Growth&) = delete;
    // The root. The hooks are those of the tree's adaptation.
    void begin(GrowthHooks&);

    // ---- what there is ----

    [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
    [[nodiscard]] Nodes& nodes() noexcept { return nodes_; }
    [[nodiscard]] const Nodes& nodes() const noexcept { return nodes_; }
    [[nodiscard]] Leaves& leaves() noexcept { return leaves_; }
    [[nodiscard]] const Leaves& leaves() const noexcept { return leaves_; }
    [[nodiscard]] Certificates& certificates() noexcept { return certificates_; }
    [[nodiscard]] const Certificates& certificates() const noexcept { return certificates_; }
    [[nodiscard]] const Features& features() const noexcept { return nodes_.features(); }
    [[nodiscard]] const Shape& shape() const noexcept { return leaves_.shape(); }
    [[nodiscard]] Node& at(std::int32_t id) noexcept { return nodes_.at(id); }
    [[nodiscard]] const Node& at(std::int32_t id) const noexcept { return nodes_.at(id); }
    [[nodiscard]] const Held<std::int32_t>& categories() const noexcept { return categories_; }
    [[nodiscard]] std::uint64_t seen() const noexcept { return seen_; }
    [[nodiscard]] std::size_t n_classes() const noexcept { return n_classes_; }
    [[nodiscard]] std::size_t n_leaves() const noexcept { return n_leaves_; }
    [[nodiscard]] double spent() const noexcept { return spent_; }
    [[nodiscard]] std::uint32_t passes() const noexcept { return passes_; }
    [[nodiscard]] const Costs& costs() const noexcept { return costs_; }
    // Accounts of what stays and of the room of the last check; that of statistics is with leaves.
    [[nodiscard]] Account& structure() noexcept { return structure_; }
    [[nodiscard]] Account& working() noexcept { return working_; }
    [[nodiscard]] std::size_t held_bytes() const noexcept {
        return structure_.held + leaves_.account().held + working_.held;
    }
    // Where the statistics of a node are; none: it keeps none.
    [[nodiscard]] std::int32_t record(std::int32_t id) const noexcept {
        return at(id).test == Test::leaf ? at(id).place : hooks_->record(id);
    }
    // [class]: the weight that the split above estimated for a node.
    [[nodiscard]] const double* estimated(std::int32_t node) const noexcept;
    // Weight from one check of a leaf to the next.
    [[nodiscard]] double delay(std::size_t place) const noexcept {
        return leaves_.delay(place, settings_.grace_period);
    }
    [[nodiscard]] bool may_split(const NodeRecord&) const noexcept;
    // [node]: the name of the predictor of every leaf.
    [[nodiscard]] std::vector<std::string_view> predictors() const;
    // No leaf keeps more than statistics, nor waits for another weight than the grace period, and
    // there is no limit of memory.
    [[nodiscard]] bool plain() const noexcept { return plain_ && !limited(); }

    // ---- the schema ----

    // Features get the next places, classes the next codes.
    void add_features(const std::vector<Kind>&);
    // The classes up to this one are known.
    void add_class(std::size_t y);
    // Bytes of the next names of classes or categories, from the row on that brings them.
    void expect_classes(const std::vector<std::uint32_t>& bytes) { class_names_.expect(bytes); }
    void expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes);
    void expect_nothing() noexcept;
    void set_costs(const double* matrix, std::size_t classes);
    // Takes over the inner nodes of a batch tree.
    void seed(const Seed&);
    void begin_pass() noexcept;

    // ---- rows ----

    // From a node down to a leaf; a category without a branch gets one.
    std::int32_t route_on(std::int32_t start, const Row&);
    std::int32_t route_learning(std::int32_t start, const Row&);
    // What a row brings to the whole tree; after it was predicted.
    void arrive(const Row&, std::size_t y);
    void arrive(const Spread&, std::size_t y);
    // Predicts as the leaf does before it learns the row, and notes who was right.
    std::int32_t observe(std::int32_t leaf, const Row&, std::size_t y, double w);
    void observe(std::int32_t leaf, Spread&, std::size_t y, double w);
    // The same after the leaf has learned a share of a row whose weight is more than 1.
    void observe_again(std::int32_t leaf, Spread&, std::size_t y, double share, double w);
    // Whether leaf predictors are observed at all.
    [[nodiscard]] bool observes() const noexcept;
    // Learns a row at its leaf.
    template <bool plain>
    void learn(std::int32_t leaf, const Row&, std::size_t y, double w, Prepared = {});
    void learn_at(std::int32_t leaf, const Row&, std::size_t y, double w);
    // Learns a row at an inner node that keeps statistics; false: it is inactive.
    bool learn_inside(std::int32_t node, const Row&, std::size_t y, double w);
    // At either, in parts; false: it is inactive.
    bool learn_parts(std::int32_t node, Spread&, std::size_t y, double w);
    // What a share of an example weighs: in steps where examples are forgotten.
    [[nodiscard]] double part_of(double share, double w) const noexcept {
        return hooks_->traits().forgets ? in_steps(share * w) : share * w;
    }
    // The parts of an example and what they weigh, likewise.
    template <class Learn>
    void each_part(Spread&, double w, Learn&&) const;
    // The same again, after all was cleared that a node keeps.
    void relearn(std::int32_t node, const Row&, std::size_t y, double w);
    // Where the examples of a short memory are that the tree does not hold: those that it has
    // learned among the last ones, from the oldest on.
    using Recaller = std::function<void(const Row&, std::size_t y, double w)>;
    using Elsewhere = std::function<void(const Recaller&)>;
    void recall_from(Elsewhere held) { elsewhere_ = std::move(held); }

    // ---- predictions ----

    // A leaf as its predictor sees it, and the row with the features that the leaf tracks.
    struct LeafAndRow {
        LeafView leaf;
        Row row;
    };
    [[nodiscard]] LeafView view(std::int32_t node) const noexcept;
    [[nodiscard]] LeafView view_of(std::int32_t node) const noexcept;  // the same, not in line
    [[nodiscard]] LeafAndRow leaf_and_row(std::int32_t node, const Row&, Asking&) const;
    [[nodiscard]] LeafNumbers& numbers(std::int32_t leaf) noexcept {
        return leaves_[static_cast<std::size_t>(at(leaf).place)].numbers;
    }
    template <class Policy>
    void predict(const Policy&, std::int32_t start, const Row&, Asking&, const Answers&,
                 std::size_t row) const;
    // The mean of several ends.
    template <class Policy>
    void predict(const Policy&, Ends&, const Row&, Asking&, const Answers&, std::size_t row) const;
    std::int32_t observe(Ends&, const Row&, std::size_t y, double w);
    // Those of a row with uncertain values: at a node, and of the whole tree.
    void probabilities(std::int32_t node, Spread&, AnswerScratch&, std::size_t n_classes,
                       double* out) const;
    void predict(Spread&, AnswerScratch&, const Answers&, std::size_t row) const;
    [[nodiscard]] Asking& scratch() noexcept { return scratch_; }
    // Sizes the room for predictions that are made outside.
    void fit(Asking&) const;

    // ---- growth ----

    // Adds a node without a test or a record.
    std::int32_t add_node(std::int32_t parent, std::int32_t branch, Role role = Role::child);
    std::int32_t add_branch(std::int32_t node, std::int32_t category);
    void open_leaf(std::int32_t node, std::size_t place, bool active = true);
    void open_statistics(std::size_t place);
    // For so many nodes more.
    void make_room_in_lists(std::size_t nodes);
    // Checks a node that keeps statistics.
    [[nodiscard]] Decision decide(std::size_t place);
    void split(std::size_t place, const Decision&);
    // The same with the class weights of the branches, [branch][class_stride].
    void split(std::size_t place, const Decision&, const std::vector<double>& table);
    [[nodiscard]] std::vector<double> branches_of_cut(std::size_t place, const Candidate&);
    void certify(std::int32_t node, const Decision&);
    void spend(double delta) noexcept { spent_ += delta; }
    [[nodiscard]] Checker& checker() noexcept { return checker_; }
    [[nodiscard]] CaseRoom& case_room() noexcept { return case_room_; }
    [[nodiscard]] LeafCase leaf_case(const NodeRecord& leaf, CaseRoom& room) const {
        return leaf_case(leaf, room, settings_);
    }
    [[nodiscard]] LeafCase leaf_case(const NodeRecord&, CaseRoom&, const Settings&) const;
    // A leaf more or fewer predicts; after subtrees have gone they are counted.
    void add_leaf() noexcept { ++n_leaves_; }
    void take_leaf() noexcept { --n_leaves_; }
    void count_leaves() { n_leaves_ = nodes_.predicting_leaves(); }
    // How many would predict if the subtree of this node took its place.
    [[nodiscard]] std::size_t leaves_with(std::int32_t id) const;

    // ---- room ----

    [[nodiscard]] bool limited() const noexcept { return settings_.max_bytes != SIZE_MAX; }
    // What never goes away again: the structure, and what examples are to take.
    [[nodiscard]] std::size_t lasting() const noexcept {
        return structure_.held + memory_.to_come() + hooks_->to_come();
    }
    [[nodiscard]] std::size_t free_bytes() const noexcept;
    // By how much the structure grows with new leaves, those of a split or one more branch.
    [[nodiscard]] std::size_t growth(std::size_t branches, std::size_t splits) const noexcept;
    // Whether the structure may grow; that of a tree that predicts leaves room for others.
    [[nodiscard]] bool may_add(std::size_t bytes, bool predicts = false) const noexcept;
    bool make_room_for(std::size_t bytes, std::int32_t keep);
    // After the structure has changed.
    void settle() noexcept;
    // Room for more that must be there; LimitTooLow before anything is changed. `classes`: the
    // number of them that it is for, if it is.
    void demand_structure(std::size_t more, std::size_t classes = 0);
    void add_to_structure(std::size_t bytes);
    // Gives back what the last check worked with.
    void leave_room() noexcept;
    [[nodiscard]] bool may_shrink_to(std::size_t limit) const noexcept;
    [[nodiscard]] std::size_t needed(std::size_t more, std::size_t classes = 0) const noexcept;
    [[nodiscard]] std::size_t least_bytes() const noexcept;
    [[nodiscard]] bool surely_fits(std::size_t names, std::size_t numbers) const noexcept;
    void set_max_bytes(std::size_t);
    // At most what these allocate, and the next row after them.
    [[nodiscard]] std::size_t most_of_rows(std::size_t rows) const noexcept;
    [[nodiscard]] std::size_t most_of_features(const std::vector<Kind>&) const noexcept;
    [[nodiscard]] std::size_t most_of_classes(std::size_t count) const noexcept;

    // ---- files ----

    void save(Snapshot&) const;
    // Into a tree that has learned nothing. std::invalid_argument, naming what is wrong, unless the
    // arrays are those of a tree which learning could have made.
    void restore(const Snapshot&, const Sizes&);
    // The limit comes last: what was below it is below it again.
    void restore_limit(const Snapshot&, std::size_t max_bytes);
    // Each of these throws unless the thing is possible; `where` begins the error.
    void demand_example(const Row&, std::int32_t label, double w, const std::string& where) const;
    void demand_split(const Split&, Test, const std::string& where) const;
    [[nodiscard]] Rival demand_rival(const Snapshot&, std::uint8_t test, std::int32_t feature,
                                     double threshold, std::int32_t category, double gain,
                                     const std::string& where) const;

private:
    enum class Room { none, inactive, active };

    void arrive_here(const Row&, std::size_t y);
    void note_known(const Row&);
    void add_category(std::size_t slot, std::int32_t code);
    void add_categories(const Row&);
    void reshape(const Shape&);
    void reshape_leaves(const Shape& from);
    void widen_estimates(std::size_t from);
    void allow_labels() noexcept;

    template <class Predict>
    void vote(Ends&, Predict&&) const;
    template <bool plain>
    void count(std::size_t place, const Row&, std::size_t y, double w, const Prepared& = {});
    void count_inside(std::size_t place, const Row&, std::size_t y, double w);
    void learn_limited(std::size_t place, const Row&, std::size_t y, double w);
    bool count_limited(std::size_t place, const Row&, std::size_t y, double w);
    void learn_inactive(std::size_t place, double w);
    template <bool plain>
    void check_if_due(std::size_t place);
    void recall(std::int32_t node);
    void recall(std::int32_t child, const Row&, std::size_t y, double w);

    void check(std::size_t place);
    void fix_cuts(std::size_t place);
    void drop_poor(std::size_t place);
    void after_check(std::size_t place, const Decision&);
    [[nodiscard]] std::size_t most_rivals() const noexcept {
        return settings_.lean ? 1 : Ranking::most - 1;
    }
    void activate(std::size_t place);
    void draw_features(std::size_t place);
    void draw_first();
    void inherit(std::size_t place, const PredictorState& of_parent);

    [[nodiscard]] std::size_t most_lasting(bool predicts = false) const noexcept;
    [[nodiscard]] std::size_t bytes_of_classes(std::size_t stride) const noexcept;
    [[nodiscard]] Limit::Usage usage() const noexcept;
    [[nodiscard]] double promise(std::int32_t node) const noexcept;
    // For new leaves, which take so many bytes in addition to their statistics.
    Room make_room_for_leaves(std::size_t bytes, std::size_t leaves, std::int32_t keep);
    void rank(std::size_t need, std::int32_t keep);

    void save_leaf(std::size_t place, Snapshot&) const;
    void restore_nodes(const Snapshot&);
    void restore_leaves(const Snapshot&);
    void restore_kept(std::size_t place, const Snapshot&);
    void restore_extras(const Snapshot&);
    void restore_states(const Snapshot&);
    void restore_memory(const Snapshot&);
    void restore_certificates(const Snapshot&);

    Account structure_, working_;
    Limit limit_;
    Settings settings_;
    GrowthHooks* hooks_ = nullptr;
    Held<std::int32_t> categories_;  // [categorical slot]: values seen so far
    Nodes nodes_;
    Leaves leaves_;
    Certificates certificates_;
    std::size_t n_leaves_ = 0;  // that predict
    std::uint64_t draws_ = 0;   // of features, by leaves
    Costs costs_;               // that predictions are chosen by; or none
    ShortMemory memory_;
    Elsewhere elsewhere_;
    Held<double> estimates_;  // [node][class_stride]: inherited, before recall()
    double spent_ = 0.0;
    std::uint32_t passes_ = 1;
    Held<std::uint8_t> known_;  // [feature] 1: a row had a value for it
    std::size_t n_known_ = 0;
    std::uint64_t seen_ = 0;
    std::size_t n_classes_ = 0;
    bool plain_ = true;
    ExpectedNames class_names_;
    std::vector<ExpectedNames> category_names_;  // [categorical slot], as far as any are to come
    Checker checker_;
    Asking scratch_;
    CaseRoom case_room_;
    GatheredRow gathered_;
};

template <class Learn>
void Growth::each_part(Spread& spread, double w, Learn&& learn) const {
    if (!hooks_->traits().forgets) {
        spread.each_part([&](const Row& part, double share) { learn(part, w * share); });
        return;
    }
    SharesInSteps shares(w);
    spread.each_part([&](const Row& part, double share) {
        if (const double weight = shares.next(share); weight > 0.0) learn(part, weight);
    });
}

}  // namespace riparian
