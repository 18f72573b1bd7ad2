// The definitions of units.hpp, included by the sources that define a predictor.
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include "units.hpp"

namespace riparian {
template <std::size_t n_planes>
void Units<n_planes>::fit(const Shape& s, PredictorScratch& scratch, std::size_t rooms) {
    const std::size_t n = n_inputs(s);
    for (std::size_t i = 0; i < rooms; ++i) {
        if (scratch.rooms[i].size() < n) scratch.rooms[i].assign(n, 0.0);
    }
}

// ---- the block ----

template <std::size_t n_planes>
std::size_t Units<n_planes>::known_features(const Shape& s) const noexcept {
    const double* const known = moments(s).known;
    std::size_t n = s.numeric;
    while (n > 0 && known[n - 1] == 0.0) --n;
    return n;
}

template <std::size_t n_planes>
std::size_t Units<n_planes>::cell(const Shape& s, std::size_t c, std::int32_t code) const noexcept {
    if (code < 0) return 0;
    const std::size_t place = starts_[c] + static_cast<std::size_t>(code);
    return place < starts_[c + 1] ? dense(s) + place : 0;
}

template <std::size_t n_planes>
void Units<n_planes>::lay_out(const Shape& s, std::size_t units, Held<std::uint32_t> starts) {
    starts_ = std::move(starts);
    trim(starts_);
    numbers_ = HeldDoubles();
    add_units(s, units);
}

template <std::size_t n_planes>
void Units<n_planes>::add_units(const Shape& s, std::size_t units) {
    const std::size_t before = n_units(s);
    numbers_.reserve(size_of(s, room_for_parts(units)));
    numbers_.resize(size_of(s, units), 0.0);
    for (std::size_t p = 0; p < n_planes; ++p) {
        const double x = first(p);
        for (std::size_t u = before; x != 0.0 && u < units; ++u) {
            std::fill_n(plane(s, u, p), plane_size(s), x);
        }
    }
}

// Changes to another shape or to other starts. New numbers start as in a new leaf.
template <std::size_t n_planes>
void Units<n_planes>::move_to(const Shape& from, const Shape& to, Held<std::uint32_t> starts) {
    const Held<std::uint32_t> old_starts = std::exchange(starts_, {});
    const HeldDoubles old = std::exchange(numbers_, {});
    const auto end = old_starts.empty() ? 0 : old_starts.back();
    const std::size_t old_plane = dense(from) + (end + 3) / 4 * 4;
    const std::size_t units = (old.size() - moment_planes * from.stride) / (n_planes * old_plane);
    lay_out(to, units, std::move(starts));
    for (std::size_t p = 0; p < moment_planes; ++p) {
        std::copy_n(old.data() + p * from.stride, from.numeric, numbers_.data() + p * to.stride);
    }
    const double* source = old.data() + moment_planes * from.stride;
    for (std::size_t u = 0; u < units; ++u) {
        for (std::size_t p = 0; p < n_planes; ++p, source += old_plane) {
            double* const target = plane(to, u, p);
            std::copy_n(source, from.numeric, target);
            target[to.numeric] = source[from.numeric];
            for (std::size_t c = 0; c < from.categorical; ++c) {
                std::copy_n(source + dense(from) + old_starts[c], old_starts[c + 1] - old_starts[c],
                            target + dense(to) + starts_[c]);
            }
        }
    }
}

template <std::size_t n_planes>
void Units<n_planes>::reshape(const Shape& from, const Shape& to) {
    if (empty() || (from.numeric == to.numeric && from.categorical == to.categorical)) return;
    Held<std::uint32_t> starts = starts_;
    starts.resize(to.categorical + 1, n_cells() ? starts_.back() : 0);
    move_to(from, to, std::move(starts));
}

template <std::size_t n_planes>
void Units<n_planes>::leave_out(const Shape& s, std::size_t slot) {
    if (empty() || starts_[slot + 1] == starts_[slot]) return;
    const std::size_t first = starts_[slot], last = starts_[slot + 1], end = starts_.back();
    // The cells behind those of the feature move to their place, then the planes get shorter.
    HeldDoubles old = std::move(numbers_);
    const std::size_t old_plane = dense(s) + (end + 3) / 4 * 4;
    const std::size_t units = (old.size() - moment_planes * s.stride) / (n_planes * old_plane);
    Held<std::uint32_t> starts = starts_;
    for (std::size_t c = slot + 1; c < starts.size(); ++c) {
        starts[c] -= static_cast<std::uint32_t>(last - first);
    }
    lay_out(s, units, std::move(starts));
    std::copy_n(old.data(), moment_planes * s.stride, numbers_.data());
    const double* source = old.data() + moment_planes * s.stride;
    for (std::size_t u = 0; u < units; ++u) {
        for (std::size_t p = 0; p < n_planes; ++p, source += old_plane) {
            double* const target = plane(s, u, p);
            std::copy_n(source, dense(s) + first, target);
            std::copy_n(source + dense(s) + last, end - last, target + dense(s) + first);
        }
    }
}

template <std::size_t n_planes>
void Units<n_planes>::make_room_for(const Shape& s, const Row& row, std::size_t n_classes) {
    if (empty()) lay_out(s, units_for(1), Held<std::uint32_t>(s.categorical + 1, 0));
    if (const std::size_t before = n_units(s); before < units_for(n_classes)) {
        add_units(s, units_for(n_classes));
        added(s, before);
    }
    bool fits = true;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        fits &= row.codes[c] < static_cast<std::int32_t>(starts_[c + 1] - starts_[c]);
    }
    if (fits) return;
    Held<std::uint32_t> starts(s.categorical + 1, 0);
    std::size_t end = 0;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        const std::size_t present = starts_[c + 1] - starts_[c];
        const auto needed = static_cast<std::size_t>(std::max(row.codes[c], -1) + 1);
        end += needed <= present ? present : room_for(needed);
        if (end > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
        starts[c + 1] = static_cast<std::uint32_t>(end);
    }
    move_to(s, s, std::move(starts));
}

template <std::size_t n_planes>
void Units<n_planes>::inherit(const Shape& s, const PredictorState& parent) {
    const auto& other = static_cast<const Units&>(parent);
    starts_ = other.starts_;
    if (other.empty()) return;
    // A copied vector has no spare capacity.
    numbers_.reserve(size_of(s, room_for_parts(other.n_units(s))));
    numbers_.assign(other.numbers_.begin(), other.numbers_.end());
    const PooledMoments m = moments(s);
    for (std::size_t f = 0; f < s.numeric; ++f) {
        if (!(m.known[f] > inherited_weight)) continue;
        m.squares[f] *= inherited_weight / m.known[f];
        m.known[f] = inherited_weight;
    }
}

template <std::size_t n_planes>
void Units<n_planes>::forget(const Shape& s, double share) {
    right *= share;
    if (empty()) return;
    const PooledMoments m = moments(s);
    for (std::size_t f = 0; f < s.numeric; ++f) {
        m.known[f] *= share;
        m.squares[f] *= share;
        if (m.known[f] == 0.0) m.mean[f] = m.squares[f] = 0.0;
    }
}

template <std::size_t n_planes>
void Units<n_planes>::merge(const Shape& s, const PredictorState& state, double share) {
    const auto& other = static_cast<const Units&>(state);
    right += other.right;
    if (other.empty()) return;
    if (empty()) lay_out(s, units_for(1), Held<std::uint32_t>(s.categorical + 1, 0));
    const std::size_t units = std::max(n_units(s), other.n_units(s));
    Held<std::uint32_t> starts(s.categorical + 1, 0);
    for (std::size_t c = 0; c < s.categorical; ++c) {
        starts[c + 1] = starts[c] + std::max(starts_[c + 1] - starts_[c],
                                             other.starts_[c + 1] - other.starts_[c]);
    }
    // Both states need the same units and cells.
    const auto widen = [&] {
        if (const std::size_t before = n_units(s); before < units) {
            add_units(s, units);
            added(s, before);
        }
        if (starts_ != starts) move_to(s, s, starts);
    };
    widen();
    Held<std::uint32_t> own_starts = std::exchange(starts_, other.starts_);
    HeldDoubles own = std::exchange(numbers_, other.numbers_);
    widen();
    starts_ = std::move(own_starts);
    const HeldDoubles more = std::exchange(numbers_, std::move(own));

    const PooledMoments m = moments(s);
    const double* const known = more.data();
    for (std::size_t f = 0; f < s.numeric; ++f) {
        if (!(known[f] > 0.0)) continue;
        const double all = m.known[f] + known[f];
        const double apart = known[s.stride + f] - m.mean[f];
        m.squares[f] += known[2 * s.stride + f] + apart * apart * (m.known[f] * (known[f] / all));
        m.mean[f] += apart * (known[f] / all);
        m.known[f] = all;
    }
    for (std::size_t i = moment_planes * s.stride; i < numbers_.size(); ++i) {
        numbers_[i] += share * (more[i] - numbers_[i]);
    }
}

template <std::size_t n_planes>
std::size_t Units<n_planes>::growth(const Shape& s, const Row& row,
                                    std::size_t n_classes) const noexcept {
    const std::size_t before = n_units(s);
    const std::size_t units = std::max(units_for(n_classes), before);
    bool fits = room_for_parts(units) == room_for_parts(before);
    std::size_t cells = 0;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        const std::size_t present = empty() ? 0 : starts_[c + 1] - starts_[c];
        const auto needed = static_cast<std::size_t>(std::max(row.codes[c], -1) + 1);
        fits &= needed <= present;
        cells += needed <= present ? present : room_for(needed);
    }
    if (fits) return 0;
    const std::size_t plane = dense(s) + (cells + 3) / 4 * 4;
    const std::size_t numbers = moment_planes * s.stride + room_for_parts(units) * n_planes * plane;
    // New units and new cells are allocated one after the other.
    return 2 * (taken(numbers * sizeof(double)) + taken((s.categorical + 1) * sizeof(starts_[0])));
}

// ---- the inputs ----

template <std::size_t n_planes>
std::size_t Units<n_planes>::learn_inputs(const Shape& s, const Row& row, double w, double* x) {
    kernels().learn_standardised(moments(s), s.stride, row.x, w, x);
    const std::size_t constant = known_features(s);
    x[constant] = 1.0;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        x[constant + 1 + c] = row.codes[c] >= 0 ? 1.0 : 0.0;
    }
    std::fill(x + constant + 1 + s.categorical, x + n_inputs(s), 0.0);
    return constant;
}

template <std::size_t n_planes>
std::size_t Units<n_planes>::find_inputs(const Shape& s, const Row& row, double* x) const {
    kernels().standardise(moments(s), s.stride, row.x, x);
    const std::size_t constant = known_features(s);
    x[constant] = 1.0;
    std::fill(x + constant + 1, x + dense(s), 0.0);
    return constant;
}

template <std::size_t n_planes>
double Units<n_planes>::output(const Shape& s, const double* plane, std::size_t constant,
                               const Row& row, const double* x, double* room) const noexcept {
    const double* of_inputs = plane;
    if (constant < s.numeric) {
        std::copy_n(plane, constant, room);
        room[constant] = plane[s.numeric];
        of_inputs = room;
    }
    double sum = kernels().dot(x, of_inputs, dense(s));
    for (std::size_t c = 0; c < s.categorical; ++c) {
        const std::size_t place = cell(s, c, row.codes[c]);
        if (place) sum += plane[place];
    }
    return sum;
}

template <std::size_t n_planes>
void Units<n_planes>::outputs(const Shape& s, std::size_t units, std::size_t constant,
                              const Row& row, const double* x, double* room,
                              double* out) const noexcept {
    if (constant < s.numeric) {
        for (std::size_t u = 0; u < units; ++u) {
            out[u] = output(s, plane(s, u, 0), constant, row, x, room);
        }
        return;
    }
    const double* const first = plane(s, 0, 0);
    const std::size_t size = unit_size(s);
    kernels().plane_values(first, units, size, dense(s), x, out);
    for (std::size_t c = 0; c < s.categorical; ++c) {
        const std::size_t place = cell(s, c, row.codes[c]);
        if (!place) continue;
        const double* weight = first + place;
        for (std::size_t u = 0; u < units; ++u, weight += size) out[u] += *weight;
    }
}

// ---- the formula ----

template <std::size_t n_planes>
void Units<n_planes>::describe(const Shape& s, const std::vector<ClassScore>& classes,
                               Formula& out) const {
    const PooledMoments m = moments(s);
    for (std::size_t f = 0; f < s.numeric; ++f) {
        const double variance = m.squares[f] / m.known[f];
        if (!(m.known[f] > 0.0) || !(variance > 0.0)) continue;
        out.numeric.push_back(static_cast<std::int32_t>(f));
        out.lines.centre.push_back(m.mean[f]);
        out.lines.spread.push_back(std::sqrt(variance));
    }
    for (const ClassScore& score : classes) {
        const double* const weights = plane(s, score.unit, 0);
        out.constant.push_back(score.constant + score.factor * weights[s.numeric]);
        for (const std::int32_t f : out.numeric) {
            out.lines.weight.push_back(score.factor * weights[static_cast<std::size_t>(f)]);
        }
    }
    for (std::size_t c = 0; c < s.categorical; ++c) {
        Formula::Categories terms{static_cast<std::int32_t>(c), {}};
        const std::size_t cells = used_cells(s, c);
        for (std::size_t i = 0; i < cells; ++i) {
            for (const ClassScore& score : classes) {
                const double weight = plane(s, score.unit, 0)[dense(s) + starts_[c] + i];
                terms.terms.push_back(score.factor * weight);
            }
        }
        terms.terms.resize((cells + 1) * classes.size(), 0.0);
        if (cells) out.categorical.push_back(std::move(terms));
    }
}

}  // namespace riparian
