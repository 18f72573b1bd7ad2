#include "history.hpp"

#include <string>

#include "../growth/files.hpp"
#include "../growth/snapshot_rules.hpp"

namespace riparian {

void History::add(const FormerSplit& former, std::size_t room) {
    if (splits_.size() >= room) {
        const std::size_t oldest = splits_.size() - (room ? room - 1 : 0);
        splits_.erase(splits_.begin(), splits_.begin() + static_cast<std::ptrdiff_t>(oldest));
        set_room(splits_, more_room(0, splits_.size()));
    }
    if (!room) return;
    make_room(splits_);
    splits_.push_back(former);
}

void History::save(Snapshot& s) const {
    for (const FormerSplit& f : splits_) {
        const Split& split = f.split;
        s.former_times.insert(s.former_times.end(), {split.seen, f.until, split.pass});
        s.former_places.insert(s.former_places.end(),
                               {f.depth, static_cast<std::int32_t>(split.verdict), split.criterion,
                                static_cast<std::int32_t>(f.cut.test), f.cut.feature,
                                f.cut.category, static_cast<std::int32_t>(f.second.test),
                                f.second.feature, f.second.category});
        s.former_values.insert(s.former_values.end(),
                               {split.n, split.gain_range, split.epsilon, split.delta, split.spent,
                                split.gain, static_cast<double>(split.log_evidence),
                                f.cut.threshold, f.second.threshold, f.second.gain});
    }
}

void History::restore(const GrowthState& state, const Snapshot& s) {
    const std::size_t n = s.former_times.size() / Snapshot::former_times_each;
    demand_size(s.former_times, n * Snapshot::former_times_each, "former_times");
    demand_size(s.former_places, n * Snapshot::former_places_each, "former_places");
    demand_size(s.former_values, n * Snapshot::former_values_each, "former_values");
    demand(n <= most, "former_times is too long");
    splits_ = {};
    for (std::size_t i = 0; i < n; ++i) {
        const Where where = at_row("former_times", i);
        const std::uint64_t* const t = s.former_times.data() + i * Snapshot::former_times_each;
        const std::int32_t* const p = s.former_places.data() + i * Snapshot::former_places_each;
        const double* const v = s.former_values.data() + i * Snapshot::former_values_each;
        demand(t[1] >= t[0] && t[1] <= state.seen && (i == 0 || splits_.back().until <= t[1]),
               where + "not in the order of time");
        demand(t[2] <= state.passes && p[0] >= 0 && p[1] >= 0 && p[1] <= 255 && p[2] >= 0 &&
                   p[2] <= 255,
               where + "an impossible split");
        demand(p[3] > 0 && p[3] <= 3 &&
                   possible(s, state.nodes.features(), static_cast<std::uint8_t>(p[3]), p[4], v[7],
                            p[5]),
               where + "an impossible test");
        const bool alone = p[7] == none;
        const Split split{t[0],
                          v[0],
                          v[1],
                          v[2],
                          v[3],
                          v[4],
                          v[5],
                          none,
                          static_cast<Verdict>(p[1]),
                          static_cast<std::uint8_t>(p[2]),
                          static_cast<std::uint8_t>(alone ? 0 : 1),
                          alone,
                          static_cast<std::uint32_t>(t[2]),
                          static_cast<float>(v[6])};
        demand_split(state, split, static_cast<Test>(p[3]), where);
        Rival second = no_rival;
        if (alone) {
            demand(p[6] == 0 && p[8] == none && v[8] == 0.0 && v[9] == 0.0,
                   where + "an impossible runner-up");
        } else {
            demand(p[6] >= 0 && p[6] <= 3, where + "an impossible runner-up");
            second = demand_rival(state, s, static_cast<std::uint8_t>(p[6]), p[7], v[8], p[8], v[9],
                                  where);
        }
        make_room(splits_);
        splits_.push_back(
            {split, Cut{v[7], p[4], p[5], static_cast<Test>(p[3])}, second, p[0], t[1]});
    }
}

}  // namespace riparian
