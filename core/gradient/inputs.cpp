#include "inputs.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "../data/limits.hpp"
#include "../demand.hpp"
#include "initial_weights.hpp"

namespace riparian {
namespace {

std::size_t room_of(std::size_t categories) noexcept { return (room_for(categories) + 3) / 4 * 4; }

}  // namespace

Shape Inputs::shape() const noexcept {
    Shape s;
    s.numeric = layout_.numeric;
    s.stride = layout_.stride();
    s.categorical = categories_.size();
    return s;
}

void Inputs::add_features(const std::vector<Kind>& kinds) {
    const HeldDoubles before = moments_;
    const std::size_t stride = layout_.stride(), numeric = layout_.numeric;
    for (const Kind kind : kinds) {
        std::size_t slot = layout_.numeric;
        if (kind == Kind::numeric) ++layout_.numeric;
        else {
            slot = categories_.size();
            categories_.push_back(0);
        }
        features_.push_back({kind, slot});
        met_.push_back(0);
    }
    trim(features_);
    trim(met_);
    trim(categories_);
    lay_out();
    // The padding after the last feature is not copied, because it holds moments of zeros.
    moments_ = HeldDoubles(3 * layout_.stride(), 0.0);
    for (std::size_t p = 0; p < 3; ++p) {
        std::copy_n(before.data() + p * stride, numeric, moments_.data() + p * layout_.stride());
    }
}

void Inputs::lay_out() {
    layout_.starts.assign(categories_.size() + 1, 0);
    trim(layout_.starts);
    for (std::size_t c = 0; c < categories_.size(); ++c) {
        const std::size_t end = layout_.starts[c] + room_of(categories(c));
        if (end > UINT32_MAX) throw std::bad_alloc();
        layout_.starts[c + 1] = static_cast<std::uint32_t>(end);
    }
}

bool Inputs::brings(const Row& row) const noexcept {
    bool fresh = false;
    for (std::size_t f = 0; f < features_.size(); ++f) {
        const auto [kind, slot] = features_[f];
        fresh |= kind == Kind::numeric ? !met_[f] && row.x[slot] == row.x[slot]
                                       : row.codes[slot] >= categories_[slot];
    }
    return fresh;
}

std::vector<Input> Inputs::add_new(const Row& row) {
    std::vector<Input> fresh;
    for (std::size_t f = 0; f < features_.size(); ++f) {
        const auto [kind, slot] = features_[f];
        if (kind == Kind::numeric) {
            if (met_[f] || row.x[slot] != row.x[slot]) continue;
            fresh.push_back({0, f, InitialWeights::numeric});
        } else {
            if (row.codes[slot] < categories_[slot]) continue;
            for (std::int32_t k = categories_[slot]; k <= row.codes[slot]; ++k) {
                fresh.push_back({0, f, k});
            }
            categories_[slot] = row.codes[slot] + 1;
        }
        met_[f] = 1;
    }
    lay_out();
    for (Input& input : fresh) input.place = place(input);
    return fresh;
}

std::size_t Inputs::growth(const Row& row) const noexcept {
    std::size_t more = 0;
    for (std::size_t c = 0; c < categories_.size(); ++c) {
        const auto after = static_cast<std::size_t>(std::max(row.codes[c] + 1, categories_[c]));
        more += room_of(after) - room_of(categories(c));
    }
    return more;
}

std::vector<Input> Inputs::all() const {
    std::vector<Input> numbers, categories;
    for (std::size_t f = 0; f < features_.size(); ++f) {
        const auto [kind, slot] = features_[f];
        if (kind == Kind::numeric) numbers.push_back({slot, f, InitialWeights::numeric});
        for (std::int32_t k = 0; kind == Kind::categorical && k < categories_[slot]; ++k) {
            categories.push_back({layout_.place(slot, k), f, k});
        }
    }
    numbers.insert(numbers.end(), categories.begin(), categories.end());
    return numbers;
}

std::vector<Input> Inputs::appeared() const {
    std::vector<Input> found = all();
    std::erase_if(found, [&](const Input& i) { return !has_appeared(i); });
    return found;
}

void Inputs::raw(const Row& row, double* x) const noexcept {
    const double* const mean = moments().mean;
    for (std::size_t i = 0; i < layout_.numeric; ++i) {
        const double value = row.x[i] == row.x[i] ? row.x[i] : mean[i];
        x[i] = std::clamp(value, -most_linear, most_linear);
    }
}

void Inputs::indicate(const Row& row, double* x) const noexcept {
    std::fill(x + layout_.stride(), x + layout_.width(), 0.0);
    for (std::size_t c = 0; c < categories_.size(); ++c) {
        const std::int32_t code = row.codes[c];
        if (code >= 0 && code < categories_[c]) x[layout_.place(c, code)] = 1.0;
    }
}

void Inputs::learn(const Row& row, double w, bool standardise, double* x) noexcept {
    kernels().learn_standardised(moments(), layout_.stride(), row.x, w, x);
    if (!standardise) raw(row, x);
    indicate(row, x);
}

void Inputs::read(const Row& row, bool standardise, double* x) const noexcept {
    if (standardise) kernels().standardise(moments(), layout_.stride(), row.x, x);
    else raw(row, x);
    indicate(row, x);
}

// ---- saving ----

void Inputs::save(State& s) const {
    for (const Feature& f : features_) s.kinds.push_back(f.kind == Kind::categorical);
    s.met.assign(met_.begin(), met_.end());
    s.categories.assign(categories_.begin(), categories_.end());
    const PooledMoments m = moments();
    s.known.assign(m.known, m.known + layout_.numeric);
    s.mean.assign(m.mean, m.mean + layout_.numeric);
    s.squares.assign(m.squares, m.squares + layout_.numeric);
}

void Inputs::restore(const State& s) {
    demand(s.kinds.size() <= max_features, "kinds: too many features");
    demand(s.met.size() == s.kinds.size(), "met: not one entry per feature");
    std::vector<Kind> kinds;
    for (const std::uint8_t kind : s.kinds) {
        demand(kind <= 1, "kinds: neither numeric nor categorical");
        kinds.push_back(kind ? Kind::categorical : Kind::numeric);
    }
    add_features(kinds);
    const std::size_t n = layout_.numeric;
    demand(s.categories.size() == categories_.size(), "categories: not one entry per feature");
    demand(s.known.size() == n && s.mean.size() == n && s.squares.size() == n,
           "known, mean, squares: not one entry per numeric feature");
    for (std::size_t f = 0; f < features_.size(); ++f) {
        const auto [kind, slot] = features_[f];
        demand(s.met[f] <= 1, "met: neither 0 nor 1");
        met_[f] = s.met[f];
        if (kind == Kind::categorical) {
            const std::int32_t count = s.categories[slot];
            demand((count > 0) == (met_[f] == 1), "met does not agree with categories");
            categories_[slot] = count;
            continue;
        }
        const double known = s.known[slot], mean = s.mean[slot], squares = s.squares[slot];
        demand(known >= 0.0 && known <= heaviest && std::abs(mean) <= largest_value &&
                   squares >= 0.0 && squares <= known * 0x1.00001p902,
               "known, mean, squares: impossible numbers");
        demand((known > 0.0) == (met_[f] == 1) && (known > 0.0 || mean == 0.0),
               "met does not agree with known");
        moments().known[slot] = known;
        moments().mean[slot] = mean;
        moments().squares[slot] = squares;
    }
    lay_out();
}

}  // namespace riparian
