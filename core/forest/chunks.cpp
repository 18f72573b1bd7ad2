#include "chunks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "threads.hpp"

namespace riparian {
namespace {

// Of the limit of memory, set aside for names, and for the chunk.
constexpr std::size_t names_share = 16, chunk_share = 4;

}  // namespace

// ---- the chunk ----

void Chunk::add_features(const std::vector<Kind>& more) {
    for (const Kind kind : more) {
        kinds.push_back(kind);
        if (kind == Kind::numeric) {
            numbers.emplace_back(rows(), std::numeric_limits<double>::quiet_NaN());
        } else {
            codes.emplace_back(rows(), missing_code);
        }
    }
}

void Chunk::add(const Batch& batch, std::size_t row, std::int32_t y, double w) {
    std::size_t n = 0, c = 0;
    for (std::size_t f = 0; f < kinds.size(); ++f) {
        const bool given = f < batch.columns.size() && batch.columns[f].data;
        if (kinds[f] == Kind::numeric) {
            double x = std::numeric_limits<double>::quiet_NaN();
            if (given) {
                const Column& column = batch.columns[f];
                x = column.type == Column::Type::f64 ? column.at<double>(row)
                                                     : static_cast<double>(column.at<float>(row));
            }
            numbers[n++].push_back(x);
        } else {
            std::int32_t code = missing_code;
            if (given) {
                const Column& column = batch.columns[f];
                code = column.type == Column::Type::code ? column.at<std::int32_t>(row)
                                                         : column.at<std::int8_t>(row);
            }
            codes[c++].push_back(code);
        }
    }
    labels.push_back(y);
    weights.push_back(w);
}

void Chunk::clear() noexcept {
    for (auto& column : numbers) column.clear();
    for (auto& column : codes) column.clear();
    labels.clear();
    weights.clear();
}

Batch Chunk::batch() const {
    Batch out;
    out.rows = rows();
    std::size_t n = 0, c = 0;
    for (const Kind kind : kinds) {
        if (kind == Kind::numeric) {
            out.columns.push_back({numbers[n++].data(), sizeof(double), Column::Type::f64});
        } else {
            out.columns.push_back({codes[c++].data(), sizeof(std::int32_t), Column::Type::code});
        }
    }
    return out;
}

Chunk Chunk::fold(std::size_t fold, std::size_t folds, bool in) const {
    Chunk out;
    out.add_features(kinds);
    const Batch all = batch();
    for (std::size_t r = 0; r < rows(); ++r) {
        if ((r % folds == fold) == in) out.add(all, r, labels[r], weights[r]);
    }
    return out;
}

std::size_t Chunk::bytes(std::size_t rows, std::size_t numeric, std::size_t categorical) noexcept {
    // Lists double, and folds are copies.
    return 2 * 2 * rows * (numeric * sizeof(double) + categorical * sizeof(std::int32_t) + 12);
}

// ---- the schema, and memory ----

ChunkForest::ChunkForest(const ChunkSettings& settings) : settings_(settings) {
    learner_ = fresh();
}

std::shared_ptr<Tree> ChunkForest::fresh() const {
    Settings settings = settings_.tree;
    settings.max_bytes = bytes_of_a_tree(settings_.max_bytes);
    settings.leaf_features.seed = chunks_;
    auto tree = std::make_shared<Tree>(settings);
    tree->add_features(chunk_.kinds);
    tree->declare_classes(declared_);
    return tree;
}

void ChunkForest::add_features(const std::vector<Kind>& kinds) {
    const auto lock = turnstile_.writing();
    chunk_.add_features(kinds);
    for (const Kind kind : kinds) {
        if (kind == Kind::categorical) categories_.push_back(0);
    }
    demand_room(settings_.max_bytes);
    for (const Kept& k : kept_) k.tree->add_features(kinds);
    learner_->add_features(kinds);
}

void ChunkForest::declare_classes(std::size_t count) {
    const auto lock = turnstile_.writing();
    declared_ = std::max(declared_, count);
    n_classes_ = std::max(n_classes_, count);
    for (const Kept& k : kept_) k.tree->declare_classes(count);
    learner_->declare_classes(count);
}

void ChunkForest::add_names(std::size_t bytes) {
    const auto lock = turnstile_.writing();
    names_ += bytes;
    demand_room(settings_.max_bytes);
}

void ChunkForest::expect_classes(const std::vector<std::uint32_t>& bytes) {
    std::size_t sum = 0;
    for (const std::uint32_t b : bytes) sum += b;
    add_names(sum);
}

void ChunkForest::expect_categories(std::size_t, const std::vector<std::uint32_t>& bytes) {
    expect_classes(bytes);
}

void ChunkForest::set_costs(const double* matrix, std::size_t classes) {
    const auto lock = turnstile_.writing();
    auto entries = std::make_shared<double[]>(classes * classes);
    std::copy_n(matrix, classes * classes, entries.get());
    costs_ = Costs{std::move(entries), classes, classes};
}

// Those that are kept, the one that learns, and those of the folds.
std::size_t ChunkForest::bytes_of_a_tree(std::size_t limit) const noexcept {
    if (limit == SIZE_MAX) return SIZE_MAX;
    const std::size_t left = limit - limit / names_share - limit / chunk_share;
    const std::size_t besides = sizeof(ChunkForest);
    const std::size_t trees = settings_.stored + 1 + settings_.folds;
    return left > besides ? (left - besides) / trees : 0;
}

void ChunkForest::demand_room(std::size_t limit) const {
    if (limit == SIZE_MAX) return;
    if (names_ > limit / names_share) throw LimitTooLow(limit, names_ * names_share);
    const std::size_t chunk =
        Chunk::bytes(settings_.rows, chunk_.numbers.size(), chunk_.codes.size());
    if (chunk > limit / chunk_share) throw LimitTooLow(limit, chunk * chunk_share);
}

std::size_t ChunkForest::least_bytes() const {
    Settings settings = settings_.tree;
    settings.max_bytes = std::size_t{1} << 60;
    Tree tree(settings);
    tree.add_features(chunk_.kinds);
    const std::size_t trees = (settings_.stored + 1 + settings_.folds) * tree.least_bytes();
    const std::size_t chunk =
        Chunk::bytes(settings_.rows, chunk_.numbers.size(), chunk_.codes.size());
    const std::size_t all = (trees + sizeof(ChunkForest)) / 11 * 16 + 64;  // 1 - 1/16 - 1/4
    return std::max({all, chunk * chunk_share, names_ * names_share});
}

bool ChunkForest::surely_fits(std::size_t) const { return settings_.max_bytes == SIZE_MAX; }

void ChunkForest::set_max_bytes(std::size_t limit) {
    const auto lock = turnstile_.writing();
    demand_room(limit);
    const auto set = [&](std::size_t of_all) {
        for (const Kept& k : kept_) k.tree->set_max_bytes(bytes_of_a_tree(of_all));
        learner_->set_max_bytes(bytes_of_a_tree(of_all));
    };
    try {
        set(limit);
    } catch (const LimitTooLow& error) {
        set(settings_.max_bytes);
        throw LimitTooLow(limit, limit - bytes_of_a_tree(limit) + error.needed);
    }
    settings_.max_bytes = limit;
}

std::size_t ChunkForest::memory_bytes() const {
    const auto lock = turnstile_.reading();
    std::size_t bytes = sizeof(ChunkForest) + names_ + learner_->memory_bytes();
    for (const Kept& k : kept_) bytes += sizeof(Kept) + k.tree->memory_bytes();
    return bytes + Chunk::bytes(chunk_.rows(), chunk_.numbers.size(), chunk_.codes.size()) / 2;
}

// ---- learning ----

void ChunkForest::run(const Batch& batch, const std::int32_t* y, const double* w,
                      const Answers* answers) {
    for (std::size_t first = 0; first < batch.rows;) {
        const auto lock = turnstile_.writing();
        // Until the chunk is full the members that vote are the same, but for a first chunk,
        // which its tree answers while it learns.
        const bool growing = kept_.empty();
        std::size_t last = first;
        for (std::size_t room = settings_.rows - chunk_.rows(); last < batch.rows && room > 0; ++last) {
            const bool learned = y[last] >= 0 && (!w || w[last] > 0.0);
            if (growing && answers && last > first) break;
            if (learned) --room;
        }
        if (answers) answer(batch, *answers, first, last - first);
        for (std::size_t r = first; r < last; ++r) {
            const double weight = w ? w[r] : 1.0;
            if (y[r] >= 0 && weight > 0.0) take(batch, r, y[r], weight);
        }
        learner_->learn(batch.certain_rows(first, last - first), y + first, w ? w + first : nullptr);
        first = last;
        if (chunk_.rows() == settings_.rows) end_chunk();
    }
}

void ChunkForest::take(const Batch& batch, std::size_t row, std::int32_t y, double w) {
    ++seen_;
    n_classes_ = std::max(n_classes_, static_cast<std::size_t>(y) + 1);
    chunk_.add(batch, row, y, w);
    for (std::size_t c = 0; c < chunk_.codes.size(); ++c) {
        const std::int32_t code = chunk_.codes[c].back();
        if (code >= 0) categories_[c] = std::max(categories_[c], static_cast<std::uint32_t>(code) + 1);
    }
}

void ChunkForest::teach(Tree& tree, const Chunk& chunk) const {
    for (std::size_t e = 0; e < settings_.epochs; ++e) {
        tree.learn(chunk.batch(), chunk.labels.data(), chunk.weights.data());
    }
}

double ChunkForest::loss(const Tree& tree, const Chunk& chunk) const {
    const std::size_t width = std::max(n_classes_, std::size_t{1});
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

// Of who draws classes as often as they are, per row.
double ChunkForest::random_loss() const {
    std::vector<double> share(n_classes_, 0.0);
    double total = 0.0;
    for (std::size_t r = 0; r < chunk_.rows(); ++r) {
        share[static_cast<std::size_t>(chunk_.labels[r])] += chunk_.weights[r];
        total += chunk_.weights[r];
    }
    double lost = 0.0;
    for (double& p : share) p /= total;
    for (std::size_t k = 0; k < n_classes_; ++k) {
        if (!costs_.classes) {
            lost += share[k] * (1.0 - share[k]) * (1.0 - share[k]);
            continue;
        }
        if (k >= costs_.classes) continue;
        for (std::size_t a = 0; a < std::min(n_classes_, costs_.classes); ++a) {
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
    side_by_side(lost.size(), settings_.threads, [&](std::size_t i) {
        if (i < kept_.size()) {
            lost[i] = loss(*kept_[i].tree, chunk_);
            return;
        }
        const std::size_t f = i - kept_.size();
        const auto tree = fresh();
        teach(*tree, chunk_.fold(f, folds, false));
        lost[i] = loss(*tree, chunk_.fold(f, folds, true));
    });
    const double random = random_loss();
    const auto weight = [&](double sum) { return std::max(random - sum / total, 0.0); };
    for (std::size_t i = 0; i < kept_.size(); ++i) kept_[i].weight = weight(lost[i]);
    double held_out = 0.0;
    for (std::size_t f = 0; f < folds; ++f) held_out += lost[kept_.size() + f];
    kept_.push_back({learner_, weight(held_out), chunks_});
    std::stable_sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) {
        return a.weight > b.weight || (a.weight == b.weight && a.chunk > b.chunk);
    });
    if (kept_.size() > settings_.stored) kept_.resize(settings_.stored);
    ++chunks_;
    chunk_.clear();
    learner_ = fresh();
}

// ---- answering ----

// The best members that beat chance; the newest where none does, and before the first chunk is
// full the one that learns it.
std::vector<ChunkForest::Kept> ChunkForest::electorate() const {
    if (kept_.empty()) return {{learner_, seen_ > 0 ? 1.0 : 0.0, chunks_}};
    std::vector<Kept> out;
    for (const Kept& k : kept_) {
        if (k.weight > 0.0 && out.size() < settings_.voting) out.push_back(k);
    }
    if (!out.empty()) return out;
    const auto newest = std::max_element(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) {
        return a.chunk < b.chunk;
    });
    return {{newest->tree, 1.0, newest->chunk}};
}

void ChunkForest::answer(const Batch& batch, const Answers& answers, std::size_t first,
                         std::size_t rows) const {
    const std::vector<Kept> voters = electorate();
    // Classes that came after the question was asked are not part of the answer.
    const std::size_t width = answers.width ? answers.width : std::max<std::size_t>(n_classes_, 1);
    const std::size_t most = block_rows(voters.size(), width);
    for (std::size_t done = 0; done < rows; done += most) {
        const std::size_t n = std::min(most, rows - done);
        const Batch block = batch.certain_rows(first + done, n);
        const Ballots ballots(voters.size(), n, width);
        side_by_side(voters.size(), worthwhile(settings_.threads, voters.size(), n),
                     [&](std::size_t m) {
                         const Votes& v = ballots.votes()[m];
                         std::fill_n(v.weights, n, voters[m].weight);
                         voters[m].tree->predict(block, {nullptr, v.shares, width});
                     });
        combine(ballots.votes(), n, costs_, [&](std::size_t) { return n_classes_; }, answers,
                first + done);
    }
}

void ChunkForest::learn(const Batch& batch, const std::int32_t* y, const double* w) {
    run(batch, y, w, nullptr);
}

void ChunkForest::prequential(const Batch& batch, const std::int32_t* y, const double* w,
                              const Answers& answers) {
    run(batch, y, w, &answers);
}

void ChunkForest::predict(const Batch& batch, const Answers& answers) const {
    const auto lock = turnstile_.reading();
    answer(batch, answers, 0, batch.rows);
}

void ChunkForest::votes(const Batch& batch, std::size_t width, std::vector<double>& shares,
                        std::vector<double>& weights) const {
    const auto lock = turnstile_.reading();
    const std::vector<Kept> voters = electorate();
    shares.assign(voters.size() * width, 0.0);
    weights.clear();
    for (std::size_t m = 0; m < voters.size(); ++m) {
        voters[m].tree->predict(batch, {nullptr, shares.data() + m * width, width});
        weights.push_back(voters[m].weight);
    }
}

// ---- looking ----

std::size_t ChunkForest::n_features() const {
    const auto lock = turnstile_.reading();
    return chunk_.kinds.size();
}

std::size_t ChunkForest::n_classes() const {
    const auto lock = turnstile_.reading();
    return n_classes_;
}

std::uint64_t ChunkForest::seen() const {
    const auto lock = turnstile_.reading();
    return seen_;
}

std::size_t ChunkForest::n_members() const {
    const auto lock = turnstile_.reading();
    return std::max<std::size_t>(kept_.size(), 1);
}

std::shared_ptr<Tree> ChunkForest::tree(std::size_t member) const {
    const auto lock = turnstile_.reading();
    return kept_.empty() && member == 0 ? learner_ : kept_.at(member).tree;
}

std::vector<std::uint32_t> ChunkForest::features_of(std::size_t) const {
    const auto lock = turnstile_.reading();
    std::vector<std::uint32_t> all(chunk_.kinds.size());
    for (std::size_t f = 0; f < all.size(); ++f) all[f] = static_cast<std::uint32_t>(f);
    return all;
}

std::vector<double> ChunkForest::weights() const {
    const auto lock = turnstile_.reading();
    std::vector<double> out;
    for (const Kept& k : kept_) out.push_back(k.weight);
    return out;
}

std::vector<std::uint64_t> ChunkForest::chunks_of() const {
    const auto lock = turnstile_.reading();
    std::vector<std::uint64_t> out;
    for (const Kept& k : kept_) out.push_back(k.chunk);
    return out;
}

// ---- as flat arrays, and back ----

ChunkSnapshot ChunkForest::snapshot() const {
    const auto lock = turnstile_.reading();
    ChunkSnapshot s;
    s.seen = {seen_};
    s.classes = {static_cast<std::uint32_t>(n_classes_)};
    s.declared = {static_cast<std::uint32_t>(declared_)};
    for (const Kind kind : chunk_.kinds) s.kinds.push_back(kind == Kind::categorical ? 1 : 0);
    s.categories = categories_;
    for (const auto& column : chunk_.numbers) {
        s.chunk_numbers.insert(s.chunk_numbers.end(), column.begin(), column.end());
    }
    for (const auto& column : chunk_.codes) {
        s.chunk_codes.insert(s.chunk_codes.end(), column.begin(), column.end());
    }
    s.chunk_labels = chunk_.labels;
    s.chunk_weights = chunk_.weights;
    for (const Kept& k : kept_) {
        s.member_weights.push_back(k.weight);
        s.member_chunks.push_back(k.chunk);
        s.trees.push_back(k.tree->snapshot());
    }
    s.chunks = {chunks_};
    s.trees.push_back(learner_->snapshot());
    return s;
}

std::unique_ptr<ChunkForest> ChunkForest::restore(const ChunkSettings& settings,
                                                  const ChunkSnapshot& s) {
    const auto demand = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(what);
    };
    demand(s.seen.size() == 1 && s.classes.size() == 1 && s.declared.size() == 1 &&
               s.chunks.size() == 1,
           "seen, classes, declared or chunks has the wrong size");
    demand(s.classes[0] <= max_classes && s.declared[0] <= s.classes[0], "classes is too large");
    demand(s.kinds.size() <= max_features, "kinds has too many features");
    const std::size_t n = s.member_weights.size(), rows = s.chunk_labels.size();
    demand(n <= settings.stored && s.member_chunks.size() == n && s.trees.size() == n + 1,
           "member_weights has the wrong size");
    demand(rows < settings.rows && s.chunk_weights.size() == rows, "chunk_labels has the wrong size");
    auto forest = std::make_unique<ChunkForest>(settings);
    std::vector<Kind> kinds;
    std::size_t categorical = 0;
    for (const std::uint8_t kind : s.kinds) {
        demand(kind <= 1, "kinds holds an unknown kind");
        kinds.push_back(kind ? Kind::categorical : Kind::numeric);
        categorical += kind;
    }
    const std::size_t numeric = kinds.size() - categorical;
    demand(s.categories.size() == categorical, "categories has the wrong size");
    demand(s.chunk_numbers.size() == rows * numeric && s.chunk_codes.size() == rows * categorical,
           "the chunk has the wrong size");
    forest->add_features(kinds);
    forest->declare_classes(s.declared[0]);
    forest->n_classes_ = s.classes[0];
    forest->categories_ = s.categories;
    forest->seen_ = s.seen[0];
    forest->chunks_ = s.chunks[0];
    demand(s.chunks[0] >= n && rows + s.chunks[0] * settings.rows == s.seen[0],
           "chunks does not go with the rows seen");
    demand((n == 0) == (s.chunks[0] == 0), "no member of the chunks before");
    Chunk& chunk = forest->chunk_;
    for (std::size_t f = 0; f < numeric; ++f) {
        chunk.numbers[f].assign(s.chunk_numbers.begin() + static_cast<std::ptrdiff_t>(f * rows),
                                s.chunk_numbers.begin() + static_cast<std::ptrdiff_t>((f + 1) * rows));
        for (const double x : chunk.numbers[f]) demand(!std::isinf(x), "the chunk holds inf");
    }
    for (std::size_t f = 0; f < categorical; ++f) {
        demand(s.categories[f] <= max_categories, "categories is too large");
        chunk.codes[f].assign(s.chunk_codes.begin() + static_cast<std::ptrdiff_t>(f * rows),
                              s.chunk_codes.begin() + static_cast<std::ptrdiff_t>((f + 1) * rows));
        for (const std::int32_t code : chunk.codes[f]) {
            demand(code == missing_code ||
                       (code >= 0 && static_cast<std::uint32_t>(code) < s.categories[f]),
                   "the chunk holds an unknown category");
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        demand(s.chunk_labels[r] >= 0 &&
                   static_cast<std::uint32_t>(s.chunk_labels[r]) < s.classes[0],
               "the chunk holds an unknown class");
        demand(s.chunk_weights[r] > 0.0 && std::isfinite(s.chunk_weights[r]),
               "the chunk holds an impossible weight");
    }
    chunk.labels = s.chunk_labels;
    chunk.weights = s.chunk_weights;
    const auto restored = [&](std::size_t t) {
        Settings of_tree = forest->learner_->settings();
        of_tree.leaf_features.seed = t < n ? s.member_chunks[t] : s.chunks[0];
        const Snapshot& tree = s.trees[t];
        demand(tree.kinds == s.kinds, "a tree of other features");
        std::shared_ptr<Tree> out = Tree::restore(of_tree, tree);
        demand(out->n_classes() <= s.classes[0], "a tree that has seen more classes");
        for (std::size_t f = 0; f < categorical; ++f) {
            demand(tree.categories[f] <= s.categories[f], "a tree that has seen more categories");
        }
        return out;
    };
    for (std::size_t m = 0; m < n; ++m) {
        demand(s.member_weights[m] >= 0.0 && std::isfinite(s.member_weights[m]) &&
                   (m == 0 || s.member_weights[m] <= s.member_weights[m - 1]),
               "member_weights is not in order");
        demand(s.member_chunks[m] < s.chunks[0], "member_chunks holds a chunk to come");
        forest->kept_.push_back({restored(m), s.member_weights[m], s.member_chunks[m]});
    }
    forest->learner_ = restored(n);
    return forest;
}

}  // namespace riparian
