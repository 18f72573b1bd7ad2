// How a forest of pairs learns rows and predicts.
#include "pairs.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "rises.hpp"
#include "threads.hpp"
#include "votes.hpp"

namespace riparian {

std::size_t PairForest::seen_after(const std::int32_t* y, const double* w, std::size_t rows) const {
    std::vector<std::uint8_t> seen = known_;
    for (std::size_t r = 0; r < rows; ++r) {
        if (y[r] < 0 || (w && !(w[r] > 0.0))) continue;
        const auto code = static_cast<std::size_t>(y[r]);
        if (code >= seen.size()) seen.resize(code + 1, 0);
        seen[code] = 1;
    }
    return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), 1));
}

// A new class adds a tree for each earlier class, and any tree may start over. Both learn the held
// rows.
std::size_t PairForest::most_of_rows(std::size_t rows) const {
    std::size_t largest = 64 * 1024;
    for (const auto& tree : trees()) {
        largest = std::max(largest, tree->memory().most_of_rows(rows + history_.size()));
    }
    const std::size_t begun = std::max(pairs_.size(), order_.size()) + 1;
    return Ensemble::most_of_rows(rows) + begun * largest + 2 * history_.bytes() +
           history_.most_bytes(rows);
}

void PairForest::run(const Batch& batch, const std::int32_t* y, const double* w,
                     const Predictions* predictions, Stop* stop) {
    if (limited()) to_see_ = seen_after(y, w, batch.rows);
    for (std::size_t first = 0; first < batch.rows;) {
        poll(stop);
        // A block ends with the first row of a class, because the trees of the class begin after it.
        const std::size_t most =
            set_aside(std::min(pace_.rows(block_rows(predictions != nullptr)), batch.rows - first));
        const auto lock = turnstile_.writing();
        std::size_t n = 0;
        std::int32_t fresh = -1;
        while (n < most && fresh < 0) {
            const std::size_t r = first + n++;
            if (y[r] < 0 || !(w ? w[r] > 0.0 : true)) continue;
            const auto code = static_cast<std::size_t>(y[r]);
            if (code >= known_.size() || !known_[code]) fresh = y[r];
        }
        const Pace::Timer timer(pace_, n, turnstile_);
        const Batch rows = batch.certain_rows(first, n);
        Block block{rows, y + first, w ? w + first : nullptr, std::vector<std::uint64_t>(n), {}};
        finish([&] {
            read(block);
            run_block(block, predictions, first);
            if (fresh >= 0) {
                const auto code = static_cast<std::size_t>(fresh);
                schema_.classes = std::max(schema_.classes, code + 1);
                known_.resize(schema_.classes, 0);
                add_class_seen(code);
            }
            history_.forget();
        });
        first += n;
    }
    to_see_ = 0;
}

// Numbers the rows of a block, and holds those that are learned.
void PairForest::read(Block& block) {
    const std::size_t rows = block.batch.rows;
    for (std::size_t at = 0; at < rows;) {
        RowBuffer& buffer = block.buffers.emplace_back(block.batch, features_, shape_);
        const std::size_t n = std::min(buffer.capacity(), rows - at);
        buffer.read(at, n);
        for (std::size_t i = 0; i < n; ++i, ++at) {
            const double w = block.w ? block.w[at] : 1.0;
            if (block.y[at] < 0 || !(w > 0.0)) continue;
            const Row& row = buffer.row(i);
            for (std::size_t c = 0; c < shape_.categorical; ++c) note_category(c, row.codes[c]);
            block.numbers[at] = ++seen_;
            history_.keep(row, static_cast<std::size_t>(block.y[at]), w);
        }
    }
}

void PairForest::run_block(Block& block, const Predictions* predictions, std::size_t first) {
    const std::size_t rows = block.batch.rows, n = pairs_.size();
    std::vector<double> shares(predictions ? n * rows * 2 : 0);
    const std::size_t threads = worthwhile(threads_, n, rows);
    side_by_side(n, threads, [&](std::size_t p) {
        const Section section(reserve_);
        run_pair(pairs_[p], block, predictions ? shares.data() + p * rows * 2 : nullptr);
    });
    if (predictions) combine(shares, rows, schema_.classes, *predictions, first);
}

void PairForest::run_pair(Pair& pair, const Block& block, double* shares) {
    std::shared_ptr<Tree> tree = pair.tree;
    std::optional<Turn> turn(std::in_place, *tree, memory_of(pair));
    std::size_t r = 0;
    for (const RowBuffer& buffer : block.buffers) {
        const std::size_t n = std::min(buffer.capacity(), block.batch.rows - r);
        const auto is_own = [&](std::size_t row) {
            return block.numbers[row] && pair.learns(static_cast<std::size_t>(block.y[row]));
        };
        std::size_t asked = n;
        if (!shares) {
            asked = 0;
            for (std::size_t i = 0; i < n; ++i) asked += is_own(r + i) ? 1 : 0;
        }
        // Rows are routed together if most of them are needed.
        const bool together = 2 * asked >= n;
        if (together) turn->route(buffer, n);
        bool same = together;  // the tree is still the one that routed them
        for (std::size_t i = 0; i < n; ++i, ++r) {
            const bool own = is_own(r);
            if (!own && !shares) continue;
            const Row& row = buffer.row(i);
            const std::size_t place = same ? i : Turn::alone;
            const RowRequest asked{shares || pair.drift, shares ? shares + 2 * r : nullptr, 2};
            if (!own) {
                turn->predict(place, row, asked);
                continue;
            }
            const std::uint64_t number = block.numbers[r];
            const std::size_t label = static_cast<std::size_t>(block.y[r]) == pair.high ? 1 : 0;
            const double w = block.w ? block.w[r] : 1.0;
            pair.last = number;
            const Predicted predicted =
                turn->learn(place, row, label, RowWeight::repeated(w), asked, false);
            if (!pair.drift ||
                !rises(*pair.drift, predicted.before != static_cast<std::int32_t>(label))) {
                continue;
            }
            turn.reset();
            restart(pair, number);
            tree = pair.tree;
            turn.emplace(*tree, memory_of(pair));
            same = false;
        }
    }
}

// The mean of the pairs' predictions, summed in their order.
void PairForest::combine(const std::vector<double>& shares, std::size_t rows, std::size_t codes,
                         const Predictions& predictions, std::size_t first) const {
    const std::size_t width = std::max(predictions.width, schema_.classes);
    std::vector<double> sums(rows * width, 0.0);
    std::size_t counted = 0;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        const Pair& pair = pairs_[p];
        if (pair.high >= codes) continue;
        ++counted;
        const double* const predicted = shares.data() + p * rows * 2;
        for (std::size_t r = 0; r < rows; ++r) {
            sums[r * width + pair.low] += predicted[2 * r];
            sums[r * width + pair.high] += predicted[2 * r + 1];
        }
    }
    // Before the first pair there is one class, which is predicted.
    const auto only =
        std::find_if(order_.begin(), order_.end(), [&](std::uint32_t y) { return y < codes; });
    const bool alone = counted == 0 && only != order_.end();
    const double total = counted ? static_cast<double>(counted) : 1.0;
    for (std::size_t r = 0; r < rows; ++r) {
        double* const sum = sums.data() + r * width;
        if (alone) sum[*only] = 1.0;
        for (std::size_t k = 0; k < width; ++k) sum[k] /= total;
        if (predictions.probabilities) {
            std::copy_n(sum, predictions.width,
                        predictions.probabilities + (first + r) * predictions.width);
        }
        if (!predictions.classes) continue;
        if (counted == 0 && !alone) {
            predictions.classes[first + r] = no_prediction;
        } else if (costs_.classes) {
            predictions.classes[first + r] = costs_.cheapest(sum, std::min(codes, schema_.classes));
        } else {
            predictions.classes[first + r] =
                static_cast<std::int32_t>(std::max_element(sum, sum + width) - sum);
        }
    }
}

void PairForest::predict(const Batch& batch, const Predictions& predictions, Stop* stop,
                         Moment* moment) const {
    const BlockLocks locks(turnstile_, moment != nullptr);
    if (moment) *moment = {seen_, schema_.classes};
    Pace pace(256);
    for (std::size_t first = 0; first < batch.rows;) {
        poll(stop);
        const auto lock = locks.of_block();
        const std::size_t n = pairs_.size();
        const std::size_t rows = std::min(pace.rows(block_rows(true)), batch.rows - first);
        const Pace::Timer timer(pace, rows, turnstile_);
        const Batch block = batch.certain_rows(first, rows);
        std::vector<double> shares(n * rows * 2);
        const std::size_t threads = worthwhile(threads_, n, rows);
        side_by_side(n, threads, [&](std::size_t p) {
            pairs_[p].tree->predict(block, {nullptr, shares.data() + p * rows * 2, 2});
        });
        // Classes that appeared after the call began are not part of the prediction.
        const std::size_t codes = predictions.probabilities ? predictions.width : schema_.classes;
        combine(shares, rows, codes, predictions, first);
        first += rows;
    }
}

void PairForest::votes(const Batch& batch, std::size_t width, std::vector<double>& shares,
                       std::vector<double>& weights) const {
    const auto lock = turnstile_.reading();
    shares.clear();
    weights.clear();
    for (const Pair& pair : pairs_) {
        // Classes that appeared after the call began are not part of the prediction.
        if (pair.high >= width) break;
        std::array<double, 2> predicted{};
        pair.tree->predict(batch, {nullptr, predicted.data(), 2});
        const auto own = shares.insert(shares.end(), width, 0.0);
        own[pair.low] = predicted[0];
        own[pair.high] = predicted[1];
        weights.push_back(1.0);
    }
}

}  // namespace riparian
