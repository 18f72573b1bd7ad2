#include "certificates.hpp"

#include <algorithm>

namespace riparian {

void Certificates::insert(const Split& split, const Rival* rivals) {
    std::size_t before = 0, place = 0;
    while (before < splits_.size() && splits_[before].seen <= split.seen) {
        place += splits_[before++].rivals;
    }
    make_room(splits_);
    splits_.insert(splits_.begin() + static_cast<std::ptrdiff_t>(before), split);
    make_room(rivals_, split.rivals);
    rivals_.insert(rivals_.begin() + static_cast<std::ptrdiff_t>(place), rivals,
                   rivals + split.rivals);
}

void Certificates::forget(std::int32_t node) {
    std::size_t rival = 0;
    for (std::size_t i = 0; i < splits_.size(); rival += splits_[i++].rivals) {
        if (splits_[i].node != node) continue;
        const auto first = rivals_.begin() + static_cast<std::ptrdiff_t>(rival);
        rivals_.erase(first, first + splits_[i].rivals);
        splits_.erase(splits_.begin() + static_cast<std::ptrdiff_t>(i));
        break;
    }
    set_room(rivals_, more_room(0, rivals_.size()));
}

void Certificates::rename(std::int32_t from, std::int32_t to) noexcept {
    for (Split& split : splits_) {
        if (split.node == from) split.node = to;
    }
}

void Certificates::compact(const std::vector<std::int32_t>& ids) {
    std::size_t left = 0, rival = 0, rivals = 0;
    for (const Split& split : splits_) {
        const std::size_t first = std::exchange(rival, rival + split.rivals);
        const std::int32_t id =
            split.node == none ? none : ids[static_cast<std::size_t>(split.node)];
        if (id == none) continue;
        Split moved = split;
        moved.node = id;
        splits_[left++] = moved;
        std::copy_n(rivals_.begin() + static_cast<std::ptrdiff_t>(first), split.rivals,
                    rivals_.begin() + static_cast<std::ptrdiff_t>(rivals));
        rivals += split.rivals;
    }
    cut_to(splits_, left);
    cut_to(rivals_, rivals);
}

void Certificates::save(Snapshot& s) const {
    auto rival = rivals_.begin();
    for (const Split& split : splits_) {
        s.split_node.push_back(split.node);
        s.split_seen.push_back(split.seen);
        s.split_verdict.push_back(static_cast<std::uint8_t>(split.verdict));
        s.split_n.push_back(split.n);
        s.split_gain_range.push_back(split.gain_range);
        s.split_epsilon.push_back(split.epsilon);
        s.split_gain.push_back(split.gain);
        s.split_delta.push_back(split.delta);
        s.split_spent.push_back(split.spent);
        s.split_criterion.push_back(split.criterion);
        s.split_pass.push_back(split.pass);
        s.split_evidence.push_back(static_cast<double>(split.log_evidence));
        const Rival& second = split.null_second ? no_rival : *rival;
        s.second_feature.push_back(second.feature);
        s.second_category.push_back(second.category);
        s.second_test.push_back(static_cast<std::uint8_t>(second.test));
        s.second_threshold.push_back(second.threshold);
        s.second_gain.push_back(second.gain);
        // The cuts behind the second one. If the second is the null cut, these are all cuts that lost.
        const std::size_t skipped = split.null_second ? 0 : 1;
        s.rivals.push_back(static_cast<std::uint8_t>(split.rivals - skipped));
        for (std::size_t i = 0; i < split.rivals; ++i, ++rival) {
            if (i < skipped) continue;
            s.rival_feature.push_back(rival->feature);
            s.rival_category.push_back(rival->category);
            s.rival_test.push_back(static_cast<std::uint8_t>(rival->test));
            s.rival_threshold.push_back(rival->threshold);
            s.rival_gain.push_back(rival->gain);
        }
    }
    const auto raced = [](const Split& split) { return decided_by_race(split.verdict); };
    if (std::none_of(splits_.begin(), splits_.end(), raced)) s.split_evidence.clear();
}

}  // namespace riparian
