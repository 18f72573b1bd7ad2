#include "race.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../simd/scalar.hpp"
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
    std::size_t at = 0, cells = 0;
    const std::size_t keys = contenders_[0].branches * classes_;
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
        Contender& c = contenders_[i];
        const bool null = c.cut.feature == none;  // its counts are those of the leader
        c.at = static_cast<std::uint32_t>(at);
        at += size_of(c, i > 0);
        const std::size_t own = i == 0 ? keys : keys * c.branches;
        c.counts = i == 0 || null || own <= most_cells;
        c.cells = static_cast<std::uint32_t>(null ? 0 : cells);
        if (c.counts && !null) cells += own;
    }
    numbers_ = Held<double>(at + keys, 0.0);
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

// A sum of logarithms of factors between 1e-3 and 1e3, each for this many rows. Few rows are multiplied
// first: a product of 32 factors needs one logarithm.
class Race::Logarithms {
public:
    void add(double factor, double rows) noexcept {
        if (rows > 8.0) {
            sum_ += rows * ln(factor);
            return;
        }
        for (double n = 0.0; n < rows; n += 1.0) product_ *= factor;
        if (product_ < 1e-200 || product_ > 1e200) fold();
    }
    [[nodiscard]] double sum() noexcept {
        fold();
        return sum_;
    }

private:
    void fold() noexcept {
        sum_ += ln(product_);
        product_ = 1.0;
    }

    double sum_ = 0.0, product_ = 1.0;
};

void Race::begin_block() noexcept {
    const double lost = rows_ == 0 ? 0.0 : log_wealth(closest_rival()) / stakes_.log_threshold;
    left_ = block(rows_, lost) & 0x7fffffffU;
    judged_ = 0;
}

// Rows of one class in one branch of a rival.
struct Race::Additions {
    double differences = 0.0, squares = 0.0, constant = 0.0;
    double slope = 0.0, curvature = 0.0;
    Logarithms wealth;

    // This many rows, of which the leader lost `lost` and the forecast of the rival `at`. `charge` is what
    // the bet counts of the first.
    void add(const Stakes& stakes, double bet, double at, double lost, double charge,
             double rows) noexcept {
        const double difference = at - lost;
        differences += rows * difference;
        squares += rows * difference * difference;
        if (!(bet > 0.0)) return;
        const double least = 1.0 - bet * charge;
        if (stakes.labels) {
            // What any other label than y adds, and by how much y itself adds less.
            const double other = ln(least + bet);
            constant += rows * other;
            slope += rows * (ln(least) - other);
        } else {
            const wager::Parabola p = wager::below_logarithm(bet, at, least);
            wealth.add(least + bet * at, rows);
            constant += rows * p.constant;
            slope += rows * p.slope;
            curvature += rows * p.curvature;
        }
    }
    // To the sums of a class, where there are two if losses are those of probabilities.
    void put_sums(double* sums, std::size_t distance, bool labels) noexcept {
        sums[0] += slope;
        if (!labels) sums[distance] += curvature;
        slope = curvature = 0.0;
    }
    void put(Bets& b) noexcept {
        b.differences += differences;
        b.squares += squares;
        b.constant += constant;
        b.wealth += wealth.sum();
    }
};

// By how much "better" is behind "within" at most, for this many rows.
inline void Race::add_slack(const Contender& c, const Bets& b, double lost, double rows,
                            Logarithms& slack) const noexcept {
    const double allowed = b.bet * tolerance(c);
    if (!(allowed > 0.0)) return;
    const double least = 1.0 - b.bet * lost;
    slack.add(least / (least + allowed), rows);
}

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
    Bets& b = Bets::at(numbers);
    double* const forecast = numbers + Bets::size + v * per_branch();
    double* const sums = numbers + Bets::size + c.branches * per_branch() + v * classes_;
    Additions more;
    Logarithms slack;
    const double at = loss(forecast_of(forecast), forecast, y);
    more.add(stakes_, b.bet, at, lost, lost - tolerance(c), 1.0);
    more.put_sums(sums + y, c.branches * classes_, stakes_.labels);
    more.put(b);
    add_slack(c, b, lost, 1.0, slack);
    b.slack += slack.sum();
    count(forecast, y, 1.0);
    if (stakes_.labels) forecast[classes_ + 1] = label_of(forecast);
}

// All losses are by the forecasts before the block; `lost` are those of the leader.
void Race::add_cells(const Contender& c, const double* lost) noexcept {
    const std::size_t keys = contenders_[0].branches * classes_;
    const std::uint32_t* const own = cells_.data();
    double* const numbers = numbers_.data() + c.at;
    Bets& b = Bets::at(numbers);
    const double bet = b.bet, allowed = tolerance(c);
    Additions more;
    Logarithms slack;
    for (std::size_t key = 0; key < keys; ++key) {
        if (own[key]) add_slack(c, b, lost[key], own[key], slack);
    }
    double* forecast = numbers + Bets::size;
    double* sums = forecast + c.branches * per_branch();
    for (std::size_t v = 0; v < c.branches; ++v, forecast += per_branch(), sums += classes_) {
        const std::uint32_t* const cells = cells_.data() + c.cells + v;
        const Forecast p = forecast_of(forecast);
        for (std::size_t y = 0; y < classes_; ++y) {
            std::uint32_t of_class = 0;
            const double at = loss(p, forecast, y);
            for (std::size_t key = y; key < keys; key += classes_) {
                const std::uint32_t n = cells[key * c.branches];
                if (!n) continue;
                more.add(stakes_, bet, at, lost[key], lost[key] - allowed, n);
                of_class += n;
            }
            if (!of_class) continue;
            count(forecast, y, of_class);
            more.put_sums(sums + y, c.branches * classes_, stakes_.labels);
        }
        if (stakes_.labels) forecast[classes_ + 1] = label_of(forecast);
    }
    more.put(b);
    b.slack += slack.sum();
}

void Race::end_block() noexcept {
    if (contenders_.empty()) return;
    const std::size_t keys = contenders_[0].branches * classes_;
    double* const room = numbers_.data() + (numbers_.size() - keys);
    double* forecast = numbers_.data();
    for (std::size_t w = 0; w < contenders_[0].branches; ++w, forecast += per_branch()) {
        const Forecast p = forecast_of(forecast);
        for (std::size_t y = 0; y < classes_; ++y) {
            room[w * classes_ + y] = loss(p, forecast, y);
        }
    }
    for (std::size_t i = 1; i < contenders_.size(); ++i) {
        Contender& c = contenders_[i];
        if (c.counts && c.races()) add_cells(c, room);
    }
    for (std::size_t i = 1; i < contenders_.size(); ++i) {
        if (!contenders_[i].races()) continue;
        judge(i, room);
        place_bet(contenders_[i]);
    }
    forecast = numbers_.data();
    const std::uint32_t* own = cells_.data();
    for (std::size_t w = 0; w < contenders_[0].branches; ++w, forecast += per_branch()) {
        for (std::size_t y = 0; y < classes_; ++y, ++own) {
            if (*own) count(forecast, y, *own);
        }
        if (stakes_.labels) forecast[classes_ + 1] = label_of(forecast);
    }
    std::fill(cells_.begin(), cells_.end(), 0U);
    begin_block();
}

}  // namespace riparian
