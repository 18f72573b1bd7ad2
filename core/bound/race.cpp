#include "race.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../simd/kernels.hpp"
#include "wager.hpp"

namespace riparian {
namespace {

// Blocks end after 2, 4, 8, 16 and 32 rows, and then get longer: by a share of the rows so far, but by
// at least 32. Where the evidence is about to reach the threshold they are shorter again.
constexpr std::uint64_t shortest_block = 16, usual_block = 32;
constexpr std::uint64_t part_of_rows = 4;
constexpr std::uint64_t longest_block = 1U << 30U;
// A rival with more counts than this does without: they would take more memory than its evidence.
constexpr std::size_t most_cells = 512;
// The mean square of the differences that a bet counts before its first row.
constexpr double square_before = 0.04;
// Estimates of the statistics count as at most this many rows of the forecasts.
constexpr double most_estimated = 100.0;
// Added to each class weight of a forecast.
constexpr double prior = 0.5;

// Rows of the block that begins after this many, at which the closest rival has lost this part of what it
// has to lose.
std::uint32_t block(std::uint64_t rows, double lost) noexcept {
    if (rows == 0) return 2;
    if (rows < usual_block) return static_cast<std::uint32_t>(rows);
    const std::uint64_t most = std::clamp(rows / part_of_rows, usual_block, longest_block);
    if (!(lost > 0.0)) return static_cast<std::uint32_t>(most);
    // At the pace so far: a part of the rows that are still needed.
    const double needed = static_cast<double>(rows) * (1.0 - lost) / lost;
    const double part =
        std::min(needed / static_cast<double>(part_of_rows), static_cast<double>(most));
    return static_cast<std::uint32_t>(std::max(part, static_cast<double>(shortest_block)));
}

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
    std::size_t at = 0, cells = 0, most = 0;
    const std::size_t keys = contenders_[0].branches * classes_;
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
        Contender& c = contenders_[i];
        const bool null = c.cut.feature == none;  // its counts are those of the leader
        c.at = static_cast<std::uint32_t>(at);
        at += size_of(c, i > 0);
        if (i > 0) most = std::max(most, std::size_t{c.branches} * classes_);
        const std::size_t own = i == 0 ? keys : keys * c.branches;
        c.counts = i == 0 || null || own <= most_cells;
        c.cells = static_cast<std::uint32_t>(null ? 0 : cells);
        if (c.counts && !null) cells += own;
    }
    numbers_ = Held<double>(at + keys + most, 0.0);
    cells_ = Held<std::uint32_t>(cells, 0);
}

void Race::end() noexcept {
    contenders_ = {};
    numbers_ = {};
    cells_ = {};
    classes_ = 0;
    rows_ = 0;
    left_ = 0;
    judged_ = 0;
    evidence_ = 0.0F;
}

void Race::begin(const Stakes& stakes, std::span<const Nominee> nominees, std::size_t classes) {
    end();
    stakes_ = stakes;
    classes_ = static_cast<std::uint32_t>(classes);
    begin_block();
    Held<Contender> contenders(nominees.size() + 1);
    for (std::size_t i = 0; i < nominees.size(); ++i) {
        const Nominee& n = nominees[i];
        contenders[i].cut = n.cut;
        contenders[i].slot = static_cast<std::uint32_t>(n.slot);
        contenders[i].branches = static_cast<std::uint32_t>(n.branches);
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
            const double gap = scale_of_gain * (contenders_[0].cut.gain - c.cut.gain);
            b.differences = wager::rows_before * std::clamp(gap, 0.0, 1.0);
            b.squares = wager::rows_before * std::max(square_before, gap * gap);
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
        if (i > 0) place_bet(c);
    }
}

double Race::label_of(const double* branch) const noexcept {
    return static_cast<double>(std::max_element(branch, branch + classes_) - branch);
}

Race::Forecast Race::forecast_of(const double* branch) const noexcept {
    if (stakes_.labels) return {};
    const double sum = branch[classes_];
    const auto k = static_cast<double>(classes_);
    const double inverse = 1.0 / (sum + k * prior);
    const double squares = branch[classes_ + 1] + 2.0 * prior * sum + k * prior * prior;
    return {inverse, 0.5 + 0.5 * squares * inverse * inverse};
}

double Race::loss(const Forecast& p, const double* branch, std::size_t y) const noexcept {
    if (stakes_.labels) return static_cast<double>(y) == branch[classes_ + 1] ? 0.0 : 1.0;
    return p.half - p.inverse * (branch[y] + prior);
}

// The label is the caller's.
void Race::count(double* branch, std::size_t y, double rows) const noexcept {
    if (!stakes_.labels) branch[classes_ + 1] += rows * (2.0 * branch[y] + rows);
    branch[y] += rows;
    branch[classes_] += rows;
}

void Race::place_bet(const Contender& c) noexcept {
    const double largest = stakes_.labels || classes_ <= 2 ? wager::most : wager::most_of_many;
    Bets& b = Bets::at(numbers_.data() + c.at);
    const double n = rows() + wager::rows_before;
    b.bet = wager::bet(b.differences / n, b.squares / n, tolerance(c), largest);
}

void Race::begin_block() noexcept {
    const double lost = rows_ == 0 ? 0.0 : log_wealth(closest_rival()) / stakes_.log_threshold;
    left_ = block(rows_, lost) & 0x7fffffffU;
    judged_ = 0;
}

// The cells of a rival that have rows.
class Race::Cells {
public:
    // Rows of a place, branch * classes + class of the rival, for which its forecast lost `at` and the
    // leader `lost`. No rows add nothing.
    void add(std::size_t place, double at, double lost, std::uint32_t rows) noexcept {
        place_[n_] = static_cast<std::uint32_t>(place);
        at_[n_] = at;
        lost_[n_] = lost;
        rows_[n_] = rows;
        n_ += rows > 0;
    }
    [[nodiscard]] bool full() const noexcept { return n_ == most_cells; }
    // Adds what the rows change to the evidence against the rival, and then counts them.
    void settle(const Race& race, const Contender& c, double* numbers) noexcept {
        const bool labels = race.stakes_.labels;
        const std::size_t classes = race.classes_;
        // Up to whole vectors; any loss will do for no rows.
        for (std::size_t i = n_; i % 4; ++i) at_[i] = lost_[i] = rows_[i] = 0.0;
        Bets& b = Bets::at(numbers);
        const WagerCells cells{at_, lost_, rows_, n_, b.bet, race.tolerance(c), slope_, curvature_};
        const WagerSums more =
            labels ? kernels().wager_labels(cells) : kernels().wager_forecasts(cells);
        b.differences += more.differences;
        b.squares += more.squares;
        b.constant += more.constant;
        b.wealth += more.wealth;
        b.slack += more.slack;
        double* const forecasts = numbers + Bets::size;
        double* const slopes = forecasts + c.branches * race.per_branch();
        double* const curvatures = slopes + c.branches * classes;
        for (std::size_t i = 0; i < n_; ++i) {
            const std::size_t branch = place_[i] / classes;
            slopes[place_[i]] += slope_[i];
            if (!labels) curvatures[place_[i]] += curvature_[i];
            race.count(forecasts + branch * race.per_branch(), place_[i] - branch * classes,
                       rows_[i]);
        }
        race.choose_labels(c, forecasts);
        n_ = 0;
    }

private:
    static constexpr std::size_t size = most_cells + 4;
    std::size_t n_ = 0;
    std::uint32_t place_[size];
    double at_[size], lost_[size], rows_[size], slope_[size], curvature_[size];
};

void Race::learn(const Row& row, std::size_t y) noexcept {
    if (contenders_.empty()) return;
    if (y >= classes_) {
        end();
        return;
    }
    const std::size_t own = contenders_[0].branch(row);
    const std::size_t key = own * classes_ + y;
    std::uint32_t* const cells = cells_.data();
    ++cells[key];
    for (std::size_t i = 1; i + 1 < contenders_.size(); ++i) {
        const Contender& c = contenders_[i];
        if (!c.races()) continue;
        const std::size_t v = c.branch(row);
        if (c.counts) {
            ++cells[c.cells + key * c.branches + v];
        } else {
            const double* const forecast = numbers_.data() + own * per_branch();
            bet_at_once(c, v, y, loss(forecast_of(forecast), forecast, y));
        }
    }
    ++rows_;
    if (--left_ == 0) end_block();
}

void Race::bet_at_once(const Contender& c, std::size_t v, std::size_t y, double lost) noexcept {
    double* const numbers = numbers_.data() + c.at;
    double* const forecast = numbers + Bets::size + v * per_branch();
    Cells cells;
    cells.add(v * classes_ + y, loss(forecast_of(forecast), forecast, y), lost, 1);
    cells.settle(*this, c, numbers);
}

// All losses are by the forecasts before the block; `lost` are those of the leader.
void Race::add_cells(const Contender& c, const double* lost) noexcept {
    const std::size_t keys = contenders_[0].branches * classes_;
    double* const numbers = numbers_.data() + c.at;
    const std::uint32_t* const of_leader = cells_.data();
    const std::uint32_t* of_rival = cells_.data() + c.cells;
    double* const at = room() + keys;
    const double* forecast = numbers + Bets::size;
    for (std::size_t v = 0; v < c.branches; ++v, forecast += per_branch()) {
        const Forecast p = forecast_of(forecast);
        for (std::size_t y = 0; y < classes_; ++y) at[v * classes_ + y] = loss(p, forecast, y);
    }
    Cells cells;
    for (std::size_t key = 0, y = 0; key < keys; ++key, of_rival += c.branches) {
        if (of_leader[key]) {
            for (std::size_t v = 0, place = y; v < c.branches; ++v, place += classes_) {
                if (cells.full()) cells.settle(*this, c, numbers);
                cells.add(place, at[place], lost[key], of_rival[v]);
            }
        }
        y = y + 1 == classes_ ? 0 : y + 1;
    }
    cells.settle(*this, c, numbers);
}

void Race::choose_labels(const Contender& c, double* branch) const noexcept {
    if (!stakes_.labels) return;
    for (std::size_t v = 0; v < c.branches; ++v, branch += per_branch()) {
        branch[classes_ + 1] = label_of(branch);
    }
}

void Race::end_block() noexcept {
    if (contenders_.empty()) return;
    const std::size_t keys = contenders_[0].branches * classes_;
    double* const lost = room();
    double* forecast = numbers_.data();
    for (std::size_t w = 0; w < contenders_[0].branches; ++w, forecast += per_branch()) {
        const Forecast p = forecast_of(forecast);
        for (std::size_t y = 0; y < classes_; ++y) {
            lost[w * classes_ + y] = loss(p, forecast, y);
        }
    }
    for (std::size_t i = 1; i < contenders_.size(); ++i) {
        Contender& c = contenders_[i];
        if (c.counts && c.races()) add_cells(c, lost);
    }
    for (std::size_t i = 1; i < contenders_.size(); ++i) {
        if (!contenders_[i].races()) continue;
        judge(i, room());
        place_bet(contenders_[i]);
    }
    forecast = numbers_.data();
    const std::uint32_t* own = cells_.data();
    for (std::size_t w = 0; w < contenders_[0].branches; ++w, forecast += per_branch()) {
        for (std::size_t y = 0; y < classes_; ++y, ++own) {
            if (*own) count(forecast, y, *own);
        }
    }
    choose_labels(contenders_[0], numbers_.data());
    std::fill(cells_.begin(), cells_.end(), 0U);
    begin_block();
}

}  // namespace riparian
