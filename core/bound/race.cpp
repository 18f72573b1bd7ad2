#include "race.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../simd/scalar.hpp"
#include "wager.hpp"

namespace riparian {
namespace {

// Bets change every so many rows: a logarithm is folded and a bet divided only then.
constexpr std::uint64_t pace = 8;
// Before its first row a bet counts the gap of the estimated gains as so many rows, with this mean
// square.
constexpr double rows_before = 8.0;
constexpr double square_before = 0.04;
// Estimates of the statistics count as at most so many rows of the forecasts.
constexpr double most_estimated = 100.0;
// Added to each class weight of a forecast.
constexpr double prior = 0.5;

}  // namespace

std::size_t Race::Contender::branch(const Row& row) const noexcept {
    if (cut.test == Test::threshold) {
        const double x = row.x[slot];
        if (x != x) return static_cast<std::size_t>(heavy);
        return x <= cut.threshold ? 0 : 1;
    }
    if (cut.feature == none) return 0;
    const std::int32_t code = row.codes[slot];
    if (code < 0) return static_cast<std::size_t>(heavy);
    if (cut.test == Test::one_value) return code == cut.category ? 0 : 1;
    return std::min(static_cast<std::size_t>(code), static_cast<std::size_t>(branches) - 1);
}

std::size_t Race::size_of(const Contender& c, bool rival) const noexcept {
    const std::size_t forecasts = c.branches * per_branch();
    return rival ? Bets::size + forecasts + sums() * c.branches * classes_ : forecasts;
}

void Race::arrange() {
    std::size_t at = 0;
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
        contenders_[i].at = static_cast<std::uint32_t>(at);
        at += size_of(contenders_[i], i > 0);
    }
    numbers_ = Held<double>(at, 0.0);
}

void Race::end() noexcept {
    contenders_ = {};
    numbers_ = {};
    classes_ = 0;
    rows_ = 0;
    evidence_ = 0.0;
}

void Race::begin(const Stakes& stakes, std::span<const Nominee> nominees, std::size_t classes) {
    end();
    stakes_ = stakes;
    classes_ = classes;
    Held<Contender> contenders(nominees.size() + 1);
    for (std::size_t i = 0; i < nominees.size(); ++i) {
        const Nominee& n = nominees[i];
        contenders[i] = {n.cut, static_cast<std::uint32_t>(n.slot),
                         static_cast<std::uint32_t>(n.branches), 0, 0};
    }
    contenders_ = std::move(contenders);  // the last is the null cut
    try {
        arrange();
    } catch (...) {
        end();
        throw;
    }
    const double scale_of_gain = stakes.labels ? 1.0 : 0.5;
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
        Contender& c = contenders_[i];
        double* numbers = numbers_.data() + c.at;
        if (i > 0) {
            Bets& b = Bets::at(numbers);
            b.product = b.slack_factor = 1.0;
            const double gap = scale_of_gain * (contenders_[0].cut.gain - c.cut.gain);
            b.differences = rows_before * std::clamp(gap, 0.0, 1.0);
            b.squares = rows_before * std::max(square_before, gap * gap);
            numbers += Bets::size;
        }
        const bool whole = i == nominees.size();
        const std::vector<double>& table = nominees[whole ? 0 : i].table;
        double total = 0.0, most = -1.0;
        for (const double w : table) total += w;
        const double scale = total > most_estimated ? most_estimated / total : 1.0;
        for (std::size_t b = 0; b < table.size() / classes; ++b) {
            double* const to = numbers + (whole ? 0 : b * per_branch());
            double weight = 0.0;
            for (std::size_t k = 0; k < classes; ++k) {
                to[k] += scale * table[b * classes + k];
                weight += table[b * classes + k];
            }
            if (!whole && weight > most) {
                most = weight;
                c.heavy = static_cast<std::int32_t>(b);
            }
        }
        for (std::size_t b = 0; b < c.branches; ++b, numbers += per_branch()) {
            double sum = 0.0, squares = 0.0;
            for (std::size_t k = 0; k < classes; ++k) {
                sum += numbers[k];
                squares += numbers[k] * numbers[k];
            }
            numbers[classes] = sum;
            const auto label = std::max_element(numbers, numbers + classes) - numbers;
            numbers[classes + 1] = stakes.labels ? static_cast<double>(label) : squares;
        }
    }
}

double Race::loss(const double* branch, std::size_t y) const noexcept {
    const double last = branch[classes_ + 1];
    if (stakes_.labels) return static_cast<double>(y) == last ? 0.0 : 1.0;
    const double sum = branch[classes_];
    const auto k = static_cast<double>(classes_);
    const double inverse = 1.0 / (sum + k * prior);
    const double squares = last + 2.0 * prior * sum + k * prior * prior;
    return 0.5 + inverse * (0.5 * squares * inverse - (branch[y] + prior));
}

void Race::count(double* branch, std::size_t y) const noexcept {
    double& last = branch[classes_ + 1];
    if (stakes_.labels) {
        branch[y] += 1.0;
        if (branch[y] > branch[static_cast<std::size_t>(last)]) last = static_cast<double>(y);
    } else {
        last += 2.0 * branch[y] + 1.0;
        branch[y] += 1.0;
    }
    branch[classes_] += 1.0;
}

void Race::place_bets() noexcept {
    const double largest = stakes_.labels || classes_ <= 2 ? wager::most : wager::most_of_many;
    for (std::size_t i = 1; i < contenders_.size(); ++i) {
        Bets& b = Bets::at(numbers_.data() + contenders_[i].at);
        const double tolerance = contenders_[i].cut.feature == none ? 0.0 : stakes_.tolerance;
        b.wealth += ln(b.product);
        b.slack += ln(b.slack_factor);
        b.product = b.slack_factor = 1.0;
        const double n = rows() + rows_before;
        b.bet = wager::bet(b.differences / n, b.squares / n, tolerance, largest);
        if (!stakes_.labels) continue;
        b.lost = ln(1.0 + b.bet * (tolerance - 1.0));
        b.even = ln(1.0 + b.bet * tolerance);
        b.won = ln(1.0 + b.bet * (tolerance + 1.0));
    }
}

void Race::learn(const Row& row, std::size_t y) noexcept {
    if (contenders_.empty()) return;
    if (y >= classes_) {
        end();
        return;
    }
    if (rows_ % pace == 0) place_bets();
    double* const all = numbers_.data();
    double* const own = all + contenders_[0].branch(row) * per_branch();
    const double lost = loss(own, y);
    for (std::size_t i = 1; i < contenders_.size(); ++i) {
        const Contender& c = contenders_[i];
        double* const numbers = all + c.at;
        Bets& b = Bets::at(numbers);
        const std::size_t branch = c.branch(row);
        double* const forecast = numbers + Bets::size + branch * per_branch();
        double* const sums = numbers + Bets::size + c.branches * per_branch() + branch * classes_;
        const double at = loss(forecast, y);
        const double difference = at - lost;
        if (b.bet > 0.0) {
            const double tolerance = c.cut.feature == none ? 0.0 : stakes_.tolerance;
            const double charge = lost - tolerance;
            const double inverse = 1.0 / (1.0 - b.bet * charge);
            b.slack_factor *= 1.0 - b.bet * tolerance * inverse;
            if (stakes_.labels) {
                // What any other label than y adds, and by how much y itself adds less.
                b.constant += lost > 0.0 ? b.even : b.won;
                sums[y] += lost > 0.0 ? b.lost - b.even : b.even - b.won;
            } else {
                const wager::Parabola p = wager::below_logarithm(b.bet, at, charge, inverse);
                b.product *= 1.0 + b.bet * (at - charge);
                b.constant += p.constant;
                sums[y] += p.slope;
                sums[c.branches * classes_ + y] += p.curvature;
            }
        }
        b.differences += difference;
        b.squares += difference * difference;
        count(forecast, y);
    }
    count(own, y);
    ++rows_;
}

RaceStanding Race::evidence_against(std::size_t i, double* q) const {
    const Contender& c = contenders_[i];
    const double* const numbers = numbers_.data() + c.at;
    const Bets& b = Bets::at(numbers);
    const double* const sums = numbers + Bets::size + c.branches * per_branch();
    double log = b.wealth + ln(b.product) + b.constant;
    for (std::size_t v = 0; v < c.branches; ++v) {
        const double* const first = sums + v * classes_;
        log += stakes_.labels
                   ? wager::least_label(first, classes_)
                   : wager::least_brier(first, first + c.branches * classes_, classes_, q);
    }
    return {i, log, log + b.slack + ln(b.slack_factor)};
}

RaceStanding Race::standing(std::size_t rival) const {
    std::vector<double> q(classes_);
    return evidence_against(rival, q.data());
}

// Most rivals are far behind, and a rough lower bound of the evidence against them shows it. The rival
// with the least is the first.
RaceStanding Race::standing() const {
    RaceStanding s;
    s.within = s.better = std::numeric_limits<double>::infinity();
    std::vector<double> q(classes_), rough(contenders_.size());
    const auto rough_evidence = [&](std::size_t i) {
        const Contender& c = contenders_[i];
        const double* const numbers = numbers_.data() + c.at;
        const Bets& b = Bets::at(numbers);
        const double* const sums = numbers + Bets::size + c.branches * per_branch();
        double log = b.wealth + ln(b.product) + b.constant;
        for (std::size_t v = 0; v < c.branches; ++v) {
            const double* const first = sums + v * classes_;
            log += stakes_.labels
                       ? wager::least_label(first, classes_)
                       : wager::rough_brier(first, first + c.branches * classes_, classes_);
        }
        return log;
    };
    std::size_t first = 1;
    for (std::size_t i = 1; i < contenders_.size(); ++i) {
        rough[i] = rough_evidence(i);
        if (rough[i] < rough[first]) first = i;
    }
    for (std::size_t k = 1; k < contenders_.size(); ++k) {
        const std::size_t i = k == 1 ? first : k == first ? 1 : k;
        const Bets& b = Bets::at(numbers_.data() + contenders_[i].at);
        if (rough[i] > s.within && rough[i] + b.slack + ln(b.slack_factor) > s.better) continue;
        const RaceStanding against = evidence_against(i, q.data());
        if (against.within < s.within) {
            s.within = against.within;
            s.closest = i;
        }
        s.better = std::min(s.better, against.better);
    }
    return s;
}

// W(q) of all rows is the product of the parts, for each q, so their sums add up.
void Race::merge(const Race& other) {
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
        const Contender& c = contenders_[i];
        double* to = numbers_.data() + c.at;
        const double* from = other.numbers_.data() + c.at;
        if (i > 0) {
            Bets& b = Bets::at(to);
            const Bets& o = Bets::at(from);
            b.wealth += ln(b.product) + o.wealth + ln(o.product);
            b.slack += ln(b.slack_factor) + o.slack + ln(o.slack_factor);
            b.product = b.slack_factor = 1.0;
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
    rows_ += other.rows_;
}

bool Race::is_stale(double weight, const RaceStanding& s) const noexcept {
    return weight >= 2.0 * stakes_.begun && s.within < 0.2 * stakes_.log_threshold;
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
        outside = stakes_.labels ? std::max(outside, sum) : outside + sum * sum / total;
    }
    return std::max(0.0, (inside - outside) / total);
}

Candidate Race::contender(std::size_t i) const {
    Candidate out = contenders_[i].cut;
    out.gain = gain(contenders_[i], i > 0);
    return out;
}

}  // namespace riparian
