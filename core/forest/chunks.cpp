#include "chunks.hpp"

#include <algorithm>

#include "threads.hpp"

namespace riparian {
namespace {

// What a forest counts for itself, whatever the layout of the class (tree/tree.hpp).
constexpr std::size_t object_bytes = 1032;
static_assert(sizeof(ChunkForest) <= object_bytes);

// This part of the memory limit is set aside for the chunk.
constexpr std::size_t chunk_share = 4;

}  // namespace

// ---- the schema, and memory ----

ChunkForest::ChunkForest(const ChunkSettings& settings)
    : Ensemble(settings.max_bytes, settings.threads), settings_(settings), learner_(fresh()) {}

std::shared_ptr<Tree> ChunkForest::fresh() const {
    TreeSettings settings = settings_.tree;
    settings.max_bytes = bytes_of_a_tree(max_bytes_);
    settings.leaf_features.seed = chunks_;
    auto tree = std::make_shared<Tree>(settings);
    // What the first tree needs is checked when its features are known.
    if (!chunk_.kinds.empty()) tree->add_features(chunk_.kinds);
    watch_in(*tree);
    tree->declare_classes(schema_.declared);
    return tree;
}

void ChunkForest::give_features(const std::vector<Kind>& kinds) {
    chunk_.add_features(kinds);
    demand_room();
    for (const StoredTree& k : kept_) k.tree->add_features(kinds);
    learner_->add_features(kinds);
}

void ChunkForest::give_classes(std::size_t count) {
    for (const StoredTree& k : kept_) k.tree->declare_classes(count);
    learner_->declare_classes(count);
}

std::size_t ChunkForest::bytes_of_a_tree(std::size_t limit) const noexcept {
    if (limit == SIZE_MAX) return SIZE_MAX;
    const std::size_t left = without_names(limit) - limit / chunk_share;
    const std::size_t other_bytes = object_bytes;
    return left > other_bytes ? (left - other_bytes) / most_trees() : 0;
}

std::size_t ChunkForest::bytes_of_a_chunk() const noexcept {
    return Chunk::bytes(settings_.rows, chunk_.numbers.size(), chunk_.codes.size());
}

bool ChunkForest::has_room(std::size_t limit) const noexcept {
    return Ensemble::has_room(limit) && bytes_of_a_chunk() <= limit / chunk_share;
}

std::size_t ChunkForest::limit_for(std::size_t of_a_tree) const noexcept {
    const std::size_t trees = most_trees() * of_a_tree;
    const std::size_t all = (trees + object_bytes) / 11 * 16 + 64;  // 1 - 1/16 - 1/4
    return std::max({all, bytes_of_a_chunk() * chunk_share, names_ * names_share});
}

std::vector<std::shared_ptr<Tree>> ChunkForest::trees() const {
    std::vector<std::shared_ptr<Tree>> all{learner_};
    for (const StoredTree& k : kept_) all.push_back(k.tree);
    return all;
}

void ChunkForest::give_limit(std::size_t limit) {
    for (const auto& tree : trees()) tree->set_max_bytes(bytes_of_a_tree(limit));
}

std::size_t ChunkForest::memory_bytes() const {
    const auto lock = turnstile_.reading();
    std::size_t bytes = object_bytes + names_ + learner_->memory_bytes();
    for (const StoredTree& k : kept_) bytes += sizeof(StoredTree) + k.tree->memory_bytes();
    return bytes + Chunk::bytes(chunk_.rows(), chunk_.numbers.size(), chunk_.codes.size()) / 2;
}

// ---- learning ----

// The end of a chunk: a tree for each fold, which learns most of the chunk.
std::size_t ChunkForest::most_of_rows(std::size_t rows) const {
    const std::size_t fold = learner_->memory().most_of_rows(settings_.rows * settings_.epochs);
    return Ensemble::most_of_rows(rows) + (settings_.folds + 2) * (fold + 2 * bytes_of_a_chunk());
}

void ChunkForest::run(const Batch& batch, const std::int32_t* y, const double* w,
                      const Predictions* predictions, Stop* stop) {
    for (std::size_t first = 0; first < batch.rows;) {
        poll(stop);
        const std::size_t most = set_aside(std::min(pace_.rows(batch.rows), batch.rows - first));
        const auto lock = turnstile_.writing();
        // Until the chunk is full the voting members stay the same. The first chunk is an exception:
        // its tree predicts while it learns.
        const bool growing = kept_.empty();
        std::size_t last = first;
        for (std::size_t room = settings_.rows - chunk_.rows(); last < batch.rows && room > 0;
             ++last) {
            const bool learned = y[last] >= 0 && (!w || w[last] > 0.0);
            if (last - first == most || (growing && predictions && last > first)) break;
            if (learned) --room;
        }
        const Pace::Timer timer(pace_, last - first, turnstile_);
        if (predictions) {
            // A new class is known to all later rows.
            std::vector<std::uint32_t> known;
            std::size_t classes = seen_ ? schema_.classes : 0;
            for (std::size_t r = first; r < last; ++r) {
                known.push_back(static_cast<std::uint32_t>(classes));
                if (y[r] < 0 || (w && !(w[r] > 0.0))) continue;
                classes = std::max(classes, static_cast<std::size_t>(y[r]) + 1);
            }
            predict_rows(batch, *predictions, first, known);
        }
        finish([&] {
            for (std::size_t r = first; r < last; ++r) {
                const double weight = w ? w[r] : 1.0;
                if (y[r] >= 0 && weight > 0.0) add_to_chunk(batch, r, y[r], weight);
            }
            learner_->learn(batch.certain_rows(first, last - first), y + first,
                            w ? w + first : nullptr);
            if (chunk_.rows() == settings_.rows) end_chunk();
        });
        first = last;
    }
}

void ChunkForest::add_to_chunk(const Batch& batch, std::size_t row, std::int32_t y, double w) {
    ++seen_;
    schema_.classes = std::max(schema_.classes, static_cast<std::size_t>(y) + 1);
    chunk_.add(batch, row, y, w);
    for (std::size_t c = 0; c < chunk_.codes.size(); ++c) note_category(c, chunk_.codes[c].back());
}

void ChunkForest::learn_chunk(Tree& tree, const Chunk& chunk) const {
    for (std::size_t e = 0; e < settings_.epochs; ++e) {
        tree.learn(chunk.batch(), chunk.labels.data(), chunk.weights.data());
    }
}

double ChunkForest::loss(const Tree& tree, const Chunk& chunk) const {
    const std::size_t width = std::max(schema_.classes, std::size_t{1});
    std::vector<double> shares(chunk.rows() * width);
    tree.predict(chunk.batch(), {nullptr, shares.data(), width});
    double sum = 0.0;
    for (std::size_t r = 0; r < chunk.rows(); ++r) {
        const double* const p = shares.data() + r * width;
        const auto y = static_cast<std::size_t>(chunk.labels[r]);
        double lost = 0.0;
        if (costs_.classes) {
            for (std::size_t a = 0; a < std::min(width, costs_.classes); ++a) {
                lost += p[a] * costs_(a, y);
            }
        } else {
            lost = (1.0 - p[y]) * (1.0 - p[y]);
        }
        sum += chunk.weights[r] * lost;
    }
    return sum;
}

// The loss per row of a classifier that draws classes at random, as often as they occur.
double ChunkForest::random_loss() const {
    std::vector<double> share(schema_.classes, 0.0);
    double total = 0.0;
    for (std::size_t r = 0; r < chunk_.rows(); ++r) {
        share[static_cast<std::size_t>(chunk_.labels[r])] += chunk_.weights[r];
        total += chunk_.weights[r];
    }
    double lost = 0.0;
    for (double& p : share) p /= total;
    for (std::size_t k = 0; k < schema_.classes; ++k) {
        if (!costs_.classes) {
            lost += share[k] * (1.0 - share[k]) * (1.0 - share[k]);
            continue;
        }
        if (k >= costs_.classes) continue;
        for (std::size_t a = 0; a < std::min(schema_.classes, costs_.classes); ++a) {
            lost += share[k] * share[a] * costs_(a, k);
        }
    }
    return lost;
}

void ChunkForest::end_chunk() {
    double total = 0.0;
    for (const double w : chunk_.weights) total += w;
    for (std::size_t e = 1; e < settings_.epochs; ++e) {
        learner_->learn(chunk_.batch(), chunk_.labels.data(), chunk_.weights.data());
    }
    const std::size_t folds = std::min(settings_.folds, chunk_.rows());
    std::vector<double> lost(kept_.size() + folds, 0.0);
    side_by_side(lost.size(), threads_, [&](std::size_t i) {
        const Section section(reserve_);
        if (i < kept_.size()) {
            lost[i] = loss(*kept_[i].tree, chunk_);
            return;
        }
        const std::size_t f = i - kept_.size();
        const auto tree = fresh();
        learn_chunk(*tree, chunk_.fold(f, folds, false));
        lost[i] = loss(*tree, chunk_.fold(f, folds, true));
    });
    const double random = random_loss();
    const auto weight = [&](double sum) { return std::max(random - sum / total, 0.0); };
    for (std::size_t i = 0; i < kept_.size(); ++i) kept_[i].weight = weight(lost[i]);
    double held_out = 0.0;
    for (std::size_t f = 0; f < folds; ++f) held_out += lost[kept_.size() + f];
    kept_.push_back({learner_, weight(held_out), chunks_});
    std::stable_sort(kept_.begin(), kept_.end(), [](const StoredTree& a, const StoredTree& b) {
        return a.weight > b.weight || (a.weight == b.weight && a.chunk > b.chunk);
    });
    if (kept_.size() > settings_.stored) kept_.resize(settings_.stored);
    ++chunks_;
    chunk_.clear();
    learner_ = fresh();
}

// ---- predicting ----

// The best members that beat chance. If none does, the newest; before the first chunk is full, the
// member that learns it.
std::vector<ChunkForest::StoredTree> ChunkForest::voting_members() const {
    if (kept_.empty()) return {{learner_, seen_ > 0 ? 1.0 : 0.0, chunks_}};
    std::vector<StoredTree> out;
    for (const StoredTree& k : kept_) {
        if (k.weight > 0.0 && out.size() < settings_.voting) out.push_back(k);
    }
    if (!out.empty()) return out;
    const auto newest =
        std::max_element(kept_.begin(), kept_.end(), [](const StoredTree& a, const StoredTree& b) {
            return a.chunk < b.chunk;
        });
    return {{newest->tree, 1.0, newest->chunk}};
}

void ChunkForest::predict_rows(const Batch& batch, const Predictions& predictions,
                               std::size_t first, const std::vector<std::uint32_t>& known,
                               Stop* stop) const {
    const std::vector<StoredTree> voters = voting_members();
    Pace pace(256);
    const std::size_t rows = known.size();
    // Later rows know more classes; the last one knows the most.
    const std::size_t classes = rows ? known.back() : 0;
    const std::size_t width = std::max({predictions.width, classes, std::size_t{1}});
    const std::size_t most = block_rows(voters.size(), width);
    for (std::size_t done = 0, n = 0; done < rows; done += n) {
        poll(stop);
        n = std::min(pace.rows(most), rows - done);
        const Pace::Timer timer(pace, n, turnstile_);
        const Batch block = batch.certain_rows(first + done, n);
        const Ballots ballots(voters.size(), n, width);
        side_by_side(voters.size(), worthwhile(threads_, voters.size(), n), [&](std::size_t m) {
            const Votes& v = ballots.votes()[m];
            std::fill_n(v.weights, n, voters[m].weight);
            voters[m].tree->predict(block, {nullptr, v.shares, width});
        });
        combine(
            ballots.votes(), n, costs_, [&](std::size_t r) { return known[done + r]; }, predictions,
            first + done);
    }
}

void ChunkForest::predict(const Batch& batch, const Predictions& predictions, Stop* stop,
                          Moment* moment) const {
    const auto lock = turnstile_.reading();
    if (moment) *moment = {seen_, schema_.classes};
    // Classes that appeared after the call began are not part of the prediction.
    std::size_t known = seen_ ? schema_.classes : 0;
    if (predictions.width) known = std::min(known, predictions.width);
    predict_rows(batch, predictions, 0, std::vector(batch.rows, static_cast<std::uint32_t>(known)),
                 stop);
}

void ChunkForest::votes(const Batch& batch, std::size_t width, std::vector<double>& shares,
                        std::vector<double>& weights) const {
    const auto lock = turnstile_.reading();
    const std::vector<StoredTree> voters = voting_members();
    shares.assign(voters.size() * width, 0.0);
    weights.clear();
    for (std::size_t m = 0; m < voters.size(); ++m) {
        voters[m].tree->predict(batch, {nullptr, shares.data() + m * width, width});
        weights.push_back(voters[m].weight);
    }
}

// ---- inspection ----

std::size_t ChunkForest::n_members() const {
    const auto lock = turnstile_.reading();
    return std::max<std::size_t>(kept_.size(), 1);
}

std::shared_ptr<Tree> ChunkForest::tree(std::size_t member) const {
    const auto lock = turnstile_.reading();
    return kept_.empty() && member == 0 ? learner_ : kept_.at(member).tree;
}

std::vector<ChunkRecord> ChunkForest::records() const {
    const auto lock = turnstile_.reading();
    // The member that learns the first chunk predicts from its first row on.
    if (kept_.empty()) return {{learner_, 0.0, 1.0, chunks_, false}};
    const std::vector<StoredTree> voters = voting_members();
    std::vector<ChunkRecord> out;
    for (const StoredTree& k : kept_) {
        const auto vote = std::find_if(voters.begin(), voters.end(),
                                       [&](const StoredTree& v) { return v.tree == k.tree; });
        out.push_back({k.tree, k.weight, vote == voters.end() ? 0.0 : vote->weight, k.chunk, true});
    }
    return out;
}

}  // namespace riparian
