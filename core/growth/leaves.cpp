#include "leaves.hpp"

#include <algorithm>
#include <utility>

namespace riparian {

void Leaves::widen_counts(std::size_t from, std::size_t nodes) {
    const std::size_t to = shape_.class_stride;
    const std::size_t n = counts_.size() / from;
    Held<double> wider;
    wider.reserve(2 * nodes * to);
    wider.resize(n * to, 0.0);
    for (std::size_t row = 0; row < n; ++row) {
        std::copy_n(counts_.data() + row * from, from, wider.data() + row * to);
    }
    counts_ = std::move(wider);
}

void Leaves::open(const Settings& settings, std::int32_t node, std::size_t place) {
    if (place == records_.size()) {
        make_room(1);
        records_.emplace_back();
    }
    const auto make_place = [&](bool wanted, auto& v) {
        if (!wanted || place < v.size()) return;
        riparian::make_room(v);
        v.resize(place + 1);
    };
    make_place(LeafExtras::wanted(settings), extras_);
    make_place(keeps_state(settings.leaf), states_);
    make_place(settings.selects(), tracked_features_);
    make_place(settings.adaptive_grace, delays_);
    make_place(settings.short_memory > 0, recalled_);
    if (settings.adaptive_grace) delays_[place] = settings.grace_period;
    if (settings.short_memory) recalled_[place] = 0.0;
    records_[place] = {};
    records_[place].node = node;
}

void Leaves::deactivate(std::size_t place) noexcept {
    const Charge charge(account_);
    NodeRecord& leaf = records_[place];
    leaf.statistics.close();
    leaf.recent.reset();
    leaf.last.reset();
    if (!extras_.empty()) extras_[place].reset();
    if (!states_.empty()) states_[place].reset();
    if (!tracked_features_.empty()) tracked_features_[place].reset();
    if (!recalled_.empty()) recalled_[place] = 0.0;
    leaf.classes = 0;
    leaf.inherited = 0.0;
    forget(place);
    --n_active_;
}

void Leaves::forget_check(std::size_t place) noexcept {
    const Charge charge(account_);
    records_[place].last.reset();
}

void Leaves::forget(std::size_t place) noexcept {
    NodeRecord& leaf = records_[place];
    leaf.weight = leaf.checked = 0.0;
    leaf.numbers = {};
}

void Leaves::clear() noexcept {
    records_.clear();
    extras_.clear();
    states_.clear();
    tracked_features_.clear();
}

std::vector<std::int32_t> Leaves::compact(const std::vector<std::int32_t>& ids) {
    std::vector<std::int32_t> places(records_.size(), none);
    std::size_t left = 0;
    const auto move_to_left = [&](auto& v, std::size_t from) {
        if (from != left && !v.empty()) v[left] = std::move(v[from]);
    };
    for (std::size_t place = 0; place < records_.size(); ++place) {
        const std::int32_t node = ids[static_cast<std::size_t>(records_[place].node)];
        if (node == none) {
            if (records_[place].statistics.is_open()) deactivate(place);
            continue;
        }
        places[place] = static_cast<std::int32_t>(left);
        records_[place].node = node;
        move_to_left(records_, place);
        move_to_left(extras_, place);
        move_to_left(states_, place);
        move_to_left(tracked_features_, place);
        move_to_left(delays_, place);
        ++left;
    }
    cut_to(records_, left);
    cut_to(extras_, left);
    cut_to(states_, left);
    cut_to(tracked_features_, left);
    cut_to(delays_, left);
    return places;
}

void Leaves::compact_counts(const std::vector<std::int32_t>& ids, std::size_t left,
                            std::size_t room) {
    const std::size_t a_node = 2 * shape_.class_stride;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] == none) continue;
        std::copy_n(counts_.data() + i * a_node, a_node,
                    counts_.data() + static_cast<std::size_t>(ids[i]) * a_node);
    }
    counts_.resize(left * a_node);
    set_room(counts_, room * a_node);
}

std::size_t Leaves::growth(const Settings& settings, std::size_t records) const noexcept {
    std::size_t bytes = 0;
    const auto add = [&](bool wanted, const auto& v) {
        if (wanted) bytes += growth_in_bytes(v, records, sizeof(v[0]));
    };
    add(true, records_);
    add(LeafExtras::wanted(settings), extras_);
    add(keeps_state(settings.leaf), states_);
    add(settings.selects(), tracked_features_);
    add(settings.adaptive_grace, delays_);
    add(settings.short_memory > 0, recalled_);
    return bytes;
}

}  // namespace riparian
