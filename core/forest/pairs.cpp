#include "pairs.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "rises.hpp"
#include "threads.hpp"
#include "votes.hpp"

namespace riparian {
namespace {

// What a forest counts for itself, whatever the layout of the class (tree/tree.hpp).
constexpr std::size_t object_bytes = 1376;
static_assert(sizeof(PairForest) <= object_bytes);

// Rows that are learned together: enough that threads seldom wait for each other, few where
// memory is scarce, since they are held.
constexpr std::size_t most_rows = 1024, most_rows_limited = 64;
constexpr std::size_t most_shares = std::size_t{1} << 20;
constexpr std::size_t room_of_detector = 8192;
constexpr std::size_t bytes_of_a_feature = 64;  // in the schema

}  // namespace

PairForest::PairForest(const PairSettings& settings)
    : Ensemble(settings.max_bytes, settings.threads),
      settings_(settings),
      history_(settings.tree.short_memory) {
    tree_bytes_ = bytes_of_a_tree(settings.max_bytes, 1);
}

// ---- the schema ----

void PairForest::give_features(const std::vector<Kind>& kinds) {
    for (const Kind kind : kinds) {
        std::size_t& count = kind == Kind::numeric ? shape_.numeric : shape_.categorical;
        features_.push_back({kind, count++});
    }
    shape_.stride = (shape_.numeric + 3) / 4 * 4;
    names_ += kinds.size() * bytes_of_a_feature;
    history_.reshape(shape_);
    // Wider rows take from what trees may hold.
    if (limited()) share_out(max_bytes_, pairs_.size());
    for (Pair& pair : pairs_) pair.tree->add_features(kinds);
}

void PairForest::give_classes(std::size_t) { known_.resize(schema_.classes, 0); }

// ---- memory ----

std::size_t PairForest::besides_trees(std::size_t pairs) const noexcept {
    return object_bytes + history_.most_bytes(most_rows_limited) +
           pairs * (sizeof(Pair) + (settings_.drift ? room_of_detector : 0));
}

// The same for every pair, and less for each as pairs come.
std::size_t PairForest::bytes_of_a_tree(std::size_t limit, std::size_t pairs) const noexcept {
    if (limit == SIZE_MAX) return SIZE_MAX;
    pairs = std::max<std::size_t>(pairs, 1);
    const std::size_t left = besides_names(limit);
    const std::size_t besides = besides_trees(pairs);
    return left > besides ? (left - besides) / pairs : 0;
}

void PairForest::share_out(std::size_t limit, std::size_t pairs) {
    tree_bytes_ = bytes_of_a_tree(limit, pairs);
    for (Pair& pair : pairs_) pair.tree->set_max_bytes(tree_bytes_);
}

std::size_t PairForest::limit_for(std::size_t of_a_tree) const noexcept {
    // Rows tell which classes come; before them, names do.
    const std::size_t named = to_see_ ? 0 : order_.size() + coming();
    const std::size_t classes = std::max({named, to_see_, order_.size(), std::size_t{2}});
    const std::size_t pairs = classes * (classes - 1) / 2;
    // Until all classes come, the trees that there are may grow into the room of the others.
    if (pairs > std::max<std::size_t>(pairs_.size(), 1)) of_a_tree += of_a_tree / 2;
    return with_names(besides_trees(pairs) + pairs * of_a_tree);
}

std::vector<std::shared_ptr<Tree>> PairForest::trees() const {
    std::vector<std::shared_ptr<Tree>> all;
    for (const Pair& pair : pairs_) {
        if (pair.tree) all.push_back(pair.tree);  // none where the first did not fit
    }
    return all;
}

void PairForest::give_limit(std::size_t limit) { share_out(limit, pairs_.size()); }

std::size_t PairForest::memory_bytes() const {
    const auto lock = turnstile_.reading();
    std::size_t bytes = object_bytes + names_ + history_.bytes();
    for (const Pair& pair : pairs_) {
        bytes += sizeof(Pair) + pair.tree->memory_bytes();
        if (pair.drift) bytes += std::visit([](const auto& d) { return d.bytes(); }, *pair.drift);
    }
    return bytes;
}

// ---- trees ----

TreeSettings PairForest::settings_of_a_tree() const {
    TreeSettings settings = settings_.tree;
    settings.short_memory_elsewhere = settings_.shared && settings.short_memory > 0;
    settings.max_bytes = tree_bytes_;
    return settings;
}

void PairForest::grow(Pair& pair) {
    pair.tree = std::make_shared<Tree>(settings_of_a_tree());
    pair.tree->add_features(schema_.kinds);
    pair.tree->declare_classes(2);
    prepare(pair);
}

// The examples of its classes among the last rows of the forest.
void PairForest::prepare(Pair& pair) {
    if (!settings_.shared) return;
    pair.tree->recall_from([this, &pair](const Tree::Recaller& recall) {
        const std::uint64_t first = std::max(history_.oldest(pair.last), pair.begin);
        for (std::uint64_t n = first; n <= pair.last; ++n) {
            const std::size_t y = history_.label(n);
            if (pair.takes(y)) recall(history_.row(n), y == pair.high, history_.weight(n));
        }
    });
}

// Learns the rows of its classes among these, which are held.
void PairForest::replay(Pair& pair, std::uint64_t from, std::uint64_t to) {
    const auto held = pair.tree->hold();
    pair.begin = from;
    for (std::uint64_t n = from; n <= to; ++n) {
        const std::size_t y = history_.label(n);
        if (!pair.takes(y)) continue;
        pair.last = n;
        pair.tree->learn_row(0, history_.row(n), y == pair.high, history_.weight(n));
    }
}

// After the row with this number.
void PairForest::begin_anew(Pair& pair, std::uint64_t number) {
    ++pair.drifts;
    pair.drift = settings_.drift;
    grow(pair);
    replay(pair, history_.oldest(number), number);
}

void PairForest::add_pair(std::size_t one, std::size_t other) {
    Pair& pair = pairs_.emplace_back();
    pair.low = static_cast<std::uint32_t>(std::min(one, other));
    pair.high = static_cast<std::uint32_t>(std::max(one, other));
    pair.drift = settings_.drift;
}

// The last row that is held is the first of its class: from now on there is a tree for it and
// each class before it, which begins with what is remembered of that class.
void PairForest::meet_class(std::size_t y) {
    const std::size_t before = pairs_.size(), fresh = order_.size();
    if (limited() && fresh > 0) share_out(max_bytes_, before + fresh);
    for (const std::uint32_t other : order_) add_pair(other, y);
    order_.push_back(static_cast<std::uint32_t>(y));
    known_[y] = 1;
    const std::size_t threads = worthwhile(threads_, fresh, history_.size());
    side_by_side(fresh, threads, [&](std::size_t i) {
        const Section section(reserve_);
        Pair& pair = pairs_[before + i];
        grow(pair);
        replay(pair, history_.oldest(seen_ - 1), seen_);
    });
}

// ---- learning and answering ----

std::size_t PairForest::block_rows(bool answering) const noexcept {
    const std::size_t most = limited() ? most_rows_limited : most_rows;
    if (!answering) return most;
    const std::size_t shares = 2 * std::max<std::size_t>(pairs_.size(), 1);
    return std::clamp<std::size_t>(most_shares / shares, 1, most);
}

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

// A class brings a tree for each class before it, and any tree may begin again; both learn the rows
// that are held.
std::size_t PairForest::most_of_rows(std::size_t rows) const {
    std::size_t largest = 64 * 1024;
    for (const auto& tree : trees()) largest = std::max(largest, tree->most_of_rows(rows + history_.size()));
    const std::size_t begun = std::max(pairs_.size(), order_.size()) + 1;
    return Ensemble::most_of_rows(rows) + begun * largest + 2 * history_.bytes() +
           history_.most_bytes(rows);
}

void PairForest::run(const Batch& batch, const std::int32_t* y, const double* w,
                     const Answers* answers, Stop* stop) {
    if (limited()) to_see_ = seen_after(y, w, batch.rows);
    for (std::size_t first = 0; first < batch.rows;) {
        look(stop);
        // A block ends with the row that brings a class: its trees begin after it.
        const std::size_t most = set_aside(
            std::min(pace_.rows(block_rows(answers != nullptr)), batch.rows - first));
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
            run_block(block, answers, first);
            if (fresh >= 0) {
                const auto code = static_cast<std::size_t>(fresh);
                schema_.classes = std::max(schema_.classes, code + 1);
                known_.resize(schema_.classes, 0);
                meet_class(code);
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
            const Row row = buffer.row(i);
            for (std::size_t c = 0; c < shape_.categorical; ++c) meet(c, row.codes[c]);
            block.numbers[at] = ++seen_;
            history_.keep(row, static_cast<std::size_t>(block.y[at]), w);
        }
    }
}

void PairForest::run_block(Block& block, const Answers* answers, std::size_t first) {
    const std::size_t rows = block.batch.rows, n = pairs_.size();
    std::vector<double> shares(answers ? n * rows * 2 : 0);
    const std::size_t threads = worthwhile(threads_, n, rows);
    side_by_side(n, threads, [&](std::size_t p) {
        const Section section(reserve_);
        run_pair(pairs_[p], block, answers ? shares.data() + p * rows * 2 : nullptr);
    });
    if (answers) combine(shares, rows, schema_.classes, *answers, first);
}

void PairForest::run_pair(Pair& pair, const Block& block, double* shares) {
    std::shared_ptr<Tree> tree = pair.tree;
    auto held = tree->hold();
    std::array<std::int32_t, RowBuffer::most_rows> starts;
    std::size_t r = 0;
    for (const RowBuffer& buffer : block.buffers) {
        const std::size_t n = std::min(buffer.capacity(), block.batch.rows - r);
        const auto is_own = [&](std::size_t row) {
            return block.numbers[row] && pair.takes(static_cast<std::size_t>(block.y[row]));
        };
        std::size_t asked = n;
        if (!shares) {
            asked = 0;
            for (std::size_t i = 0; i < n; ++i) asked += is_own(r + i) ? 1 : 0;
        }
        // Rows walk together where most of them are asked for.
        const bool together = 2 * asked >= n;
        if (together) tree->find_starts(buffer, n, starts.data());
        bool same = together;  // as the tree that found them
        for (std::size_t i = 0; i < n; ++i, ++r) {
            const bool own = is_own(r);
            if (!own && !shares) continue;
            const Row row = buffer.row(i);
            const std::int32_t start = same ? starts[i] : 0;
            const Tree::Shares room{shares ? shares + 2 * r : nullptr, 2};
            if (!own) {
                tree->predict_row(start, row, room);
                continue;
            }
            const std::uint64_t number = block.numbers[r];
            const std::size_t label = static_cast<std::size_t>(block.y[r]) == pair.high ? 1 : 0;
            const double w = block.w ? block.w[r] : 1.0;
            pair.last = number;
            if (!shares && !pair.drift) {
                tree->learn_row(start, row, label, w);
                continue;
            }
            const Tree::Predicted predicted =
                tree->predict_and_learn(start, row, label, Tree::repeated(w), room, false);
            if (!pair.drift || !rises(*pair.drift, predicted.before != static_cast<std::int32_t>(label))) {
                continue;
            }
            held.unlock();
            begin_anew(pair, number);
            tree = pair.tree;
            held = tree->hold();
            same = false;
        }
    }
}

// The sum of what the pairs say, in their order, divided by how many they are.
void PairForest::combine(const std::vector<double>& shares, std::size_t rows, std::size_t codes,
                         const Answers& answers, std::size_t first) const {
    const std::size_t width = std::max(answers.width, schema_.classes);
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
    // Before there is a pair, the only class there is.
    const auto only = std::find_if(order_.begin(), order_.end(),
                                   [&](std::uint32_t y) { return y < codes; });
    const bool alone = counted == 0 && only != order_.end();
    const double total = counted ? static_cast<double>(counted) : 1.0;
    for (std::size_t r = 0; r < rows; ++r) {
        double* const sum = sums.data() + r * width;
        if (alone) sum[*only] = 1.0;
        for (std::size_t k = 0; k < width; ++k) sum[k] /= total;
        if (answers.probabilities) {
            std::copy_n(sum, answers.width, answers.probabilities + (first + r) * answers.width);
        }
        if (!answers.classes) continue;
        if (counted == 0 && !alone) {
            answers.classes[first + r] = no_answer;
        } else if (costs_.classes) {
            answers.classes[first + r] = costs_.cheapest(sum, std::min(codes, schema_.classes));
        } else {
            answers.classes[first + r] =
                static_cast<std::int32_t>(std::max_element(sum, sum + width) - sum);
        }
    }
}

void PairForest::predict(const Batch& batch, const Answers& answers, Stop* stop,
                         Moment* moment) const {
    const BlockLocks locks(turnstile_, moment != nullptr);
    if (moment) *moment = {seen_, schema_.classes};
    Pace pace(256);
    for (std::size_t first = 0; first < batch.rows;) {
        look(stop);
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
        // Classes that came after the question was asked are not part of the answer.
        combine(shares, rows, answers.probabilities ? answers.width : schema_.classes, answers, first);
        first += rows;
    }
}

void PairForest::votes(const Batch& batch, std::size_t width, std::vector<double>& shares,
                       std::vector<double>& weights) const {
    const auto lock = turnstile_.reading();
    shares.clear();
    weights.clear();
    for (const Pair& pair : pairs_) {
        // Classes that came after the question was asked are not part of the answer.
        if (pair.high >= width) break;
        std::array<double, 2> predicted{};
        pair.tree->predict(batch, {nullptr, predicted.data(), 2});
        const auto own = shares.insert(shares.end(), width, 0.0);
        own[pair.low] = predicted[0];
        own[pair.high] = predicted[1];
        weights.push_back(1.0);
    }
}

// ---- looking ----

std::size_t PairForest::n_classes_seen() const {
    const auto lock = turnstile_.reading();
    return order_.size();
}

std::size_t PairForest::n_members() const {
    const auto lock = turnstile_.reading();
    return pairs_.size();
}

std::vector<PairRecord> PairForest::records() const {
    const auto lock = turnstile_.reading();
    std::vector<PairRecord> out;
    for (const Pair& pair : pairs_) {
        out.push_back({pair.tree, pair.low, pair.high, pair.drifts});
    }
    return out;
}

std::shared_ptr<Tree> PairForest::tree(std::size_t pair) const {
    const auto lock = turnstile_.reading();
    return pairs_.at(pair).tree;
}

}  // namespace riparian
