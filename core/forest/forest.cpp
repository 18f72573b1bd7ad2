#include "forest.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace riparian {
namespace {

// What a forest counts for itself with its settings, about the layout of the classes (tree/tree.hpp).
constexpr std::size_t object_bytes = 1344;
static_assert(sizeof(Forest) + sizeof(ForestSettings) <= object_bytes + 128);

constexpr std::size_t room_of_detector = 8192;

std::vector<std::uint8_t> last_only(const ForestSettings& settings) {
    std::vector<std::uint8_t> is_last(settings.members);
    if (!is_last.empty()) is_last.back() = 1;
    return is_last;
}

}  // namespace

Forest::Forest(const ForestSettings& settings) : Forest(settings, last_only(settings)) {}

Forest::Forest(const ForestSettings& settings, const std::vector<std::uint8_t>& is_last)
    : Ensemble(settings.max_bytes, settings.threads),
      made_(std::make_unique<ForestSettings>(settings)),
      of_last_(settings.last_tree ? std::make_unique<ForestSettings>(settings.of_last())
                                  : nullptr) {
    for (std::size_t i = 0; i < settings.members; ++i) {
        members_.emplace_back(of_last_ && is_last[i] ? *of_last_ : settings_,
                              settings.first_member + i);
    }
    if (limited()) {
        for (Member& m : members_) m.set_max_bytes(bytes_of_a_tree(max_bytes_));
    }
}

// ---- the schema ----

void Forest::give_features(const std::vector<Kind>& kinds) {
    schema_.met_at.resize(schema_.kinds.size(), Schema::never);
    // Names count too, since every member may list its features.
    names_ +=
        kinds.size() * (16 + settings_.members * trees_a_member() * 2 * sizeof(std::uint32_t));
    for (Member& m : members_) m.add_features(schema_);
}

void Forest::each_tree_with(std::size_t feature,
                            const std::function<void(Tree&, std::size_t)>& call) const {
    for (const Member& m : members_) {
        for (const GrownTree* const g : {&m.front(), &m.back()}) {
            if (!g->tree) continue;
            if (const auto place = g->place_of(feature, settings_.patch.draws())) {
                call(*g->tree, *place);
            }
        }
    }
}

void Forest::give_classes(std::size_t count) {
    for (Member& m : members_) m.declare_classes(count);
}

// ---- memory ----

std::size_t Forest::own_bytes() const noexcept {
    return object_bytes + (of_last_ ? sizeof(ForestSettings) + sizeof(TreeSettings) : 0);
}

std::size_t Forest::without_trees() const noexcept {
    const std::size_t detectors = (settings_.warning ? 1 : 0) + (settings_.drift ? 1 : 0);
    return own_bytes() + settings_.members * (sizeof(Member) + detectors * room_of_detector);
}

// The same for every tree, so that no member depends on another.
std::size_t Forest::bytes_of_a_tree(std::size_t limit) const noexcept {
    if (limit == SIZE_MAX) return SIZE_MAX;
    const std::size_t left = without_names(limit);
    const std::size_t other_bytes = without_trees();
    return left > other_bytes ? (left - other_bytes) / (settings_.members * trees_a_member()) : 0;
}

std::size_t Forest::limit_for(std::size_t of_a_tree) const noexcept {
    return with_names(without_trees() + settings_.members * trees_a_member() * of_a_tree);
}

std::vector<TreeSettings> Forest::settings_of_trees() const {
    if (of_last_) return {settings_.tree, of_last_->tree};
    return {settings_.tree};
}

std::vector<std::shared_ptr<Tree>> Forest::trees() const {
    std::vector<std::shared_ptr<Tree>> all;
    for (const Member& m : members_) {
        for (const GrownTree* const g : {&m.front(), &m.back()}) {
            if (g->tree) all.push_back(g->tree);
        }
    }
    return all;
}

void Forest::give_limit(std::size_t limit) {
    for (Member& m : members_) m.set_max_bytes(bytes_of_a_tree(limit));
}

std::size_t Forest::memory_bytes() const {
    const auto lock = turnstile_.reading();
    std::size_t bytes = own_bytes() + names_;
    for (const Member& m : members_) bytes += m.memory_bytes();
    return bytes;
}

// ---- learning and predicting ----

// A feature of a sparse row has a value unless NaN is listed for it.
void Forest::note_sparse(const Block& block) {
    const SparseRows& m = block.batch.sparse;
    const std::size_t width = std::min(m.width, schema_.met_at.size());
    const auto first = schema_.met_at.begin();
    const auto end = first + static_cast<std::ptrdiff_t>(width);
    for (std::size_t r = 0; r < block.batch.rows; ++r) {
        if (std::find(first, end, Schema::never) == end) return;
        if (block.numbers[r] == 0) continue;
        std::vector<std::uint8_t> missing(width, 0);
        for (std::int64_t i = m.starts[r]; i < m.starts[r + 1]; ++i) {
            const auto column = static_cast<std::size_t>(m.columns[i]);
            if (column < width && std::isnan(m.value(i))) missing[column] = 1;
        }
        for (std::size_t f = 0; f < width; ++f) {
            if (schema_.met_at[f] == Schema::never && !missing[f])
                schema_.met_at[f] = block.numbers[r];
        }
    }
}

// Extends the schema by what a block contains.
void Forest::note(const Block& block) {
    if (block.batch.sparse) return note_sparse(block);
    std::size_t slot = 0;
    for (std::size_t f = 0; f < schema_.kinds.size(); ++f) {
        const bool numeric = schema_.kinds[f] == Kind::numeric;
        const std::size_t c = numeric ? 0 : slot++;
        if (f >= block.batch.columns.size() || !block.batch.columns[f].data) continue;
        const Column& column = block.batch.columns[f];
        const auto scan = [&]<class T>(T) {
            const bool unmet = schema_.met_at[f] == Schema::never;
            for (std::size_t r = 0; unmet && r < block.batch.rows; ++r) {
                const T x = column.at<T>(r);
                if (block.numbers[r] == 0 || (numeric ? x != x : x < 0)) continue;
                schema_.met_at[f] = block.numbers[r];
                break;
            }
            if (numeric) return;
            T most = -1;
            for (std::size_t r = 0; r < block.batch.rows; ++r) {
                most = std::max(most, block.numbers[r] ? column.at<T>(r) : T{-1});
            }
            if (most >= 0) note_category(c, static_cast<std::int32_t>(most));
        };
        switch (column.type) {
            case Column::Type::f64: scan(double{}); break;
            case Column::Type::f32: scan(float{}); break;
            case Column::Type::code: scan(std::int32_t{}); break;
            case Column::Type::code8: scan(std::int8_t{}); break;
        }
    }
}

// Any member may start over with one or two trees.
std::size_t Forest::most_of_rows(std::size_t rows) const {
    std::size_t largest = 64 * 1024;
    for (const auto& tree : trees()) largest = std::max(largest, tree->memory().most_of_rows(rows));
    return Ensemble::most_of_rows(rows) + members_.size() * trees_a_member() * largest;
}

void Forest::run(const Batch& batch, const std::int32_t* y, const double* w,
                 const Predictions* predictions, Stop* stop) {
    const std::size_t width =
        predictions ? std::max(predictions->width, std::max(schema_.classes, std::size_t{1})) : 0;
    const std::size_t most = block_rows(members_.size(), width);
    for (std::size_t first = 0, n = 0; first < batch.rows; first += n) {
        poll(stop);
        n = set_aside(std::min(pace_.rows(most), batch.rows - first));
        const Batch rows = batch.certain_rows(first, n);
        const auto lock = turnstile_.writing();
        const Pace::Timer timer(pace_, n, turnstile_);
        Block block{rows, y + first, w ? w + first : nullptr, std::vector<std::uint64_t>(n),
                    std::vector<std::uint32_t>(n)};
        std::uint64_t number = seen_;
        std::size_t known = schema_.classes;
        for (std::size_t r = 0; r < n; ++r) {
            block.known[r] = number ? static_cast<std::uint32_t>(known) : 0;
            if (block.y[r] < 0 || !(block.weight(r) > 0.0)) continue;
            block.numbers[r] = ++number;
            known = std::max(known, static_cast<std::size_t>(block.y[r]) + 1);
        }
        finish([&] {
            note(block);
            schema_.classes = known;
            run_block(block, predictions, first);
            seen_ = number;
        });
    }
}

void Forest::run_block(const Block& block, const Predictions* predictions, std::size_t first) {
    const std::size_t rows = block.batch.rows, n = members_.size();
    const std::size_t width = predictions ? std::max(predictions->width, schema_.classes) : 0;
    const Ballots ballots(predictions ? n : 0, rows, width);
    const auto votes = [&](std::size_t m) { return predictions ? ballots.votes()[m] : Votes{}; };
    std::vector<Member::Rises> rises(settings_.replacement == Replacement::worst ? n : 0);
    for (Member::Rises& r : rises) {
        r.errors.assign(rows, 0.0);
        r.at.assign(rows, 0);
    }
    work_->shift.run(n, worthwhile(threads_, n, rows), [&](std::size_t m) {
        const Section section(reserve_);
        members_[m].run(block, 0, schema_, votes(m), rises.empty() ? nullptr : &rises[m]);
    });
    if (!rises.empty()) replace_worst(block, rises, ballots.votes());
    if (!predictions) return;
    if (settings_.keep_votes) keep(ballots.votes(), rows, predictions->width);
    combine(
        ballots.votes(), rows, costs_, [&](std::size_t r) { return block.known[r]; }, *predictions,
        first);
}

void Forest::keep(const std::vector<Votes>& votes, std::size_t rows, std::size_t width) {
    for (std::size_t r = 0; r < rows; ++r) {
        for (const Votes& v : votes) {
            const double* const shares = v.shares + r * v.width;
            work_->kept.shares.insert(work_->kept.shares.end(), shares, shares + width);
            work_->kept.weights.push_back(v.weights[r]);
        }
    }
}

Forest::StoredVotes Forest::take_votes() {
    const auto lock = turnstile_.writing();
    return std::exchange(work_->kept, {});
}

// If errors rose, the member with the most errors after that row starts over and processes the rows
// since then again.
void Forest::replace_worst(const Block& block, std::vector<Member::Rises>& rises,
                           const std::vector<Votes>& votes) {
    for (std::size_t r = 0; r < block.batch.rows; ++r) {
        const auto rose = [&](const Member::Rises& m) { return m.at[r] != 0; };
        if (std::none_of(rises.begin(), rises.end(), rose)) continue;
        std::size_t worst = 0;
        for (std::size_t m = 1; m < rises.size(); ++m) {
            if (rises[m].errors[r] > rises[worst].errors[r]) worst = m;
        }
        members_[worst].restart(schema_, block.numbers[r]);
        std::fill(rises[worst].at.begin() + static_cast<std::ptrdiff_t>(r) + 1,
                  rises[worst].at.end(), 0);
        members_[worst].run(block, r + 1, schema_, votes.empty() ? Votes{} : votes[worst],
                            &rises[worst]);
    }
}

void Forest::predict(const Batch& batch, const Predictions& predictions, Stop* stop,
                     Moment* moment) const {
    const BlockLocks locks(turnstile_, moment != nullptr);
    if (moment) *moment = {seen_, schema_.classes};
    const std::size_t n = members_.size();
    Pace pace(1024);
    for (std::size_t first = 0; first < batch.rows;) {
        poll(stop);
        const auto lock = locks.of_block();
        // Classes that appeared after the call began are not part of the prediction.
        const std::size_t width =
            predictions.width ? predictions.width : std::max<std::size_t>(schema_.classes, 1);
        const std::size_t rows = std::min(pace.rows(block_rows(n, width)), batch.rows - first);
        const Pace::Timer timer(pace, rows, turnstile_);
        const Batch block = batch.certain_rows(first, rows);
        const Ballots ballots(n, rows, width);
        side_by_side(n, worthwhile(threads_, n, rows),
                     [&](std::size_t m) { members_[m].predict(block, ballots.votes()[m]); });
        const std::size_t known = seen_ ? std::min(width, schema_.classes) : 0;
        combine(
            ballots.votes(), rows, costs_, [&](std::size_t) { return known; }, predictions, first);
        first += rows;
    }
}

void Forest::votes(const Batch& batch, std::size_t width, std::vector<double>& shares,
                   std::vector<double>& weights) const {
    const auto lock = turnstile_.reading();
    shares.assign(members_.size() * width, 0.0);
    weights.assign(members_.size(), 0.0);
    for (std::size_t m = 0; m < members_.size(); ++m) {
        members_[m].predict(batch, {shares.data() + m * width, width, weights.data() + m});
    }
}

// ---- inspection ----

std::vector<Record> Forest::records() const {
    const auto lock = turnstile_.reading();
    std::vector<Record> out;
    for (const Member& m : members_) {
        out.push_back({m.front().tree,
                       {},
                       m.weight(),
                       m.accuracy(),
                       m.warnings(),
                       m.drifts(),
                       m.back().tree != nullptr,
                       m.settings().once});
        if (settings_.patch.draws()) out.back().features = m.front().patch;
    }
    return out;
}

std::shared_ptr<Tree> Forest::tree(std::size_t member) const {
    const auto lock = turnstile_.reading();
    return members_.at(member).front().tree;
}

}  // namespace riparian
