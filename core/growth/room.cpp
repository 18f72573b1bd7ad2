#include "room.hpp"

#include <algorithm>
#include <utility>

#include "statistics.hpp"

namespace riparian {
namespace {

// Upper bound of the working memory per class, in addition to its counts.
constexpr std::size_t scratch_of_a_class = 64;

}  // namespace

// Up to 16 classes get exactly the room they need; then the room grows by a quarter at a time.
std::size_t room_for_classes(std::size_t count) noexcept {
    std::size_t room = std::max<std::size_t>(2, std::min<std::size_t>(count, 16));
    while (room < count) room += room / 4;
    return room;
}

// ---- what there is ----

std::size_t Room::lasting() const noexcept {
    return state_.structure.held + state_.memory.to_come() + state_.hooks->to_come();
}

Limit::Usage Room::usage() const noexcept {
    return {state_.settings.max_bytes, lasting(), state_.leaves.account().held};
}

std::size_t Room::growth(std::size_t branches, std::size_t splits) const noexcept {
    const Settings& settings = state_.settings;
    const std::size_t weights = state_.leaves.shape().class_stride * sizeof(double);
    std::size_t bytes =
        state_.nodes.growth(branches, splits) + state_.leaves.growth(settings, branches) +
        state_.nodes.growth_of_list(branches, 2 * weights) + state_.hooks->growth(branches);
    if (settings.short_memory) bytes += state_.nodes.growth_of_list(branches, weights);
    if (splits)
        bytes += state_.certificates.growth(splits, Certificates::most_rivals(settings) + 1);
    return bytes;
}

std::size_t Room::most_lasting(bool predicts) const noexcept {
    return Limit::most_lasting(state_.settings.max_bytes,
                               state_.memory.most_bytes() + state_.hooks->set_aside(),
                               predicts && state_.hooks->traits().replaces ? 2 : 1);
}

bool Room::may_add(std::size_t bytes, bool predicts) const noexcept {
    return !state_.limited() || lasting() + bytes <= most_lasting(predicts);
}

double Room::promise(std::int32_t node) const noexcept {
    const ClassWeights here = state_.leaves.weights(node);
    double total = 0.0, most = 0.0;
    for (std::size_t k = 0; k < state_.known.n_classes; ++k) {
        total += here[k];
        most = std::max(most, here[k]);
    }
    return total - most;
}

std::size_t Room::least_bytes() const noexcept {
    return needed(limit_.spare() + 2 * LeafStatistics::bytes(state_.leaves.shape(), 2, 0));
}

std::size_t Room::bytes_of_classes(std::size_t stride) const noexcept {
    const std::size_t rows = state_.nodes.capacity() * (state_.settings.short_memory ? 3 : 2);
    return taken(rows * stride * sizeof(double));
}

std::size_t Room::needed(std::size_t more, std::size_t classes) const noexcept {
    std::size_t held =
        lasting() - state_.hooks->can_give_up() + more + state_.known.expected_bytes();
    const std::size_t now = held;
    std::size_t most = held;
    classes = std::max(classes, state_.known.n_classes + state_.known.class_names.left());
    for (std::size_t stride = state_.leaves.shape().class_stride; stride < classes;) {
        const std::size_t wider = room_for_classes(stride + 1);
        held += (wider - stride) * scratch_of_a_class;
        most = std::max(most, held + bytes_of_classes(wider));
        held += bytes_of_classes(wider) - bytes_of_classes(stride);
        stride = wider;
    }
    // A tree with a limit this high grows before the last class appears.
    most += (most - now) / 4;
    return state_.hooks->limit_for(most);
}

bool Room::may_shrink_to(std::size_t limit) const noexcept {
    return limit == SIZE_MAX || state_.hooks->fits_in(limit, lasting());
}

bool Room::surely_fits(std::size_t names, std::size_t numbers) const noexcept {
    if (!state_.limited()) return true;
    const std::size_t most = std::max(lasting(), most_lasting());
    const std::size_t example = numbers ? state_.hooks->example_bytes(numbers) : 0;
    return example != SIZE_MAX && names + example <= minus(state_.settings.max_bytes, most);
}

// ---- making room ----

void Room::settle() noexcept {
    if (!state_.limited()) {
        state_.leaves.account().ceiling = SIZE_MAX;
        limit_.set_spare(0);
        return;
    }
    state_.leaves.account().ceiling = minus(state_.settings.max_bytes, lasting());
    // While a list grows, the old copy and the new copy both exist.
    const std::size_t weights = 2 * state_.leaves.shape().class_stride * sizeof(double);
    const std::size_t largest = std::max(
        {state_.nodes.copy_bytes(weights), state_.leaves.copy_bytes(),
         state_.certificates.copy_bytes(), state_.hooks->copy_bytes(), state_.memory.copy_bytes()});
    limit_.set_spare(room_of_a_row(state_.settings.statistics) + largest);
}

void Room::demand_structure(std::size_t more, std::size_t classes) {
    if (!state_.limited()) return;
    while (lasting() + more > state_.settings.max_bytes && state_.hooks->give_up()) {
    }
    if (lasting() + more > state_.settings.max_bytes) {
        throw LimitTooLow(state_.settings.max_bytes, needed(classes ? 0 : more, classes));
    }
    if (state_.leaves.account().held > state_.settings.max_bytes - lasting() - more)
        rank(more, none);
}

void Room::add_to_structure(std::size_t bytes) {
    demand_structure(bytes);
    state_.structure.held += bytes;
    settle();
}

bool Room::make_room_for(std::size_t bytes, std::int32_t keep) {
    if (!state_.limited()) return true;
    if (!limit_.over(usage(), bytes)) return true;
    rank(bytes, keep);
    return !limit_.over(usage(), bytes);
}

// The statistics of all new leaves may exceed the limit. Those of two must fit; otherwise the
// structure would leave no room for an active leaf.
Room::Fit Room::make_room_for_leaves(std::size_t bytes, std::size_t leaves, std::int32_t keep) {
    // Leaves lose their statistics only if that makes enough room.
    const std::size_t least =
        lasting() + limit_.spare() + (keep == none ? 0 : state_.leaves.bytes_of_a_leaf());
    const auto make_room = [&](std::size_t n) {
        const std::size_t more = bytes + n * state_.leaves.bytes_of_a_leaf();
        return least + more <= state_.settings.max_bytes && make_room_for(more, keep);
    };
    if (make_room(leaves)) return Fit::active;
    return leaves > 2 && make_room(2) ? Fit::inactive : Fit::none;
}

// See Limit::rank. Nodes that will never use statistics again lose them first.
void Room::rank(std::size_t need, std::int32_t keep) {
    const Limit::Usage now = usage();
    const std::size_t size = state_.leaves.bytes_of_a_leaf();
    std::vector<Limit::Candidate> candidates;
    candidates.reserve(state_.leaves.size());
    for (std::size_t place = 0; place < state_.leaves.size(); ++place) {
        const NodeRecord& leaf = state_.leaves[place];
        if (state_.hooks->uses_statistics(leaf.node)) {
            candidates.emplace_back(promise(leaf.node), leaf, place);
        } else if (leaf.statistics.is_open()) {
            state_.leaves.deactivate(place);
        }
    }
    for (const std::size_t place :
         limit_.rank(state_.leaves, std::move(candidates), now, size, need, keep, state_.seen)) {
        activate(state_, place);
    }
}

void Room::reconsider(std::size_t place) {
    if (limit_.too_soon(state_.seen, state_.leaves.size())) return;
    if (limit_.promising(usage(), promise(state_.leaves[place].node))) rank(0, none);
}

void Room::set_max_bytes(std::size_t limit) {
    if (!may_shrink_to(limit)) throw LimitTooLow(limit, needed(0));
    state_.hooks->shrink_to(limit);
    state_.settings.max_bytes = limit;
    settle();
    rank(0, none);
}

// ---- memory that is set aside before it is needed ----

// While lists grow, the old and the new copies exist together, which doubles what is held. The check
// may split the leaf into one leaf per category.
std::size_t Room::most_of_rows(std::size_t rows) const noexcept {
    constexpr std::size_t small_things = 128 * 1024, a_leaf = 1024, a_feature = 256;
    std::size_t branches = 2;
    for (const std::int32_t n : state_.known.categories) {
        branches = std::max(branches, static_cast<std::size_t>(n) + 2);
    }
    const std::size_t classes = std::max<std::size_t>(state_.known.n_classes, 2);
    const auto checks =
        1 + static_cast<std::size_t>(static_cast<double>(rows) / state_.settings.grace_period);
    const std::size_t leaf = a_leaf + LeafStatistics::bytes(state_.leaves.shape(), classes, 0);
    return 2 * state_.held_bytes() + small_things + a_feature * state_.nodes.features().size() +
           checks * branches * leaf;
}

// Every node that has statistics is copied to its new width.
std::size_t Room::most_of_features(const std::vector<Kind>& kinds) const noexcept {
    Shape to = state_.leaves.shape();
    for (const Kind kind : kinds) ++(kind == Kind::numeric ? to.numeric : to.categorical);
    to.stride = (to.numeric + 3) / 4 * 4;
    const std::size_t classes = std::max<std::size_t>(state_.known.n_classes, 2);
    const std::size_t leaf = LeafStatistics::bytes(to, classes, 0);
    return 4 * state_.held_bytes() + most_of_rows(1) + 1024 * kinds.size() +
           (2 * state_.leaves.size() + 4) * leaf;
}

// Every list with one entry per class is copied.
std::size_t Room::most_of_classes(std::size_t count) const noexcept {
    constexpr std::size_t of_a_node = 6 * sizeof(double), of_a_leaf = 4 * sizeof(double);
    const std::size_t places =
        of_a_node * state_.nodes.capacity() + of_a_leaf * state_.leaves.size();
    return 4 * state_.held_bytes() + most_of_rows(1) + room_for_classes(count) * (places + 1024);
}

}  // namespace riparian
