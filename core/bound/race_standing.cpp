// What a race has shown, and how far it has come.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../simd/scalar.hpp"
#include "race.hpp"
#include "wager.hpp"

namespace riparian {

// The forecasts of the rival itself are hardly ever better than the best constant ones, and a constant
// that is near the best is no better either. So the infimum is computed only if these lose enough: the
// evidence may be looked at whenever one likes.
void Race::judge(std::size_t i, double* q) noexcept {
    Contender& c = contenders_[i];
    Bets& b = Bets::at(numbers_.data() + c.at);
    const double threshold = stakes_.log_threshold;
    const bool aims_at_better = b.differences > tolerance(c) * (rows() + wager::rows_before);
    if (c.shown == Shown::within && !aims_at_better) {
        c.shown = Shown::within_only;
        return;
    }
    if (!stakes_.labels) {
        const double slack = c.shown == Shown::within ? b.slack : 0.0;
        if (b.wealth + slack < threshold) return;
        // The infimum takes several rounds. It is not above what some forecasts give, apart from rounding.
        const double rounding = 1e-3 + 1e-9 * (std::fabs(b.wealth) + std::fabs(b.constant));
        if (most_evidence(i) + slack < threshold - rounding) return;
    }
    const RaceStanding s = evidence_against(i, q);
    if (s.within < threshold) return;
    if (c.shown == Shown::nothing) b.shown = s.within;
    if (s.better >= threshold) c.shown = Shown::better;
    else c.shown = aims_at_better ? Shown::within : Shown::within_only;
}

bool Race::is_won() const noexcept {
    return runs() && std::all_of(contenders_.begin() + 1, contenders_.end(),
                                 [](const Contender& c) { return c.shown != Shown::nothing; });
}

bool Race::is_clear() const noexcept {
    return runs() && std::all_of(contenders_.begin() + 1, contenders_.end(),
                                 [](const Contender& c) { return c.shown == Shown::better; });
}

RaceStanding Race::evidence_against(std::size_t i, double* q) const {
    const Contender& c = contenders_[i];
    const double* const numbers = numbers_.data() + c.at;
    const Bets& b = Bets::at(numbers);
    const double* const sums = numbers + Bets::size + c.branches * per_branch();
    double log = b.wealth + b.constant;
    for (std::size_t v = 0; v < c.branches; ++v) {
        const double* const first = sums + v * classes_;
        log += stakes_.labels
                   ? wager::least_label(first, classes_)
                   : wager::least_brier(first, first + c.branches * classes_, classes_, q);
    }
    return {i, log, log + b.slack};
}

// The logarithm of the wealth at constant forecasts, which is above its infimum.
double Race::most_evidence(std::size_t i) const noexcept {
    const Contender& c = contenders_[i];
    const double* const numbers = numbers_.data() + c.at;
    const Bets& b = Bets::at(numbers);
    const double* const sums = numbers + Bets::size + c.branches * per_branch();
    double log = b.wealth + b.constant;
    for (std::size_t v = 0; v < c.branches; ++v) {
        const double* const first = sums + v * classes_;
        log += wager::some_brier(first, first + c.branches * classes_, classes_);
    }
    return log;
}

RaceStanding Race::standing() const {
    RaceStanding s;
    s.within = s.better = std::numeric_limits<double>::infinity();
    std::vector<double> q(classes_);
    for (std::size_t i = 1; i < contenders_.size(); ++i) {
        if (contenders_[i].shown != Shown::nothing) continue;
        const RaceStanding against = evidence_against(i, q.data());
        if (against.within < s.within) {
            s.within = against.within;
            s.closest = i;
        }
        s.better = std::min(s.better, against.better);
    }
    return s;
}

std::size_t Race::closest_rival() const noexcept {
    const bool won = is_won();
    std::size_t closest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < contenders_.size(); ++i) {
        if (!won && contenders_[i].shown != Shown::nothing) continue;
        const double lost =
            won ? Bets::at(numbers_.data() + contenders_[i].at).shown : log_wealth(i);
        if (closest && !(lost < least)) continue;
        least = lost;
        closest = i;
    }
    return closest;
}

double Race::log_wealth(std::size_t i) const noexcept {
    const Contender& c = contenders_[i];
    const double* const numbers = numbers_.data() + c.at;
    const Bets& b = Bets::at(numbers);
    if (!stakes_.labels) return b.wealth;
    double log = b.constant;
    const double* const sums = numbers + Bets::size + c.branches * per_branch();
    for (std::size_t v = 0; v < c.branches; ++v) {
        log += wager::least_label(sums + v * classes_, classes_);
    }
    return log;
}

RaceStanding Race::closest() const {
    RaceStanding s;
    s.closest = closest_rival();
    if (is_won()) {
        s.within = Bets::at(numbers_.data() + contenders_[s.closest].at).shown;
    } else if (judged_) {
        s.within = evidence();
    } else {
        std::vector<double> q(classes_);
        s.within = evidence_against(s.closest, q.data()).within;
    }
    return s;
}

double Race::gain(const Contender& c, bool rival) const {
    if (c.cut.feature == none) return 0.0;
    const double* const first = numbers_.data() + c.at + (rival ? Bets::size : 0);
    double total = 0.0, inside = 0.0, outside = 0.0;
    for (std::size_t v = 0; v < c.branches; ++v) {
        const double* const branch = first + v * per_branch();
        const double weight = branch[classes_];
        if (!(weight > 0.0)) continue;
        total += weight;
        inside += stakes_.labels ? *std::max_element(branch, branch + classes_)
                                 : branch[classes_ + 1] / weight;
    }
    if (!(total > 0.0)) return 0.0;
    for (std::size_t k = 0; k < classes_; ++k) {
        double sum = 0.0;
        for (std::size_t v = 0; v < c.branches; ++v) sum += first[v * per_branch() + k];
        outside = stakes_.labels ? std::max(outside, sum) : outside + sum * sum;
    }
    if (!stakes_.labels) outside /= total;
    return std::max(0.0, (inside - outside) / total);
}

Candidate Race::contender(std::size_t i) const {
    Candidate out = contenders_[i].cut;
    out.gain = gain(contenders_[i], i > 0);
    return out;
}

Race Race::for_worker() const {
    Race race = *this;
    race.stakes_.log_threshold = std::numeric_limits<double>::infinity();
    return race;
}

// W(q) of all rows is the product of the parts, for each q, so their sums add up.
void Race::merge(const Race& worker) {
    Race other = worker;
    other.end_block();
    end_block();
    rows_ += other.rows_;
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
        const Contender& c = contenders_[i];
        double* to = numbers_.data() + c.at;
        const double* from = other.numbers_.data() + c.at;
        if (i > 0) {
            Bets& b = Bets::at(to);
            const Bets& o = Bets::at(from);
            b.wealth += o.wealth;
            b.slack += o.slack;
            b.constant += o.constant;
            b.differences += o.differences;
            b.squares += o.squares;
            to += Bets::size;
            from += Bets::size;
            const std::size_t first = c.branches * per_branch();
            for (std::size_t s = 0; s < sums() * c.branches * classes_; ++s) {
                to[first + s] += from[first + s];
            }
        }
        for (std::size_t v = 0; v < c.branches; ++v, to += per_branch(), from += per_branch()) {
            for (std::size_t k = 0; k <= classes_; ++k) to[k] += from[k];
            double squares = 0.0;
            for (std::size_t k = 0; k < classes_; ++k) squares += to[k] * to[k];
            const auto label = std::max_element(to, to + classes_) - to;
            to[classes_ + 1] = stakes_.labels ? static_cast<double>(label) : squares;
        }
    }
    begin_block();
    for (std::size_t i = 1; i < contenders_.size(); ++i) {
        judge(i, room());
        place_bet(contenders_[i]);
    }
}

}  // namespace riparian
