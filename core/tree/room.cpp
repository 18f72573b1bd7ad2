// What a tree holds, and room for more of it.
#include <algorithm>
#include <string>

#include "tree.hpp"

namespace riparian {
namespace {

// Of the limit: what a window of examples may take.
constexpr std::size_t window_share = 4;
// At most, besides its counts.
constexpr std::size_t scratch_of_a_class = 64;

}  // namespace

// ---- what there is ----

Limit::Usage Tree::usage() const noexcept {
    return {settings_.max_bytes, lasting(), leaves_.account().held};
}

std::size_t Tree::free_bytes() const noexcept {
    return limit_.free_bytes(usage());
}

// By how much the structure grows with new leaves, those of a split or one more branch.
std::size_t Tree::growth(std::size_t branches, std::size_t splits) const noexcept {
    std::size_t bytes = nodes_.growth(branches, splits) + leaves_.growth(settings_, branches) +
                        nodes_.growth_of_list(branches, 2 * shape().class_stride * sizeof(double));
    const auto add = [&](const auto& v, std::size_t n) {
        bytes += growth_in_bytes(v, n, sizeof(v[0]));
    };
    if (settings_.adapts()) add(sides_, branches);
    if (settings_.short_memory) {
        bytes += nodes_.growth_of_list(branches, shape().class_stride * sizeof(double));
    }
    if (splits) {
        add(splits_, splits);
        add(rivals_, splits * (most_rivals() + 1));
    }
    return bytes;
}

std::size_t Tree::most_lasting(bool answers) const noexcept {
    return Limit::most_lasting(settings_.max_bytes, memory_.most_bytes() + window_reserve(),
                               answers && settings_.adapts() ? 2 : 1);
}

bool Tree::may_add(std::size_t bytes, bool answers) const noexcept {
    return !limited() || lasting() + bytes <= most_lasting(answers);
}

double Tree::promise(std::int32_t node) const noexcept {
    const ClassWeights here = leaves_.weights(node);
    double total = 0.0, most = 0.0;
    for (std::size_t k = 0; k < n_classes_; ++k) {
        total += here[k];
        most = std::max(most, here[k]);
    }
    return total - most;
}

std::size_t Tree::least_bytes() const {
    const auto lock = turnstile_.reading();
    return needed(limit_.spare() + 2 * LeafStatistics::bytes(shape(), 2, 0));
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
    for (std::size_t stride = shape().class_stride; stride < classes;) {
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
    const std::size_t window = window_fits(limit, shape().numeric, shape().categorical, 0);
    const std::size_t besides = structure_.held - examples_.bytes() - examples_.numbers().bytes();
    return window > 0 && besides - archive_bytes() + ExampleWindow::bytes(window, shape().numeric,
                                                                          shape().categorical) <= limit;
}

bool Tree::surely_fits(std::size_t names, std::size_t numbers) const {
    const auto lock = turnstile_.reading();
    if (!limited()) return true;
    const std::size_t most = std::max(lasting(), most_lasting());
    std::size_t example = 0;
    if (numbers && settings_.forgets()) {
        if (!window_fits(settings_.max_bytes, shape().numeric, shape().categorical, numbers)) {
            return false;
        }
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
    const std::size_t window = least_window(shape().numeric, shape().categorical);
    const std::size_t besides = bytes - std::max(window_reserve(), examples_.bytes());
    return std::max(window_share * window, besides + besides / (window_share - 1) + window_share);
}

std::size_t Tree::window_reserve() const noexcept {
    if (!settings_.forgets() || !limited()) return 0;
    return ExampleWindow::bytes(fits_, shape().numeric, shape().categorical);
}

// ---- making room ----

// After the structure has changed.
void Tree::settle() noexcept {
    if (!limited()) {
        leaves_.account().ceiling = SIZE_MAX;
        limit_.set_spare(0);
        return;
    }
    leaves_.account().ceiling = minus(settings_.max_bytes, lasting());
    // While a list grows, the old one and the new one are there.
    std::size_t largest = std::max(nodes_.copy_bytes(2 * shape().class_stride * sizeof(double)),
                                   leaves_.copy_bytes());
    const auto copy = [&](const auto& v) {
        largest = std::max(largest, bytes_of_copy(v, sizeof(v[0])));
    };
    if (settings_.adapts()) copy(sides_);
    copy(splits_);
    copy(rivals_);
    if (settings_.adapts()) copy(changes_);
    if (settings_.forgets()) largest = std::max(largest, examples_.copy_bytes());
    if (!archive_.empty()) copy(archive_);
    limit_.set_spare(room_of_a_row(settings_.statistics) +
                     std::max(largest, memory_.copy_bytes()));
}

// Room for more that must be there; LimitTooLow before anything is changed.
void Tree::demand_structure(std::size_t more, std::size_t classes) {
    if (!limited()) return;
    while (lasting() + more > settings_.max_bytes && !archive_.empty()) give_up_archived(0);
    if (lasting() + more > settings_.max_bytes) {
        throw LimitTooLow(settings_.max_bytes, needed(classes ? 0 : more, classes));
    }
    if (leaves_.account().held > settings_.max_bytes - lasting() - more) rank(more, none);
}

void Tree::add_to_structure(std::size_t bytes) {
    demand_structure(bytes);
    structure_.held += bytes;
    settle();
}

bool Tree::make_room_for(std::size_t bytes, std::int32_t keep) {
    if (!limited()) return true;
    if (!limit_.over(usage(), bytes)) return true;
    rank(bytes, keep);
    return !limit_.over(usage(), bytes);
}

// Statistics of all new leaves may be more than the limit. Those of two must fit, or the
// structure would leave no room for an active leaf.
Tree::Room Tree::make_room_for_leaves(std::size_t bytes, std::size_t leaves, std::int32_t keep) {
    // No leaf is to lose its statistics in vain.
    const std::size_t least = lasting() + limit_.spare() + (keep == none ? 0 : leaves_.bytes_of_a_leaf());
    const auto make_room = [&](std::size_t n) {
        const std::size_t more = bytes + n * leaves_.bytes_of_a_leaf();
        return least + more <= settings_.max_bytes && make_room_for(more, keep);
    };
    if (make_room(leaves)) return Room::active;
    return leaves > 2 && make_room(2) ? Room::inactive : Room::none;
}

// See Limit::rank. Nodes that will never use statistics again lose them first.
void Tree::rank(std::size_t need, std::int32_t keep) {
    const Limit::Usage now = usage();
    const std::size_t size = leaves_.bytes_of_a_leaf();
    std::vector<Limit::Candidate> candidates;
    candidates.reserve(leaves_.size());
    for (std::size_t place = 0; place < leaves_.size(); ++place) {
        const NodeRecord& leaf = leaves_[place];
        if (uses_statistics(leaf.node)) {
            candidates.emplace_back(promise(leaf.node), leaf, place);
        } else if (leaf.statistics.is_open()) {
            leaves_.deactivate(place);
        }
    }
    for (const std::size_t place :
         limit_.rank(leaves_, std::move(candidates), now, size, need, keep, seen_)) {
        activate(place);
    }
}

void Tree::set_max_bytes(std::size_t limit) {
    const auto lock = turnstile_.writing();
    if (!may_shrink_to(limit)) throw LimitTooLow(limit, needed(0));
    if (settings_.forgets()) {
        const std::size_t numeric = shape().numeric, categorical = shape().categorical;
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
