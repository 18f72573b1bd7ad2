// Staying below a limit of memory: which leaves keep statistics [domingos2000, sec. 3].
//
// The promise of a leaf, p_l e_l, bounds the error that refining it can remove: the weight
// that its majority class does not explain. The most promising leaves keep statistics, as
// many as fit; the others go on counting classes.
#include <algorithm>
#include <string>

#include "tree.hpp"

namespace riparian {
namespace {

// Of the limit: what never goes away again must leave the rest to statistics, or every leaf
// would be inactive in the end.
constexpr std::size_t structure_share = 2;
// Of the room for statistics: free after leaves were ranked, so that not every row ranks them.
constexpr std::size_t slack_share = 16;
// So much better must an inactive leaf be than an active one.
constexpr double advantage = 1.1;
// Of the limit: what a window of examples may take.
constexpr std::size_t window_share = 4;
// A row with kept values may open new blocks of them.
constexpr std::size_t room_of_values = 8192;
// At most, besides its counts.
constexpr std::size_t scratch_of_a_class = 64;

std::size_t minus(std::size_t a, std::size_t b) noexcept { return a > b ? a - b : 0; }

}  // namespace

// ---- what there is ----

std::size_t Tree::free_bytes() const noexcept {
    return minus(settings_.max_bytes, lasting() + statistics_.held + spare_);
}

// What an active leaf holds: on average, or with two classes if there is none.
std::size_t Tree::leaf_bytes() const noexcept {
    return n_active_ ? statistics_.held / n_active_ : LeafStatistics::bytes(shape_, 2, 0);
}

// By how much the structure grows with new leaves, those of a split or one more branch.
std::size_t Tree::growth(std::size_t branches, std::size_t splits) const noexcept {
    std::size_t bytes = nodes_.growth(branches, splits) +
                        nodes_.growth_of_list(branches, 2 * shape_.class_stride * sizeof(double));
    const auto add = [&](const auto& v, std::size_t n) {
        bytes += growth_in_bytes(v, n, sizeof(v[0]));
    };
    add(records_, branches);
    if (settings_.adapts()) add(sides_, branches);
    if (settings_.watches()) add(watches_, branches);
    if (shape_.linear) add(units_, branches);
    if (settings_.selects()) add(tracked_features_, branches);
    if (settings_.adaptive_grace) add(delays_, branches);
    if (settings_.short_memory) {
        add(recalled_, branches);
        bytes += nodes_.growth_of_list(branches, shape_.class_stride * sizeof(double));
    }
    if (splits) {
        add(splits_, splits);
        add(rivals_, splits * (most_rivals() + 1));
    }
    return bytes;
}

std::size_t Tree::most_lasting(bool answers) const noexcept {
    const std::size_t share = structure_share * (answers && settings_.adapts() ? 2 : 1);
    const std::size_t memory = memory_.most_bytes() + window_reserve();
    return memory + minus(settings_.max_bytes, memory) / share;
}

bool Tree::may_add(std::size_t bytes, bool answers) const noexcept {
    return !limited() || lasting() + bytes <= most_lasting(answers);
}

double Tree::promise(std::int32_t node) const noexcept {
    const ClassWeights here = weights(node);
    double total = 0.0, most = 0.0;
    for (std::size_t k = 0; k < n_classes_; ++k) {
        total += here[k];
        most = std::max(most, here[k]);
    }
    return total - most;
}

std::size_t Tree::least_bytes() const {
    const auto lock = turnstile_.reading();
    return needed(spare_ + 2 * LeafStatistics::bytes(shape_, 2, 0));
}

bool Tree::fits_in(std::size_t limit) const {
    const auto lock = turnstile_.reading();
    return may_shrink_to(limit);
}

std::size_t Tree::needed_bytes(std::size_t classes) const {
    const auto lock = turnstile_.reading();
    return needed(0, classes);
}

std::size_t Tree::bytes_of_classes(std::size_t stride) const noexcept {
    const std::size_t rows = nodes_.capacity() * (settings_.short_memory ? 3 : 2);
    return taken(rows * stride * sizeof(double));
}

// With so much more, and all that a batch is said to bring.
std::size_t Tree::needed(std::size_t more, std::size_t classes) const noexcept {
    std::size_t held = lasting() - archive_bytes() + more + class_names_.bytes_left();
    for (const ExpectedNames& names : category_names_) held += names.bytes_left();
    const std::size_t now = held;
    std::size_t most = held;
    classes = std::max(classes, n_classes_ + class_names_.left());
    for (std::size_t stride = shape_.class_stride; stride < classes;) {
        const std::size_t wider = room_for_classes(stride + 1);
        held += (wider - stride) * scratch_of_a_class;
        most = std::max(most, held + bytes_of_classes(wider));
        held += bytes_of_classes(wider) - bytes_of_classes(stride);
        stride = wider;
    }
    // So much room lets it grow before the last class comes.
    most += (most - now) / 4;
    return settings_.forgets() ? beside_window(most) : most;
}

bool Tree::may_shrink_to(std::size_t limit) const noexcept {
    if (limit == SIZE_MAX) return true;
    if (!settings_.forgets()) return lasting() <= limit;
    const std::size_t window = window_fits(limit, shape_.numeric, shape_.categorical, 0);
    const std::size_t besides = structure_.held - examples_.bytes() - examples_.numbers().bytes();
    return window > 0 && besides - archive_bytes() + ExampleWindow::bytes(window, shape_.numeric,
                                                                          shape_.categorical) <= limit;
}

bool Tree::surely_fits(std::size_t names, std::size_t numbers) const {
    const auto lock = turnstile_.reading();
    if (!limited()) return true;
    const std::size_t most = std::max(lasting(), most_lasting());
    std::size_t example = 0;
    if (numbers && settings_.forgets()) {
        if (!window_fits(settings_.max_bytes, shape_.numeric, shape_.categorical, numbers)) return false;
        example = NumberQueue::bytes(numbers);
    }
    return names + example <= minus(settings_.max_bytes, most);
}

// ---- a window of examples ----

std::size_t Tree::window_fits(std::size_t limit, std::size_t numeric,
                              std::size_t categorical, std::size_t numbers) const noexcept {
    const std::size_t most = minus(limit / window_share, NumberQueue::bytes(numbers));
    if (ExampleWindow::bytes(window_, numeric, categorical) <= most) return window_;
    return std::min(window_, ExampleWindow::fit(most, numeric, categorical));
}

std::size_t Tree::least_window(std::size_t numeric, std::size_t categorical) const noexcept {
    return ExampleWindow::bytes(std::min(window_, 2 * ExampleWindow::a_block), numeric, categorical);
}

std::size_t Tree::beside_window(std::size_t bytes) const noexcept {
    const std::size_t window = least_window(shape_.numeric, shape_.categorical);
    const std::size_t besides = bytes - std::max(window_reserve(), examples_.bytes());
    return std::max(window_share * window, besides + besides / (window_share - 1) + window_share);
}

std::size_t Tree::window_reserve() const noexcept {
    if (!settings_.forgets() || !limited()) return 0;
    return ExampleWindow::bytes(fits_, shape_.numeric, shape_.categorical);
}

// ---- making room ----

// After the structure has changed.
void Tree::settle() noexcept {
    if (!limited()) {
        statistics_.ceiling = SIZE_MAX;
        spare_ = 0;
        return;
    }
    statistics_.ceiling = minus(settings_.max_bytes, lasting());
    // While an array grows, the old one and the new one are there.
    spare_ = settings_.values != Values::gaussian ? room_of_values : 0;
    std::size_t largest = nodes_.copy_bytes(2 * shape_.class_stride * sizeof(double));
    const auto copy = [&](const auto& v) {
        largest = std::max(largest, bytes_of_copy(v, sizeof(v[0])));
    };
    copy(records_);
    if (settings_.adapts()) copy(sides_);
    copy(splits_);
    copy(rivals_);
    if (settings_.adapts()) copy(changes_);
    if (settings_.forgets()) largest = std::max(largest, examples_.copy_bytes());
    if (!archive_.empty()) copy(archive_);
    spare_ += std::max(largest, memory_.copy_bytes());
}

// Room for more that must be there; LimitTooLow before anything is changed.
void Tree::demand_structure(std::size_t more, std::size_t classes) {
    if (!limited()) return;
    while (lasting() + more > settings_.max_bytes && !archive_.empty()) give_up_archived(0);
    if (lasting() + more > settings_.max_bytes) {
        throw LimitTooLow(settings_.max_bytes, needed(classes ? 0 : more, classes));
    }
    if (statistics_.held > settings_.max_bytes - lasting() - more) rank(more, none);
}

void Tree::add_to_structure(std::size_t bytes) {
    demand_structure(bytes);
    structure_.held += bytes;
    settle();
}

bool Tree::make_room_for(std::size_t bytes, std::int32_t keep) {
    if (!limited()) return true;
    const auto over = [&] {
        return lasting() + statistics_.held + spare_ + bytes > settings_.max_bytes;
    };
    if (over()) rank(bytes, keep);
    return !over();
}

// Statistics of all new leaves may be more than the limit. Those of two must fit, or the
// structure would leave no room for an active leaf.
Tree::Room Tree::make_room_for_leaves(std::size_t bytes, std::size_t leaves, std::int32_t keep) {
    // No leaf is to lose its statistics in vain.
    const std::size_t least = lasting() + spare_ + (keep == none ? 0 : leaf_bytes());
    const auto make_room = [&](std::size_t n) {
        const std::size_t more = bytes + n * leaf_bytes();
        return least + more <= settings_.max_bytes && make_room_for(more, keep);
    };
    if (make_room(leaves)) return Room::active;
    return leaves > 2 && make_room(2) ? Room::inactive : Room::none;
}

// The most promising leaves get statistics, as many as fit beside `need` bytes more; the
// others lose them. `keep` has a use for them now.
void Tree::rank(std::size_t need, std::int32_t keep) {
    struct Ranked {
        double key;
        std::int32_t node;

        bool operator<(const Ranked& other) const noexcept {
            return key != other.key ? key > other.key : node < other.node;
        }
    };
    const auto place_of = [&](const Ranked& r) { return static_cast<std::size_t>(record(r.node)); };
    const auto active = [&](const Ranked& r) { return records_[place_of(r)].statistics.is_open(); };
    const std::size_t room = minus(settings_.max_bytes, lasting() + spare_ + need);
    const std::size_t target = limited() ? room - room / slack_share : SIZE_MAX;
    const std::size_t size = std::max<std::size_t>(1, leaf_bytes());

    std::vector<Ranked> ranked;
    ranked.reserve(records_.size());
    for (const NodeRecord& leaf : records_) {
        if (!asks(leaf.node)) {
            if (leaf.statistics.is_open()) sleep(static_cast<std::size_t>(&leaf - records_.data()));
            continue;
        }
        const double p = promise(leaf.node);
        ranked.push_back({leaf.statistics.is_open() ? advantage * p : p, leaf.node});
    }
    const std::size_t fit = std::min(ranked.size(), target / size);
    const auto last = ranked.begin() + static_cast<std::ptrdiff_t>(fit);
    std::nth_element(ranked.begin(), last, ranked.end());
    std::sort(ranked.begin(), last);
    for (auto r = last; r != ranked.end(); ++r) {
        if (r->node != keep && active(*r)) sleep(place_of(*r));
    }
    for (auto r = last; r != ranked.begin() && statistics_.held > target;) {
        --r;
        if (r->node != keep && active(*r)) sleep(place_of(*r));
    }
    least_promise_ = fit > 0 && fit < ranked.size() ? (last - 1)->key : 0.0;
    ranked_at_ = seen_;
    std::size_t planned = statistics_.held;
    for (auto r = ranked.begin(); r != last; ++r) {
        if (active(*r)) continue;
        if (planned > minus(target, size)) break;
        wake(place_of(*r));
        planned += size;
    }
}

// ---- single leaves ----

void Tree::sleep(std::size_t place) noexcept {
    const Charge charge(statistics_);
    NodeRecord& leaf = records_[place];
    leaf.statistics.close();
    leaf.recent.reset();
    if (!watches_.empty()) watches_[place].reset();
    if (!units_.empty()) units_[place].reset();
    if (!tracked_features_.empty()) tracked_features_[place].reset();
    if (!recalled_.empty()) recalled_[place] = 0.0;
    leaf.classes = 0;
    leaf.weight = leaf.inherited = leaf.checked = 0.0;
    leaf.track = {};
    --n_active_;
}

void Tree::wake(std::size_t place) {
    NodeRecord& leaf = records_[place];
    leaf.weight = leaf.checked = 0.0;
    leaf.track = {};
    open_statistics(place);
}

// A leaf whose statistics do not fit stays inactive.
void Tree::open_statistics(std::size_t place) {
    const Charge charge(statistics_);
    NodeRecord& leaf = records_[place];
    ++n_active_;
    try {
        const double* const seen = counts(leaf.node);
        if (std::any_of(seen, seen + n_classes_, [](double n) { return n > 0.0; })) {
            leaf.recent = std::make_unique<Recent>();
            leaf.recent->counts.assign(shape_.class_stride, 0.0);
            leaf.recent->since = seen_ + 1;
        }
        if (settings_.leaf_features.draws()) draw_features(place);
        leaf.statistics.open(shape(place));
        if (shape_.linear) units_[place] = std::make_unique<LinearUnits>();
        if (!settings_.watches()) return;
        watches_[place] = std::make_unique<Watch>();
        watches_[place]->fit(settings_, shape(place));
    } catch (const OverLimit&) {
        sleep(place);
    }
}

void Tree::draw_features(std::size_t place) {
    Draw draw{draws_++};
    std::vector<std::uint8_t> settled(nodes_.features().size(), 0);
    for (std::int32_t i = records_[place].node; nodes_.above(i) != none; i = nodes_.above(i)) {
        const Node& test = at(nodes_.above(i));
        const bool equal = test.test == Test::one_value && at(i).branch == 0;
        if (test.test == Test::every_value || equal) settled[static_cast<std::size_t>(test.feature)] = 1;
    }
    const auto out = left_out(
        settings_.leaf_features, draw, nodes_.features().size(),
        [&](std::size_t f) { return met_[f] != 0; }, [&](std::size_t f) { return settled[f] != 0; });
    tracked_features_[place] = std::make_unique<TrackedFeatures>(nodes_.features(), shape_, out);
    tracked_features_[place]->draw = draw;
}

// A root that was opened before there was a value has to draw from those of the first row.
void Tree::draw_first() {
    const Charge charge(statistics_);
    for (std::size_t place = 0; place < records_.size(); ++place) {
        NodeRecord& leaf = records_[place];
        if (!leaf.statistics.is_open()) continue;
        const Shape before = shape(place);
        try {
            draw_features(place);
            leaf.statistics.reshape(before, shape(place), own_counts(leaf));
            if (Watch* const w = watch(place)) w->fit(settings_, shape(place));
        } catch (const OverLimit&) {
            sleep(place);
        }
    }
}

// A leaf begins with what the units of its parent have learned.
void Tree::inherit(std::size_t place, const LinearUnits& of_parent) {
    if (!units_[place]) return;
    const Charge charge(statistics_);
    try {
        units_[place]->copy_from(shape_, of_parent);
    } catch (const OverLimit&) {
        sleep(place);
    }
}

void Tree::learn_inactive(std::size_t place, double w) {
    NodeRecord& leaf = records_[place];
    const double weight = leaf.weight + w;
    const bool due = weight - leaf.checked >= settings_.grace_period;
    // The first row tells as well: a tree that was saved and loaded knows no node that rests.
    if ((due || leaf.weight == 0.0) && !asks(leaf.node)) {
        at(leaf.node).rests = true;
        leaf.weight = leaf.checked = 0.0;
        return;
    }
    leaf.weight = weight;
    if (!due) return;
    leaf.checked = leaf.weight;
    // Ranking looks at every leaf: not before each had a row, on average.
    if (seen_ - ranked_at_ < records_.size()) return;
    const std::size_t room = minus(settings_.max_bytes, lasting() + spare_);
    const bool much_room = free_bytes() > room * 2 / slack_share;
    if (much_room || promise(leaf.node) > least_promise_) rank(0, none);
}

void Tree::reshape_leaves(const Shape& from) {
    const Shape& to = shape_;
    if (limited() && n_active_) {
        const std::size_t classes = std::max<std::size_t>(n_classes_, 1);
        const std::size_t before = LeafStatistics::bytes(from, classes, 0);
        const std::size_t after = LeafStatistics::bytes(to, classes, 0);
        make_room_for(n_active_ * minus(after, before) + after, none);
    }
    // In the order of ids, which a saved tree has too.
    for (std::int32_t i = 0; static_cast<std::size_t>(i) < nodes_.size(); ++i) {
        if (record(i) == none) continue;
        const auto place = static_cast<std::size_t>(record(i));
        NodeRecord& leaf = records_[place];
        if (!leaf.statistics.is_open()) continue;
        const Charge charge(statistics_);
        try {
            if (leaf.recent) {
                set_room(leaf.recent->counts, to.class_stride);
                leaf.recent->counts.resize(to.class_stride, 0.0);
            }
            TrackedFeatures* const kept = tracked_features(place);
            const Shape before = kept ? kept->shape() : from;
            if (kept) kept->grow(nodes_.features(), to, settings_.leaf_features);
            leaf.statistics.reshape(before, shape(place), own_counts(leaf));
            if (Watch* const w = watch(place)) w->fit(settings_, shape(place));
            if (LinearUnits* const u = units(place)) u->reshape(from, to, settings_.idbd);
        } catch (const OverLimit&) {
            sleep(place);
        }
    }
}

void Tree::set_max_bytes(std::size_t limit) {
    const auto lock = turnstile_.writing();
    if (!may_shrink_to(limit)) throw LimitTooLow(limit, needed(0));
    if (settings_.forgets()) {
        const std::size_t numeric = shape_.numeric, categorical = shape_.categorical;
        const auto besides = [&] {
            return structure_.held - examples_.bytes() - examples_.numbers().bytes();
        };
        const std::size_t fits = window_fits(limit, numeric, categorical, 0);
        const std::size_t least =
            besides() - archive_bytes() + ExampleWindow::bytes(fits, numeric, categorical);
        while (least + archive_bytes() > limit && !archive_.empty()) give_up_archived(0);
        shorten(limit, numeric, categorical);
        const auto over = [&] {
            return besides() + ExampleWindow::bytes(fits_, numeric, categorical) +
                       examples_.numbers().bytes() > limit;
        };
        while (limit != SIZE_MAX && examples_.size() > 0 && over()) {
            forget_oldest();
            shorten(limit, numeric, categorical);
        }
    }
    settings_.max_bytes = limit;
    settle();
    rank(0, none);
}

}  // namespace riparian
