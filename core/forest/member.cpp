#include "member.hpp"

#include <algorithm>

#include "../tree/turn.hpp"
#include "rises.hpp"

namespace riparian {
namespace {

// A drawn number is the weight of a row, and not a number of rows. So predictors are observed with the
// whole weight before they learn the row, as in MOA. Observed with the rest afterwards, they would seem
// right about a row that they have just learned.
RowWeight drawn(double times, double w) noexcept {
    return {times * w, times * RowWeight::repeated(w).before};
}

}  // namespace

Member::Member(const ForestSettings& settings, std::uint64_t number)
    : settings_(&settings),
      number_(number),
      uniforms_(settings.seed, number),
      poisson_(settings.rate, settings.none),
      warning_(settings.warning),
      drift_(settings.drift) {}

// Makes a tree that begins after the row with this number.
GrownTree Member::grow(const Schema& schema, std::uint64_t number) {
    GrownTree g;
    g.generation = generations_++;
    // The seeds of trees differ from the numbers that draw row weights.
    const std::uint64_t seed = Philox(settings_->seed, ~number_, g.generation).bits();
    TreeSettings settings = settings_->tree;
    settings.leaf_features.seed = seed;
    set_seed(settings.adaptation, seed);
    settings.max_bytes = tree_bytes_;
    g.tree = std::make_shared<Tree>(settings);
    if (settings_->patch.draws()) {
        Subspace patch = settings_->patch;
        patch.seed = settings_->seed;
        g.draw.number = (number_ << 32) | (g.generation & 0xffffffff);
        const std::size_t features = schema.kinds.size();
        const auto met = [&](std::size_t f) { return schema.met_at[f] <= number; };
        const auto out = draws_first() ? left_out_of_deal(patch, g.draw, number_, features, met)
                                       : left_out(patch, g.draw, features, met);
        std::vector<Kind> kinds;
        for (std::size_t f = 0; f < out.size(); ++f) {
            if (out[f]) continue;
            g.patch.push_back(static_cast<std::uint32_t>(f));
            kinds.push_back(schema.kinds[f]);
        }
        g.tree->add_features(kinds);
    } else {
        g.tree->add_features(schema.kinds);
    }
    g.known = schema.kinds.size();
    for (std::size_t f = 0; f < schema.watched.size(); ++f) {
        if (!schema.watched[f]) continue;
        if (const auto place = g.place_of(f, settings_->patch.draws())) g.tree->watch(*place, true);
    }
    g.tree->declare_classes(schema.declared);
    return g;
}

void Member::add_schema(GrownTree& g, const Schema& schema) {
    if (!g.tree) return;
    std::vector<Kind> kinds;
    Subspace patch = settings_->patch;
    patch.seed = settings_->seed;
    for (std::size_t f = g.known; f < schema.kinds.size(); ++f) {
        if (patch.draws()) {
            if (!g.draw.includes_later(patch, f, g.patch.size())) continue;
            g.patch.push_back(static_cast<std::uint32_t>(f));
        }
        kinds.push_back(schema.kinds[f]);
    }
    g.known = schema.kinds.size();
    g.tree->add_features(kinds);
}

void Member::add_features(const Schema& schema) {
    for (GrownTree* const g : {&front_, &back_}) add_schema(*g, schema);
}

void Member::declare_classes(std::size_t count) {
    for (GrownTree* const g : {&front_, &back_}) {
        if (g->tree) g->tree->declare_classes(count);
    }
}

void Member::set_max_bytes(std::size_t of_a_tree) {
    tree_bytes_ = of_a_tree;
    for (GrownTree* const g : {&front_, &back_}) {
        if (g->tree) g->tree->set_max_bytes(of_a_tree);
    }
}

double Member::weight() const noexcept {
    if (!front_.tree) return 0.0;
    return accuracy_.weight(settings_->votes);
}

std::size_t Member::memory_bytes() const {
    std::size_t bytes = sizeof(Member);
    for (const GrownTree* const g : {&front_, &back_}) {
        if (g->tree) bytes += g->tree->memory_bytes();
    }
    for (const auto* const d : {&warning_, &drift_}) {
        if (*d) bytes += std::visit([](const auto& x) { return x.bytes(); }, **d);
    }
    return bytes;
}

Batch Member::columns_for(const GrownTree& g, const Batch& batch) const {
    if (!settings_->patch.draws()) return batch;
    Batch out;
    out.rows = batch.rows;
    if (batch.sparse) {
        auto places = std::make_shared<std::vector<std::uint32_t>>(batch.sparse.width,
                                                                   SparseRows::no_feature);
        for (std::uint32_t i = 0; i < g.patch.size(); ++i) {
            if (g.patch[i] < places->size()) (*places)[g.patch[i]] = i;
        }
        out.sparse = batch.sparse;
        out.sparse.features = std::move(places);
        return out;
    }
    for (const std::uint32_t f : g.patch) {
        out.columns.push_back(f < batch.columns.size() ? batch.columns[f] : Column{});
    }
    return out;
}

void Member::start_over(GrownTree&& fresh) {
    front_ = std::move(fresh);
    back_ = {};
    warning_ = settings_->warning;
    drift_ = settings_->drift;
    // An accuracy that forgets is that of the member, whichever tree predicts for it.
    if (!settings_->votes.forgets()) accuracy_ = {};
}

void Member::restart(const Schema& schema, std::uint64_t number) {
    ++drifts_;
    start_over(grow(schema, number));
    accuracy_ = {};  // the member processes the rows since then again
}

bool Member::update_detectors(const Schema& schema, std::uint64_t number, bool wrong) {
    bool changed = false;
    if (warning_ && rises(*warning_, wrong)) {
        ++warnings_;
        back_ = grow(schema, number);
        warning_ = settings_->warning;
        changed = true;
    }
    if (drift_ && rises(*drift_, wrong)) {
        ++drifts_;
        start_over(back_.tree ? std::move(back_) : grow(schema, number));
        changed = true;
    }
    return changed;
}

void Member::run(const Block& block, std::size_t first, const Schema& schema, const Votes& votes,
                 Rises* rises_of) {
    const std::size_t rows = block.batch.rows;
    const bool background = settings_->replacement == Replacement::background;
    std::uint64_t first_met = Schema::never;
    for (const std::uint64_t met_at : schema.met_at) first_met = std::min(first_met, met_at);
    while (first < rows) {
        // Until the trees are replaced, perhaps by trees with other features.
        const Batch front_rows = columns_for(front_, block.batch);
        const Batch back_rows = back_.tree ? columns_for(back_, block.batch) : Batch{};
        const std::shared_ptr<Tree> front = front_.tree, back = back_.tree;
        std::optional<Turn> front_turn, back_turn;
        if (front) front_turn.emplace(*front);
        if (back) back_turn.emplace(*back);
        std::optional<RowBuffer> buffer,
            own_buffer;  // used if the background tree has other features
        if (front) buffer.emplace(front_turn->buffer_of(front_rows));
        if (back && !(buffer && !settings_->patch.draws())) {
            own_buffer.emplace(back_turn->buffer_of(back_rows));
        }
        bool changed = false;
        while (first < rows && !changed) {
            std::size_t n = 1;
            if (buffer) {
                n = std::min(buffer->capacity(), rows - first);
                if (own_buffer) n = std::min(n, own_buffer->capacity());
                buffer->read(first, n);
                front_turn->route(*buffer, n);
            }
            if (own_buffer) own_buffer->read(first, n);
            for (std::size_t i = 0; i < n && !changed; ++i, ++first) {
                const std::uint64_t number = block.numbers[first];
                if (votes.weights) votes.weights[first] = weight();
                const bool can_draw =
                    settings_->patch.draws() && draws_first() && first_met <= number;
                if (!front_.tree || can_draw) {
                    if (votes.shares)
                        std::fill_n(votes.shares + first * votes.width, votes.width, 0.0);
                    if (number == 0) continue;
                    // The tree begins with the first row that has a value to draw.
                    front_ = grow(schema, number);
                    back_ = {};
                    changed = true;
                    --i, --first;
                    continue;
                }
                const Row row = buffer->row(i);
                const RowRequest asked{
                    true, votes.shares ? votes.shares + first * votes.width : nullptr, votes.width};
                const double w = block.weight(first);
                const double times = number == 0       ? 0.0
                                     : settings_->once ? 1.0
                                                       : poisson_(uniforms_(number));
                if (number == 0) {
                    if (asked.shares) front_turn->predict(i, row, asked);
                    continue;
                }
                const std::int32_t label = block.y[first];
                Predicted predicted;
                if (times > 0.0) {
                    predicted =
                        front_turn->learn(i, row, static_cast<std::size_t>(label), drawn(times, w),
                                          asked, settings_->replacement != Replacement::none);
                } else {
                    predicted.before = predicted.after = front_turn->predict(i, row, asked);
                }
                accuracy_.note(settings_->votes, predicted.before == label, w);
                if (settings_->replacement == Replacement::none) continue;
                const bool wrong = predicted.after != label;
                if (!background) {
                    const bool rose = rises(*drift_, wrong);
                    rises_of->at[first] = rose;
                    rises_of->errors[first] = estimate(*drift_);
                    continue;
                }
                if (times > 0.0) {
                    if (back_.tree) {
                        back_turn->learn(Turn::alone, own_buffer ? own_buffer->row(i) : row,
                                         static_cast<std::size_t>(label),
                                         drawn(settings_->drawn_background ? times : 1.0, w), {},
                                         false);
                    }
                    changed = update_detectors(schema, number, wrong);
                }
            }
        }
    }
}

void Member::predict(const Batch& batch, const Votes& votes) const {
    std::fill_n(votes.weights, batch.rows, weight());
    if (!front_.tree) {
        std::fill_n(votes.shares, batch.rows * votes.width, 0.0);
        return;
    }
    front_.tree->predict(columns_for(front_, batch), {nullptr, votes.shares, votes.width});
}

}  // namespace riparian
