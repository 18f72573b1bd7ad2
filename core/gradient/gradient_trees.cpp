#include "gradient_trees.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "../simd/kernels.hpp"
#include "initial_weights.hpp"

namespace riparian {
namespace {

// The capacity for trees: exact while they are few, then it grows by a quarter.
std::size_t room_for_trees(std::size_t count) noexcept {
    std::size_t room = std::min<std::size_t>(count, 16);
    while (room < count) room += room / 4;
    return room;
}

// Bytes of the lists of features, with their copies while they grow.
constexpr std::size_t bytes_a_feature = 128;

}  // namespace

GradientTrees::GradientTrees(const GradientSettings& settings) : settings_(settings) {
    const Charge charge(held_);
    held_.held = taken(sizeof(GradientTrees));
    inputs_.add_features({});
    fit(scratch_);
}

void GradientTrees::Scratch::fit(const GradientSettings& settings, std::size_t width,
                                 std::size_t classes) {
    if (x.size() != width) x = HeldDoubles(width, 0.0);
    if (shares.size() != classes) shares = Held<double>(classes, 0.0);
    pass.fit(settings.depth);
}

// ---- what there is room for ----

std::size_t GradientTrees::tree_bytes(std::size_t trees, std::size_t width) const noexcept {
    const std::size_t nodes = room_for_trees(trees) * settings_.inner_nodes();
    return taken(nodes * width * sizeof(double)) + taken(nodes * sizeof(double));
}

void GradientTrees::demand_room(std::size_t more) const {
    if (settings_.max_bytes == SIZE_MAX) return;
    const std::size_t needed = held_.held + more;
    if (needed > settings_.max_bytes) {
        throw LimitTooLow(settings_.max_bytes, needed, "its planes");
    }
}

void GradientTrees::set_max_bytes(std::size_t limit) {
    const auto lock = turnstile_.writing();
    if (held_.held > limit) throw LimitTooLow(limit, held_.held, "its planes");
    settings_.max_bytes = limit;
}

std::size_t GradientTrees::least_bytes() const {
    const auto lock = turnstile_.reading();
    return held_.held + tree_bytes(1, inputs_.layout().width()) +
           taken(inputs_.layout().width() * sizeof(double));
}

void GradientTrees::set_costs(const double* matrix, std::size_t classes) {
    const auto lock = turnstile_.writing();
    auto entries = std::make_shared<double[]>(classes * classes);
    std::copy_n(matrix, classes * classes, entries.get());
    costs_ = Costs{std::move(entries), classes, classes};
}

// ---- what grows ----

void GradientTrees::add_features(const std::vector<Kind>& kinds) {
    // Includes what the next row needs.
    const std::size_t features = inputs_.features().size() + kinds.size();
    const Section section(reserve_, 2 * most_of_a_row(features + kinds.size(), 1));
    const auto lock = turnstile_.writing();
    const Charge charge(held_);
    const InputLayout& layout = inputs_.layout();
    const std::size_t width = layout.width();
    const std::size_t most = width + kinds.size() + 3;
    demand_room((inputs_.features().size() + kinds.size()) * bytes_a_feature +
                4 * taken(most * sizeof(double)) + tree_bytes(n_trees_, most));
    const std::vector<Input> before = inputs_.all();
    unfinished_ = true;
    inputs_.add_features(kinds);
    if (layout.width() != width) move_weights(before, width);
    fit(scratch_);
    unfinished_ = false;
}

void GradientTrees::move_weights(const std::vector<Input>& before, std::size_t width_before) {
    const std::size_t nodes = n_trees_ * settings_.inner_nodes();
    const std::size_t width = inputs_.layout().width();
    HeldDoubles moved;
    moved.reserve(room_for_trees(n_trees_) * settings_.inner_nodes() * width);
    moved.resize(nodes * width, 0.0);
    for (const Input& input : before) {
        const std::size_t place = inputs_.place(input);
        for (std::size_t i = 0; i < nodes; ++i) {
            moved[i * width + place] = weights_[i * width_before + input.place];
        }
    }
    weights_ = std::move(moved);
}

// Sets the weights as if the inputs had been there from the beginning: random directions.
void GradientTrees::begin(std::size_t tree, const std::vector<Input>& inputs) noexcept {
    const SoftTree t = this->tree(tree);
    const std::size_t nodes = settings_.inner_nodes();
    // a single tree is that of the second class
    const std::size_t number = n_trees_ == 1 ? 1 : tree;
    const double size = 1.0 / std::sqrt(static_cast<double>(n_met_));
    for (const Input& input : inputs) {
        InitialWeights numbers(settings_.seed, number, input.feature, input.category);
        for (std::size_t i = 0; i < nodes; ++i) {
            t.weights[i * t.width + input.place] = numbers.next() * size;
        }
    }
    for (std::size_t i = 0; i < nodes; ++i) {
        // A step of length 0 keeps the direction and scales it to length 1.
        kernels().plane_step(t.weights + i * t.width, t.weights + i * t.width, t.width, 0.0, 0.0);
    }
}

void GradientTrees::add_trees(std::size_t count) {
    const std::size_t before = n_trees_;
    const std::size_t nodes = settings_.inner_nodes(), width = inputs_.layout().width();
    demand_room(tree_bytes(count, width) + taken(count * sizeof(double)));
    const std::size_t room = room_for_trees(count) * nodes;
    weights_.reserve(room * width);
    weights_.resize(count * nodes * width, 0.0);
    biases_.reserve(room);
    biases_.resize(count * nodes, 0.0);
    n_trees_ = count;
    std::size_t first = before;
    if (before == 1) {
        // The one tree for two classes becomes two, which predict the same. Reversing the planes
        // above the leaves exchanges the classes of all leaves.
        const SoftTree zero = tree(0), one = tree(1);
        std::copy_n(zero.weights, nodes * width, one.weights);
        std::copy_n(zero.biases, nodes, one.biases);
        for (std::size_t i = nodes / 2; i < nodes; ++i) {
            zero.biases[i] = -zero.biases[i];
            for (std::size_t j = 0; j < width; ++j) {
                zero.weights[i * width + j] = -zero.weights[i * width + j];
            }
        }
        first = 2;
    }
    const std::vector<Input> inputs = inputs_.appeared();
    for (std::size_t t = first; t < count && n_met_ > 0; ++t) begin(t, inputs);
}

void GradientTrees::add_class(std::size_t y) {
    const Charge charge(held_);
    const std::size_t names = class_names_.arrive(y + 1 - n_classes_);
    demand_room(names);
    const std::size_t trees = trees_for(y + 1);
    if (trees != n_trees_) add_trees(trees);
    demand_room(names + taken((y + 1) * sizeof(double)));
    held_.held += names;
    n_classes_ = y + 1;
    fit(scratch_);
}

void GradientTrees::declare_classes(std::size_t count) {
    const Section section(reserve_, 2 * most_of_a_row(inputs_.features().size(), count));
    const auto lock = turnstile_.writing();
    unfinished_ = true;
    if (count > n_classes_) add_class(count - 1);
    unfinished_ = false;
}

void GradientTrees::add_inputs(const Row& row) {
    const Charge charge(held_);
    const std::size_t width = inputs_.layout().width();
    const std::size_t wider = width + inputs_.growth(row);
    std::size_t names = 0;
    for (std::size_t c = 0; c < category_names_.size(); ++c) {
        const std::int32_t fresh =
            row.codes[c] + 1 - static_cast<std::int32_t>(inputs_.categories(c));
        if (fresh > 0) names += category_names_[c].arrive(static_cast<std::size_t>(fresh));
    }
    demand_room(names + (wider == width
                             ? 0
                             : tree_bytes(n_trees_, wider) + 2 * taken(wider * sizeof(double))));
    const std::vector<Input> before = wider == width ? std::vector<Input>{} : inputs_.all();
    const std::vector<Input> fresh = inputs_.add_new(row);
    if (wider != width) move_weights(before, width);
    n_met_ += fresh.size();
    for (std::size_t t = 0; t < n_trees_; ++t) begin(t, fresh);
    held_.held += names;
    fit(scratch_);
}

void GradientTrees::add_names(std::size_t bytes) {
    const auto lock = turnstile_.writing();
    demand_room(bytes);
    held_.held += bytes;
}

void GradientTrees::expect_classes(const std::vector<std::uint32_t>& bytes) {
    class_names_.expect(bytes);
}

void GradientTrees::expect_categories(std::size_t feature,
                                      const std::vector<std::uint32_t>& bytes) {
    const std::size_t slot = inputs_.features().at(feature).slot;
    if (category_names_.size() <= slot) category_names_.resize(slot + 1);
    category_names_[slot].expect(bytes);
}

void GradientTrees::expect_nothing(std::size_t) noexcept {
    class_names_.clear();
    for (ExpectedNames& names : category_names_) names.clear();
}

// ---- rows ----

void GradientTrees::learn(const Row& row, std::size_t y, double w) {
    if (y >= n_classes_) add_class(y);
    if (inputs_.brings(row)) [[unlikely]]
        add_inputs(row);
    double* const x = scratch_.x.data();
    inputs_.learn(row, w, settings_.standardise, x);
    double rate = w * rate_of(seen_++);
    if (settings_.rate == GradientSettings::Rate::normalised) {
        // The bias is the weight of one more input, which is 1.
        const double squares = 1.0 + kernels().dot(x, x, scratch_.x.size());
        rate /= 1.0 + settings_.slope * settings_.slope * squares;
    }
    for (std::size_t t = 0; t < n_trees_; ++t) {
        SoftPass& pass = scratch_.pass;
        pass.forward(tree(t), x, settings_);
        pass.mass_of(n_trees_ == 1 ? y == 1 : y == t);
        pass.backward(settings_);
        pass.move(tree(t), x, rate, settings_);
    }
}

void GradientTrees::predict_row(const Row& row, Scratch& scratch, const Predictions& predictions,
                                std::size_t i) const {
    double* const shares =
        predictions.probabilities ? predictions.probabilities + i * predictions.width : nullptr;
    if (shares) std::fill_n(shares, predictions.width, 0.0);
    if (n_classes_ == 0) {
        if (predictions.classes) predictions.classes[i] = no_prediction;
        return;
    }
    const std::size_t known = shares ? std::min(n_classes_, predictions.width) : n_classes_;
    double* const found = shares ? shares : scratch.shares.data();
    share(row, scratch, found, known);
    if (!predictions.classes) return;
    predictions.classes[i] =
        seen_ ? static_cast<std::int32_t>(choice(found, known)) : no_prediction;
}

void GradientTrees::share(const Row& row, Scratch& scratch, double* shares,
                          std::size_t classes) const noexcept {
    inputs_.read(row, settings_.standardise, scratch.x.data());
    SoftPass& pass = scratch.pass;
    if (n_trees_ == 1) {
        pass.forward(tree(0), scratch.x.data(), settings_);
        shares[0] = classes > 1 ? pass.mass_of(false) : 1.0;
        if (classes > 1) shares[1] = pass.mass_of(true);
        return;
    }
    double sum = 0.0;
    for (std::size_t k = 0; k < classes; ++k) {
        pass.forward(tree(k), scratch.x.data(), settings_);
        sum += shares[k] = pass.mass_of(true);
    }
    for (std::size_t k = 0; k < classes; ++k) shares[k] /= sum;
}

std::size_t GradientTrees::choice(const double* shares, std::size_t classes) const noexcept {
    if (costs_.classes < classes) {
        return static_cast<std::size_t>(std::max_element(shares, shares + classes) - shares);
    }
    std::size_t best = 0;
    double least = 0.0;
    for (std::size_t l = 0; l < classes; ++l) {
        double cost = 0.0;
        for (std::size_t k = 0; k < classes; ++k) cost += costs_(l, k) * shares[k];
        if (l > 0 && !(cost < least)) continue;
        best = l;
        least = cost;
    }
    return best;
}

template <bool predicting>
void GradientTrees::run(const Batch& batch, const std::int32_t* y, const double* w,
                        const Predictions& predictions, Stop* stop) {
    RowBuffer buffer(batch, inputs_.features(), inputs_.shape());
    for (std::size_t first = 0, n = 0; first < batch.rows; first += n) {
        poll(stop);
        const Section section(reserve_, most_of_a_row(inputs_.features().size(), 1));
        n = std::min(pace_.rows(buffer.capacity()), batch.rows - first);
        buffer.read(first, n);
        const auto lock = turnstile_.writing();
        const Pace::Timer timer(pace_, n, turnstile_);
        unfinished_ = true;
        for (std::size_t i = 0; i < n && !reserve_.used(); ++i) {
            const Row& row = buffer.row(i);
            const std::size_t r = first + i;
            if constexpr (predicting) predict_row(row, scratch_, predictions, r);
            const double weight = w ? w[r] : 1.0;
            if (y[r] >= 0 && weight > 0.0) learn(row, static_cast<std::size_t>(y[r]), weight);
        }
        unfinished_ = false;
        if (reserve_.used()) throw std::bad_alloc();
    }
}

void GradientTrees::learn(const Batch& batch, const std::int32_t* y, const double* w, Stop* stop) {
    run<false>(batch, y, w, {}, stop);
}

void GradientTrees::prequential(const Batch& batch, const std::int32_t* y, const double* w,
                                const Predictions& predictions, Stop* stop) {
    run<true>(batch, y, w, predictions, stop);
}

void GradientTrees::predict(const Batch& batch, const Predictions& predictions, Stop* stop,
                            Moment* moment) const {
    const BlockLocks locks(turnstile_, moment != nullptr);
    if (moment) *moment = {seen_, n_classes_};
    Pace pace(RowBuffer::most_rows);
    std::optional<RowBuffer> buffer;
    Scratch scratch;
    for (std::size_t first = 0; first < batch.rows;) {
        poll(stop);
        // Between blocks another thread may learn and add features.
        const auto lock = locks.of_block();
        const Shape shape = inputs_.shape();
        if (!buffer || !buffer->reads(shape)) buffer.emplace(batch, inputs_.features(), shape);
        fit(scratch);
        const std::size_t n = std::min(pace.rows(buffer->capacity()), batch.rows - first);
        const Pace::Timer timer(pace, n, turnstile_);
        buffer->read(first, n);
        for (std::size_t i = 0; i < n; ++i)
            predict_row(buffer->row(i), scratch, predictions, first + i);
        first += n;
    }
}

std::vector<SoftNode> GradientTrees::explain(const Batch& batch) const {
    const auto lock = turnstile_.reading();
    RowBuffer buffer(batch, inputs_.features(), inputs_.shape());
    buffer.read(0, 1);
    Scratch scratch;
    fit(scratch);
    inputs_.read(buffer.row(0), settings_.standardise, scratch.x.data());
    std::vector<SoftNode> nodes;
    for (std::size_t t = 0; t < n_trees_; ++t) {
        const SoftPass& pass = scratch.pass;
        scratch.pass.forward(tree(t), scratch.x.data(), settings_);
        for (std::size_t i = 1; i <= settings_.inner_nodes(); ++i) {
            nodes.push_back({t, i, pass.reached(i), pass.value(i), pass.left(i)});
        }
    }
    return nodes;
}

// ---- looking inside ----

Facts GradientTrees::facts() const {
    const auto lock = turnstile_.reading();
    return {inputs_.features().size(), n_classes_, seen_};
}

std::size_t GradientTrees::n_categories(std::size_t feature) const {
    const auto lock = turnstile_.reading();
    const Feature& f = inputs_.features().at(feature);
    return f.kind == Kind::categorical ? inputs_.categories(f.slot) : 0;
}

std::size_t GradientTrees::n_trees() const {
    const auto lock = turnstile_.reading();
    return n_trees_;
}

std::size_t GradientTrees::memory_bytes() const {
    const auto lock = turnstile_.reading();
    return held_.held;
}

}  // namespace riparian
