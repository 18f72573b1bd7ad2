// What the nodes of a tree keep of their examples: class weights at every node, and a record with
// statistics at leaves, and at inner nodes where the adaptation needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../check/last_check.hpp"
#include "../check/leaf_extras.hpp"
#include "../check/tracked_features.hpp"
#include "../leaf/contract.hpp"
#include "../memory/account.hpp"
#include "../settings.hpp"

namespace riparian {

// Class weights since the statistics of a leaf began again.
struct Recent : HeldObject {
    Held<double> counts;      // [class_stride]
    std::uint64_t since = 0;  // number of the first example that they may have, in a window
};

// What a leaf keeps of its examples, or an inner node where the adaptation needs it.
struct NodeRecord {
    std::int32_t node = 0;
    std::int32_t classes = 0;  // with weight in the statistics
    std::uint32_t checks = 0;  // so far
    double weight = 0.0;       // in the statistics; of an inactive leaf, since it became inactive
    double inherited = 0.0;    // counted as seen, if inherit_counts is "count"
    double checked =
        0.0;  // the weight at the last check; of an inactive leaf, when it was last ranked
    LeafNumbers numbers{};            // of the leaf predictor
    LeafStatistics statistics;        // closed: the leaf is inactive
    std::unique_ptr<Recent> recent;   // none: the statistics have all that the node has
    std::unique_ptr<LastCheck> last;  // none: not checked since it became an active leaf
};

class Leaves {
public:
    // Sizes that all leaves share.
    [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
    void set_shape(const Shape& to) noexcept { shape_ = to; }
    // Counts what an inactive leaf does without.
    [[nodiscard]] Account& account() noexcept { return account_; }
    [[nodiscard]] const Account& account() const noexcept { return account_; }

    // ---- class weights, of all nodes ----

    // [2][class_stride]: weight seen at the node, inherited weight.
    [[nodiscard]] double* counts(std::int32_t node) noexcept {
        return counts_.data() + static_cast<std::size_t>(node) * 2 * shape_.class_stride;
    }
    [[nodiscard]] const double* counts(std::int32_t node) const noexcept {
        return counts_.data() + static_cast<std::size_t>(node) * 2 * shape_.class_stride;
    }
    [[nodiscard, gnu::always_inline]] ClassWeights weights(std::int32_t node) const noexcept {
        if (node == none) return {};
        return {counts(node), counts(node) + shape_.class_stride};
    }
    // Room for the weights of this many nodes, and the weights of one more, all 0.
    void reserve_counts(std::size_t nodes) { counts_.reserve(nodes * 2 * shape_.class_stride); }
    void add_counts() { counts_.resize(counts_.size() + 2 * shape_.class_stride, 0.0); }
    // After the class stride has changed.
    void widen_counts(std::size_t from, std::size_t nodes);

    // ---- records ----

    [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
    [[nodiscard]] NodeRecord& operator[](std::size_t place) noexcept { return records_[place]; }
    [[nodiscard]] const NodeRecord& operator[](std::size_t place) const noexcept {
        return records_[place];
    }
    [[nodiscard]] std::size_t place_of(const NodeRecord& leaf) const noexcept {
        return static_cast<std::size_t>(&leaf - records_.data());
    }
    [[nodiscard]] auto begin() const noexcept { return records_.begin(); }
    [[nodiscard]] auto end() const noexcept { return records_.end(); }
    // Records with statistics.
    [[nodiscard]] std::size_t n_active() const noexcept { return n_active_; }

    // Class weights of the statistics of a leaf.
    [[nodiscard]] double* own_counts(NodeRecord& leaf) noexcept {
        return leaf.recent ? leaf.recent->counts.data() : counts(leaf.node);
    }
    [[nodiscard]] const double* own_counts(const NodeRecord& leaf) const noexcept {
        return leaf.recent ? leaf.recent->counts.data() : counts(leaf.node);
    }
    // The shape of its statistics.
    [[nodiscard]] const Shape& shape(std::size_t place) const noexcept {
        return tracked_features(place) ? tracked_features(place)->shape() : shape_;
    }

    // ---- what the settings ask for in addition ----

    [[nodiscard]] LeafExtras* extras(std::size_t place) const noexcept {
        return extras_.empty() ? nullptr : extras_[place].get();
    }
    [[nodiscard]] bool any_extras() const noexcept { return !extras_.empty(); }
    // What the leaf predictor keeps; null if that is nothing, or the leaf is inactive.
    [[nodiscard]] PredictorState* state(std::size_t place) const noexcept {
        return states_.empty() ? nullptr : states_[place].get();
    }
    [[nodiscard]] bool any_states() const noexcept { return !states_.empty(); }
    // The features that a leaf tracks; null: all of them.
    [[nodiscard]] TrackedFeatures* tracked_features(std::size_t place) const noexcept {
        return tracked_features_.empty() ? nullptr : tracked_features_[place].get();
    }
    void set_tracked_features(std::size_t place, std::unique_ptr<TrackedFeatures> features) {
        tracked_features_[place] = std::move(features);
    }
    [[nodiscard]] bool any_tracked_features() const noexcept { return !tracked_features_.empty(); }
    // Weight from check to check, with an adaptive grace period.
    [[nodiscard]] double delay(std::size_t place, double grace_period) const noexcept {
        return delays_.empty() ? grace_period : delays_[place];
    }
    void set_delay(std::size_t place, double weight) noexcept { delays_[place] = weight; }
    // The part of its weight that it recalled from the short memory.
    [[nodiscard]] double recalled(std::size_t place) const noexcept {
        return recalled_.empty() ? 0.0 : recalled_[place];
    }
    void set_recalled(std::size_t place, double weight) noexcept { recalled_[place] = weight; }

    // ---- how they come and go ----

    void make_room(std::size_t records) { riparian::make_room(records_, records); }
    // An empty record of a node, without statistics: at a new place, or in the place of another.
    void open(const Settings&, std::int32_t node, std::size_t place);
    // Statistics for it, and whatever the settings ask for; `draw` chooses its features. `since`:
    // the number of the next example. A leaf whose statistics do not fit stays inactive.
    template <class Draw>
    void open_statistics(const Settings&, std::size_t place, std::size_t classes,
                         std::uint64_t since, Draw&& draw);
    // Gives up the evidence of the last check, when a leaf becomes an inner node with a record.
    void forget_check(std::size_t place) noexcept;
    // Gives up all that only an active leaf has.
    void deactivate(std::size_t place) noexcept;
    // As it was after it became inactive, without what it has counted since.
    void forget(std::size_t place) noexcept;
    void clear() noexcept;
    // Drops the records of nodes that are gone; the others keep their order. `ids`: the new id of each
    // node, or none. Returns the new place of each record, or none.
    std::vector<std::int32_t> compact(const std::vector<std::int32_t>& ids);
    // The same for class weights, after the records. `left` nodes stay; `room`: how many there is room for.
    void compact_counts(const std::vector<std::int32_t>& ids, std::size_t left, std::size_t room);

    // By how many bytes the lists grow with this many records.
    [[nodiscard]] std::size_t growth(const Settings&, std::size_t records) const noexcept;
    [[nodiscard]] std::size_t copy_bytes() const noexcept {
        return bytes_of_copy(records_, sizeof(NodeRecord));
    }
    // Of an active leaf: on average, or with two classes if there is none.
    [[nodiscard]] std::size_t bytes_of_a_leaf() const noexcept {
        return n_active_ ? account_.held / n_active_ : LeafStatistics::bytes(shape_, 2, 0);
    }

private:
    Account account_;
    Shape shape_;
    Held<double> counts_;  // [node][2][class_stride]
    Held<NodeRecord> records_;
    // [record], where the settings ask for them.
    Held<std::unique_ptr<TrackedFeatures>> tracked_features_;
    Held<double> delays_;
    Held<double> recalled_;
    Held<std::unique_ptr<LeafExtras>> extras_;
    Held<std::unique_ptr<PredictorState>> states_;
    std::size_t n_active_ = 0;
};

template <class Draw>
void Leaves::open_statistics(const Settings& settings, std::size_t place, std::size_t classes,
                             std::uint64_t since, Draw&& draw) {
    const Charge charge(account_);
    NodeRecord& leaf = records_[place];
    ++n_active_;
    try {
        const double* const seen = counts(leaf.node);
        if (std::any_of(seen, seen + classes, [](double n) { return n > 0.0; })) {
            leaf.recent = std::make_unique<Recent>();
            leaf.recent->counts.assign(shape_.class_stride, 0.0);
            leaf.recent->since = since;
        }
        draw();
        leaf.statistics.open(shape(place));
        if (!states_.empty()) states_[place] = make_state(settings.leaf);
        if (!any_extras()) return;
        extras_[place] = std::make_unique<LeafExtras>(settings);
        extras_[place]->fit(settings, shape(place));
    } catch (const OverLimit&) {
        deactivate(place);
    }
}

}  // namespace riparian
