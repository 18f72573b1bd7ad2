#include "duels.hpp"

#include <algorithm>
#include <cmath>

#include "../growth/snapshot_rules.hpp"
#include "../simd/scalar.hpp"

namespace riparian {
namespace {

// As bets of races: the mean of past differences over their mean square, at most this
// [waudbysmith2024]. Before the first row the mean is 0, as over this many rows.
constexpr double largest_bet = 0.75;
constexpr double rows_before = 8.0;

// Whether rows can have led to these sums. A bet changes a logarithm by at most ln 4.
bool is_possible(const Duel& d) {
    const auto is_count = [](double x) { return x >= 0.0 && x == std::floor(x); };
    const double won = (d.unequal + d.difference) / 2.0, lost = (d.unequal - d.difference) / 2.0;
    return is_count(std::fabs(d.rows)) && is_count(d.errors) && is_count(won) && is_count(lost) &&
           won <= d.errors && d.errors + lost <= std::max(0.0, d.rows) &&
           std::max(std::fabs(d.ahead), std::fabs(d.behind)) <= 2.0 * d.unequal;
}

}  // namespace

void Duel::bet(bool alternate_wrong) noexcept {
    rows += 1.0;
    if (rows <= 0.0) return;
    if (node_wrong) errors += 1.0;
    const double d = (node_wrong ? 1.0 : 0.0) - (alternate_wrong ? 1.0 : 0.0);
    if (d != 0.0) {
        // The mean square of differences of -1, 0 and 1 is the share of those that are not 0.
        const double lambda = std::fabs(difference) / (unequal + rows_before);
        const double bet = std::min(largest_bet, lambda);
        if (difference > 0.0) ahead += ln(1.0 + bet * d);
        if (difference < 0.0) behind += ln(1.0 - bet * d);
        difference += d;
        unequal += 1.0;
    }
}

Duel* Duels::find(std::uint64_t born) noexcept {
    const auto at = std::lower_bound(duels_.begin(), duels_.end(), born,
                                     [](const Duel& d, std::uint64_t b) { return d.born < b; });
    return at != duels_.end() && at->born == born ? &*at : nullptr;
}

Duel& Duels::begin(std::uint64_t born, double wait) {
    make_room(duels_);
    const auto at = std::lower_bound(duels_.begin(), duels_.end(), born,
                                     [](const Duel& d, std::uint64_t b) { return d.born < b; });
    return *duels_.insert(at, fresh(born, wait));
}

Duel Duels::fresh(std::uint64_t born, double wait) noexcept {
    Duel duel;
    duel.born = born;
    duel.rows = -std::ceil(wait);
    return duel;
}

void Duels::save(Snapshot& s) const {
    for (const Duel& d : duels_) {
        s.duel_born.push_back(d.born);
        s.duel_values.insert(s.duel_values.end(),
                             {d.rows, d.errors, d.difference, d.unequal, d.ahead, d.behind});
    }
}

void Duels::read(const Snapshot& s) {
    demand_size(s.duel_values, s.duel_born.size() * Snapshot::duel_values_each, "duel_values");
    duels_ = {};
    for (std::size_t i = 0; i < s.duel_born.size(); ++i) {
        const Where where = at_row("duel_born", i);
        demand(i == 0 || s.duel_born[i] > s.duel_born[i - 1], where + "not in the order of birth");
        const double* const v = s.duel_values.data() + i * Snapshot::duel_values_each;
        for (std::size_t k = 0; k < Snapshot::duel_values_each; ++k) {
            demand(std::fabs(v[k]) <= 0x1p53, where + "not a number");
        }
        demand(is_possible({s.duel_born[i], v[0], v[1], v[2], v[3], v[4], v[5]}),
               where + "impossible bets");
        make_room(duels_);
        duels_.push_back({s.duel_born[i], v[0], v[1], v[2], v[3], v[4], v[5]});
    }
}

void Duels::demand_alternate(bool there, std::size_t place) {
    demand(there, at_row("duel_born", place) + "no such alternate");
}

}  // namespace riparian
