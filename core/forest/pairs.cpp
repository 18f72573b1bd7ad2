#include "pairs.hpp"

#include <algorithm>
#include <utility>

#include "threads.hpp"
#include "votes.hpp"

namespace riparian {
namespace {

// What a forest counts for itself, whatever the layout of the class (tree/tree.hpp).
constexpr std::size_t object_bytes = 1376;
static_assert(sizeof(PairForest) <= object_bytes);

// Rows that are learned together. Enough so that threads seldom wait for each other, but few if memory
// is limited, because the rows are held.
constexpr std::size_t most_rows = 1024, most_rows_limited = 64;
constexpr std::size_t most_shares = std::size_t{1} << 20;
constexpr std::size_t room_of_detector = 8192;
constexpr std::size_t bytes_of_a_feature = 64;  // in the schema

}  // namespace

PairForest::PairForest(const PairSettings& settings)
    : Ensemble(settings.max_bytes, settings.threads),
      settings_(settings),
      history_(settings.tree.short_memory) {
    tree_bytes_ = bytes_of_a_tree(settings.max_bytes, 1);
}

// ---- the schema ----

void PairForest::give_features(const std::vector<Kind>& kinds) {
    for (const Kind kind : kinds) {
        std::size_t& count = kind == Kind::numeric ? shape_.numeric : shape_.categorical;
        features_.push_back({kind, count++});
    }
    shape_.stride = (shape_.numeric + 3) / 4 * 4;
    names_ += kinds.size() * bytes_of_a_feature;
    history_.reshape(shape_);
    // Wider rows leave less memory for trees.
    if (limited()) share_out(max_bytes_, pairs_.size());
    for (Pair& pair : pairs_) pair.tree->add_features(kinds);
}

void PairForest::give_classes(std::size_t) { known_.resize(schema_.classes, 0); }

// ---- memory ----

std::size_t PairForest::without_trees(std::size_t pairs) const noexcept {
    return object_bytes + history_.most_bytes(most_rows_limited) +
           pairs * (sizeof(Pair) + (settings_.drift ? room_of_detector : 0));
}

// The same for every pair; less for each as the number of pairs grows.
std::size_t PairForest::bytes_of_a_tree(std::size_t limit, std::size_t pairs) const noexcept {
    if (limit == SIZE_MAX) return SIZE_MAX;
    pairs = std::max<std::size_t>(pairs, 1);
    const std::size_t left = without_names(limit);
    const std::size_t other_bytes = without_trees(pairs);
    return left > other_bytes ? (left - other_bytes) / pairs : 0;
}

void PairForest::share_out(std::size_t limit, std::size_t pairs) {
    tree_bytes_ = bytes_of_a_tree(limit, pairs);
    for (Pair& pair : pairs_) pair.tree->set_max_bytes(tree_bytes_);
}

std::size_t PairForest::limit_for(std::size_t of_a_tree) const noexcept {
    // The number of classes is known from rows or, before the first row, from names.
    const std::size_t named = to_see_ ? 0 : order_.size() + coming();
    const std::size_t classes = std::max({named, to_see_, order_.size(), std::size_t{2}});
    const std::size_t pairs = classes * (classes - 1) / 2;
    // Until all classes have appeared, existing trees may use the room of the others.
    if (pairs > std::max<std::size_t>(pairs_.size(), 1)) of_a_tree += of_a_tree / 2;
    return with_names(without_trees(pairs) + pairs * of_a_tree);
}

std::vector<std::shared_ptr<Tree>> PairForest::trees() const {
    std::vector<std::shared_ptr<Tree>> all;
    for (const Pair& pair : pairs_) {
        if (pair.tree) all.push_back(pair.tree);  // null if the first did not fit
    }
    return all;
}

void PairForest::give_limit(std::size_t limit) { share_out(limit, pairs_.size()); }

std::size_t PairForest::memory_bytes() const {
    const auto lock = turnstile_.reading();
    std::size_t bytes = object_bytes + names_ + history_.bytes();
    for (const Pair& pair : pairs_) {
        bytes += sizeof(Pair) + pair.tree->memory_bytes();
        if (pair.drift) bytes += std::visit([](const auto& d) { return d.bytes(); }, *pair.drift);
    }
    return bytes;
}

std::size_t PairForest::block_rows(bool predicting) const noexcept {
    const std::size_t most = limited() ? most_rows_limited : most_rows;
    if (!predicting) return most;
    const std::size_t shares = 2 * std::max<std::size_t>(pairs_.size(), 1);
    return std::clamp<std::size_t>(most_shares / shares, 1, most);
}

// ---- trees ----

TreeSettings PairForest::settings_of_a_tree() const {
    TreeSettings settings = settings_.tree;
    settings.short_memory_elsewhere = settings_.shared && settings.short_memory > 0;
    settings.max_bytes = tree_bytes_;
    return settings;
}

void PairForest::grow(Pair& pair) {
    pair.tree = std::make_shared<Tree>(settings_of_a_tree());
    pair.tree->add_features(schema_.kinds);
    watch_in(*pair.tree);
    pair.tree->declare_classes(2);
}

// Learns the examples of its classes among the last rows of the forest.
RowLearner::Elsewhere PairForest::memory_of(const Pair& pair) const {
    if (!settings_.shared) return {};
    return [this, &pair](const RowLearner::Recaller& recall) {
        const std::uint64_t first = std::max(history_.oldest(pair.last), pair.begin);
        for (std::uint64_t n = first; n <= pair.last; ++n) {
            const std::size_t y = history_.label(n);
            if (pair.learns(y)) recall(history_.row(n), y == pair.high, history_.weight(n));
        }
    };
}

// Learns the rows of its classes among the held rows.
void PairForest::replay(Pair& pair, std::uint64_t from, std::uint64_t to) {
    Turn turn(*pair.tree, memory_of(pair));
    pair.begin = from;
    for (std::uint64_t n = from; n <= to; ++n) {
        const std::size_t y = history_.label(n);
        if (!pair.learns(y)) continue;
        pair.last = n;
        turn.learn(Turn::alone, history_.row(n), y == pair.high,
                   RowWeight::repeated(history_.weight(n)), {}, false);
    }
}

// After the row with this number.
void PairForest::restart(Pair& pair, std::uint64_t number) {
    ++pair.drifts;
    pair.drift = settings_.drift;
    grow(pair);
    replay(pair, history_.oldest(number), number);
}

void PairForest::add_pair(std::size_t one, std::size_t other) {
    Pair& pair = pairs_.emplace_back();
    pair.low = static_cast<std::uint32_t>(std::min(one, other));
    pair.high = static_cast<std::uint32_t>(std::max(one, other));
    pair.drift = settings_.drift;
}

// The last held row is the first of its class. A tree is made for it and each earlier class; the tree
// begins with the remembered rows of that class.
void PairForest::add_class_seen(std::size_t y) {
    const std::size_t before = pairs_.size(), fresh = order_.size();
    if (limited() && fresh > 0) share_out(max_bytes_, before + fresh);
    for (const std::uint32_t other : order_) add_pair(other, y);
    order_.push_back(static_cast<std::uint32_t>(y));
    known_[y] = 1;
    const std::size_t threads = worthwhile(threads_, fresh, history_.size());
    side_by_side(fresh, threads, [&](std::size_t i) {
        const Section section(reserve_);
        Pair& pair = pairs_[before + i];
        grow(pair);
        replay(pair, history_.oldest(seen_ - 1), seen_);
    });
}

// ---- inspection ----

std::size_t PairForest::n_classes_seen() const {
    const auto lock = turnstile_.reading();
    return order_.size();
}

std::size_t PairForest::n_members() const {
    const auto lock = turnstile_.reading();
    return pairs_.size();
}

std::vector<PairRecord> PairForest::records() const {
    const auto lock = turnstile_.reading();
    std::vector<PairRecord> out;
    for (const Pair& pair : pairs_) {
        out.push_back({pair.tree, pair.low, pair.high, pair.drifts});
    }
    return out;
}

std::shared_ptr<Tree> PairForest::tree(std::size_t pair) const {
    const auto lock = turnstile_.reading();
    return pairs_.at(pair).tree;
}

}  // namespace riparian
