// What a tree holds, and room for more of it.
#include <algorithm>
#include <string>

#include "growth.hpp"

namespace riparian {
namespace {

// At most, in addition to its counts.
constexpr std::size_t scratch_of_a_class = 64;

}  // namespace

// ---- what there is ----

Limit::Usage Growth::usage() const noexcept {
    return {settings_.max_bytes, lasting(), leaves_.account().held};
}

std::size_t Growth::free_bytes() const noexcept {
    return limit_.free_bytes(usage());
}

// By how much the structure grows with new leaves, those of a split or one more branch.
std::size_t Growth::growth(std::size_t branches, std::size_t splits) const noexcept {
    std::size_t bytes = nodes_.growth(branches, splits) + leaves_.growth(settings_, branches) +
                        nodes_.growth_of_list(branches, 2 * shape().class_stride * sizeof(double));
    bytes += hooks_->growth(branches);
    if (settings_.short_memory) {
        bytes += nodes_.growth_of_list(branches, shape().class_stride * sizeof(double));
    }
    if (splits) bytes += certificates_.growth(splits, most_rivals() + 1);
    return bytes;
}

std::size_t Growth::most_lasting(bool predicts) const noexcept {
    return Limit::most_lasting(settings_.max_bytes, memory_.most_bytes() + hooks_->set_aside(),
                               predicts && hooks_->traits().replaces ? 2 : 1);
}

bool Growth::may_add(std::size_t bytes, bool predicts) const noexcept {
    return !limited() || lasting() + bytes <= most_lasting(predicts);
}

double Growth::promise(std::int32_t node) const noexcept {
    const ClassWeights here = leaves_.weights(node);
    double total = 0.0, most = 0.0;
    for (std::size_t k = 0; k < n_classes_; ++k) {
        total += here[k];
        most = std::max(most, here[k]);
    }
    return total - most;
}

std::size_t Growth::least_bytes() const noexcept {
    return needed(limit_.spare() + 2 * LeafStatistics::bytes(shape(), 2, 0));
}

std::size_t Growth::bytes_of_classes(std::size_t stride) const noexcept {
    const std::size_t rows = nodes_.capacity() * (settings_.short_memory ? 3 : 2);
    return taken(rows * stride * sizeof(double));
}

// With so much more, and all that a batch is said to bring.
std::size_t Growth::needed(std::size_t more, std::size_t classes) const noexcept {
    std::size_t held = lasting() - hooks_->can_give_up() + more + class_names_.bytes_left();
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
    return hooks_->limit_for(most);
}

bool Growth::may_shrink_to(std::size_t limit) const noexcept {
    return limit == SIZE_MAX || hooks_->fits_in(limit);
}

bool Growth::surely_fits(std::size_t names, std::size_t numbers) const noexcept {
    if (!limited()) return true;
    const std::size_t most = std::max(lasting(), most_lasting());
    const std::size_t example = numbers ? hooks_->example_bytes(numbers) : 0;
    return example != SIZE_MAX && names + example <= minus(settings_.max_bytes, most);
}

// ---- making room ----

// After the structure has changed.
void Growth::settle() noexcept {
    if (!limited()) {
        leaves_.account().ceiling = SIZE_MAX;
        limit_.set_spare(0);
        return;
    }
    leaves_.account().ceiling = minus(settings_.max_bytes, lasting());
    // While a list grows, the old one and the new one are there.
    std::size_t largest = std::max(nodes_.copy_bytes(2 * shape().class_stride * sizeof(double)),
                                   leaves_.copy_bytes());
    largest = std::max({largest, certificates_.copy_bytes(), hooks_->copy_bytes()});
    limit_.set_spare(room_of_a_row(settings_.statistics) +
                     std::max(largest, memory_.copy_bytes()));
}

// Room for more that must be there; LimitTooLow before anything is changed.
void Growth::demand_structure(std::size_t more, std::size_t classes) {
    if (!limited()) return;
    while (lasting() + more > settings_.max_bytes && hooks_->give_up()) {
    }
    if (lasting() + more > settings_.max_bytes) {
        throw LimitTooLow(settings_.max_bytes, needed(classes ? 0 : more, classes));
    }
    if (leaves_.account().held > settings_.max_bytes - lasting() - more) rank(more, none);
}

void Growth::add_to_structure(std::size_t bytes) {
    demand_structure(bytes);
    structure_.held += bytes;
    settle();
}

bool Growth::make_room_for(std::size_t bytes, std::int32_t keep) {
    if (!limited()) return true;
    if (!limit_.over(usage(), bytes)) return true;
    rank(bytes, keep);
    return !limit_.over(usage(), bytes);
}

// Statistics of all new leaves may be more than the limit. Those of two must fit, or the
// structure would leave no room for an active leaf.
Growth::Room Growth::make_room_for_leaves(std::size_t bytes, std::size_t leaves, std::int32_t keep) {
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
void Growth::rank(std::size_t need, std::int32_t keep) {
    const Limit::Usage now = usage();
    const std::size_t size = leaves_.bytes_of_a_leaf();
    std::vector<Limit::Candidate> candidates;
    candidates.reserve(leaves_.size());
    for (std::size_t place = 0; place < leaves_.size(); ++place) {
        const NodeRecord& leaf = leaves_[place];
        if (hooks_->uses_statistics(leaf.node)) {
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

void Growth::set_max_bytes(std::size_t limit) {
    if (!may_shrink_to(limit)) throw LimitTooLow(limit, needed(0));
    hooks_->shrink_to(limit);
    settings_.max_bytes = limit;
    settle();
    rank(0, none);
}

// ---- memory that is set aside before it is needed ----

// Whatever lists grow, the old and the new ones are there together: as much again as is held, twice
// for what is derived from them. A check may split the leaf, into a leaf for each category.
std::size_t Growth::most_of_rows(std::size_t rows) const noexcept {
    constexpr std::size_t small_things = 128 * 1024, a_leaf = 1024, a_feature = 256;
    std::size_t branches = 2;
    for (const std::int32_t n : categories_) {
        branches = std::max(branches, static_cast<std::size_t>(n) + 2);
    }
    const auto checks = 1 + static_cast<std::size_t>(static_cast<double>(rows) / settings_.grace_period);
    const std::size_t leaf = a_leaf + LeafStatistics::bytes(shape(), std::max<std::size_t>(n_classes_, 2), 0);
    return 2 * held_bytes() + small_things + a_feature * features().size() + checks * branches * leaf;
}

// Every node that has statistics is copied to its new width.
std::size_t Growth::most_of_features(const std::vector<Kind>& kinds) const noexcept {
    Shape to = shape();
    for (const Kind kind : kinds) ++(kind == Kind::numeric ? to.numeric : to.categorical);
    to.stride = (to.numeric + 3) / 4 * 4;
    const std::size_t leaf = LeafStatistics::bytes(to, std::max<std::size_t>(n_classes_, 2), 0);
    return 4 * held_bytes() + most_of_rows(1) + 1024 * kinds.size() + (2 * leaves_.size() + 4) * leaf;
}

// Everything that has a place for each class is copied.
std::size_t Growth::most_of_classes(std::size_t count) const noexcept {
    constexpr std::size_t of_a_node = 6 * sizeof(double), of_a_leaf = 4 * sizeof(double);
    const std::size_t places = of_a_node * nodes_.capacity() + of_a_leaf * leaves_.size();
    return 4 * held_bytes() + most_of_rows(1) + room_for_classes(count) * (places + 1024);
}

}  // namespace riparian
