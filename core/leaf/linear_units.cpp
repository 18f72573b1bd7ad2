#include "linear_units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

namespace riparian {
namespace {

void demand(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("units: ") + what);
}

// Takes numbers off the front of a list.
class Numbers {
public:
    Numbers(const double* first, std::size_t count) : next_(first), left_(count) {}
    const double* take(std::size_t n) {
        demand(n <= left_, "too few numbers");
        left_ -= n;
        return std::exchange(next_, next_ + n);
    }
    std::size_t whole(std::size_t most) {
        const double x = *take(1);
        demand(x >= 0.0 && x <= static_cast<double>(most) && x == std::floor(x),
               "not a number of units or categories");
        return static_cast<std::size_t>(x);
    }
    [[nodiscard]] std::size_t left() const noexcept { return left_; }

private:
    const double* next_;
    std::size_t left_;
};

// An example of a larger weight takes one long step after so many of length 1.
constexpr int most_repetitions = 16;

std::size_t n_inputs(const Shape& s) noexcept { return (s.numeric + 1 + s.categorical + 3) / 4 * 4; }

}  // namespace

void LinearScratch::fit(const Shape& s) {
    const std::size_t n = n_inputs(s);
    if (inputs.size() == n) return;
    for (HeldDoubles* const part : {&inputs, &weights, &log_steps, &traces, &steps}) {
        part->assign(n, 0.0);
    }
}

// ---- the block ----

std::size_t LinearUnits::met(const Shape& s) const noexcept {
    const double* const known = moments(s).known;
    std::size_t n = s.numeric;
    while (n > 0 && known[n - 1] == 0.0) --n;
    return n;
}

std::size_t LinearUnits::cell(const Shape& s, std::size_t c, std::int32_t code) const noexcept {
    if (code < 0) return 0;
    const std::size_t place = starts_[c] + static_cast<std::size_t>(code);
    return place < starts_[c + 1] ? dense(s) + place : 0;
}

void LinearUnits::lay_out(const Shape& s, std::size_t units, Held<std::uint32_t> starts,
                          const StepSizes& sizes) {
    n_units_ = units;
    starts_ = std::move(starts);
    trim(starts_);
    numbers_ = HeldDoubles();
    numbers_.reserve(size_of(s, room_for_parts(units)));
    numbers_.resize(size_of(s, units), 0.0);
    for (std::size_t u = 0; u < units; ++u) {
        std::fill_n(plane(s, u, log_steps), plane_size(s), sizes.log_alpha);
    }
}

// To another shape or other starts; what is new starts afresh.
void LinearUnits::move_to(const Shape& from, const Shape& to, Held<std::uint32_t> starts,
                          const StepSizes& sizes) {
    const LinearUnits old = std::exchange(*this, {});
    lay_out(to, old.n_units_, std::move(starts), sizes);
    right = old.right;
    const PooledMoments before = old.moments(from), after = moments(to);
    std::copy_n(before.known, from.numeric, after.known);
    std::copy_n(before.mean, from.numeric, after.mean);
    std::copy_n(before.squares, from.numeric, after.squares);
    for (std::size_t u = 0; u < n_units_; ++u) {
        for (std::size_t p = 0; p < unit_planes; ++p) {
            const double* const source = old.plane(from, u, p);
            double* const target = plane(to, u, p);
            std::copy_n(source, from.numeric, target);
            target[to.numeric] = source[from.numeric];
            for (std::size_t c = 0; c < from.categorical; ++c) {
                std::copy_n(source + dense(from) + old.starts_[c], old.starts_[c + 1] - old.starts_[c],
                            target + dense(to) + starts_[c]);
            }
        }
    }
}

void LinearUnits::reshape(const Shape& from, const Shape& to, const StepSizes& sizes) {
    if (empty() || (from.numeric == to.numeric && from.categorical == to.categorical)) return;
    Held<std::uint32_t> starts = starts_;
    starts.resize(to.categorical + 1, n_cells() ? starts_.back() : 0);
    move_to(from, to, std::move(starts), sizes);
}

// One unit for two classes becomes two, which say the same as it did.
void LinearUnits::add_units(const Shape& s, std::size_t n_classes, const StepSizes& sizes) {
    const std::size_t before = n_units_;
    n_units_ = n_classes;
    numbers_.reserve(size_of(s, room_for_parts(n_units_)));
    numbers_.resize(size_of(s, n_units_), 0.0);
    for (std::size_t u = before; u < n_units_; ++u) {
        std::fill_n(plane(s, u, log_steps), plane_size(s), sizes.log_alpha);
    }
    if (before != 1) return;
    std::copy_n(plane(s, 0, 0), unit_size(s), plane(s, 1, 0));
    const std::size_t met = this->met(s);
    for (const std::size_t p : {weights, traces}) {
        for (std::size_t i = 0; i < plane_size(s); ++i) {
            if (i >= met && i < s.numeric) continue;  // 0 keeps its sign
            plane(s, 0, p)[i] *= -0.5;
            plane(s, 1, p)[i] *= 0.5;
        }
    }
    plane(s, 0, weights)[s.numeric] += 0.5;
    plane(s, 1, weights)[s.numeric] += 0.5;
}

void LinearUnits::make_cells(const Shape& s, const Row& row, const StepSizes& sizes) {
    Held<std::uint32_t> starts(s.categorical + 1, 0);
    std::size_t end = 0;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        const std::size_t present = starts_[c + 1] - starts_[c];
        const auto needed = static_cast<std::size_t>(std::max(row.codes[c], -1) + 1);
        end += needed <= present ? present : room_for(needed);
        if (end > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
        starts[c + 1] = static_cast<std::uint32_t>(end);
    }
    move_to(s, s, std::move(starts), sizes);
}

void LinearUnits::copy_from(const Shape& s, const LinearUnits& other) {
    right = other.right;
    n_units_ = other.n_units_;
    starts_ = other.starts_;
    if (empty()) return;
    // A vector that is copied has no room to spare.
    numbers_.reserve(size_of(s, room_for_parts(n_units_)));
    numbers_.assign(other.numbers_.begin(), other.numbers_.end());
}

LinearUnits LinearUnits::for_child(const Shape& s) const {
    LinearUnits child;
    child.copy_from(s, *this);
    child.right = 0.0;
    if (child.empty()) return child;
    const PooledMoments m = child.moments(s);
    for (std::size_t f = 0; f < s.numeric; ++f) {
        if (!(m.known[f] > inherited_weight)) continue;
        m.squares[f] *= inherited_weight / m.known[f];
        m.known[f] = inherited_weight;
    }
    return child;
}

std::size_t LinearUnits::growth(const Shape& s, const Row& row,
                                std::size_t n_classes) const noexcept {
    const std::size_t units = n_classes > 2 ? n_classes : 1;
    bool fits = room_for_parts(std::max(units, n_units_)) == room_for_parts(n_units_);
    std::size_t cells = 0;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        const std::size_t present = empty() ? 0 : starts_[c + 1] - starts_[c];
        const auto needed = static_cast<std::size_t>(std::max(row.codes[c], -1) + 1);
        fits &= needed <= present;
        cells += needed <= present ? present : room_for(needed);
    }
    if (fits) return 0;
    const std::size_t plane = dense(s) + (cells + 3) / 4 * 4;
    const std::size_t numbers =
        moment_planes * s.stride + room_for_parts(std::max(units, n_units_)) * unit_planes * plane;
    // New units and new cells are made one after the other.
    return 2 * (taken(numbers * sizeof(double)) + taken((s.categorical + 1) * sizeof(starts_[0])));
}

// ---- learning and answering ----

void LinearUnits::step(const Shape& s, std::size_t met, std::size_t unit, const Row& row,
                       double target, double w, const StepSizes& sizes, LinearScratch& scratch) {
    double* const w_plane = plane(s, unit, weights);
    double* const b_plane = plane(s, unit, log_steps);
    double* const h_plane = plane(s, unit, traces);
    if (s.categorical == 0 && met == s.numeric) {
        kernels().linear_step({scratch.inputs.data(), n_inputs(s), w_plane, b_plane, h_plane,
                               scratch.steps.data(), target, sizes.theta, w});
        return;
    }
    // The inputs that are not 0, side by side.
    const auto each = [&](const auto& copy) {
        for (std::size_t i = 0; i < met; ++i) copy(i, i);
        copy(met, s.numeric);
        for (std::size_t c = 0; c < s.categorical; ++c) {
            const std::size_t place = cell(s, c, row.codes[c]);
            if (place) copy(met + 1 + c, place);
        }
    };
    each([&](std::size_t i, std::size_t place) {
        scratch.weights[i] = w_plane[place];
        scratch.log_steps[i] = b_plane[place];
        scratch.traces[i] = h_plane[place];
    });
    kernels().linear_step({scratch.inputs.data(), n_inputs(s), scratch.weights.data(),
                           scratch.log_steps.data(), scratch.traces.data(), scratch.steps.data(),
                           target, sizes.theta, w});
    each([&](std::size_t i, std::size_t place) {
        w_plane[place] = scratch.weights[i];
        b_plane[place] = scratch.log_steps[i];
        h_plane[place] = scratch.traces[i];
    });
}

void LinearUnits::learn(const Shape& s, const Row& row, std::size_t y, double w,
                        std::size_t n_classes, const StepSizes& sizes, LinearScratch& scratch) {
    if (empty()) lay_out(s, 1, Held<std::uint32_t>(s.categorical + 1, 0), sizes);
    if (n_classes > 2 && n_units_ < n_classes) add_units(s, n_classes, sizes);
    bool fits = true;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        fits &= row.codes[c] < static_cast<std::int32_t>(starts_[c + 1] - starts_[c]);
    }
    if (!fits) make_cells(s, row, sizes);

    const auto once = [&](double weight) {
        double* const x = scratch.inputs.data();
        kernels().learn_standardised(moments(s), s.stride, row.x, weight, x);
        const std::size_t met = this->met(s);
        x[met] = 1.0;
        for (std::size_t c = 0; c < s.categorical; ++c) {
            x[met + 1 + c] = row.codes[c] >= 0 ? 1.0 : 0.0;
        }
        std::fill(x + met + 1 + s.categorical, x + n_inputs(s), 0.0);
        if (n_units_ == 1) step(s, met, 0, row, y == 0 ? -1.0 : 1.0, weight, sizes, scratch);
        for (std::size_t u = 0; n_units_ > 1 && u < n_units_; ++u) {
            step(s, met, u, row, u == y ? 1.0 : 0.0, weight, sizes, scratch);
        }
    };
    // A weight of 3 is three examples.
    double left = w;
    for (int times = 0; left > 1.0 && times < most_repetitions; ++times, left -= 1.0) once(1.0);
    once(left);
}

double LinearUnits::output(const Shape& s, std::size_t met, std::size_t unit, const Row& row,
                           LinearScratch& scratch) const noexcept {
    const double* const w_plane = plane(s, unit, weights);
    const double* of_inputs = w_plane;
    if (met < s.numeric) {
        std::copy_n(w_plane, met, scratch.weights.data());
        scratch.weights[met] = w_plane[s.numeric];
        of_inputs = scratch.weights.data();
    }
    double sum = kernels().dot(scratch.inputs.data(), of_inputs, dense(s));
    for (std::size_t c = 0; c < s.categorical; ++c) {
        const std::size_t place = cell(s, c, row.codes[c]);
        if (place) sum += w_plane[place];
    }
    return sum;
}

bool LinearUnits::probabilities(const Shape& s, const Row& row, std::size_t n_classes,
                                LinearScratch& scratch, double* out) const {
    if (empty()) return false;
    double* const x = scratch.inputs.data();
    kernels().standardise(moments(s), s.stride, row.x, x);
    const std::size_t met = this->met(s);
    x[met] = 1.0;
    std::fill(x + met + 1, x + dense(s), 0.0);
    const auto share = [](double y) { return std::min(std::max(y, 0.0), 1.0); };
    std::fill_n(out, n_classes, 0.0);
    if (n_units_ == 1) {
        const double second = share(0.5 * (1.0 + output(s, met, 0, row, scratch)));
        out[0] = 1.0 - second;
        if (n_classes > 1) out[1] = second;
    }
    for (std::size_t u = 0; n_units_ > 1 && u < std::min(n_units_, n_classes); ++u) {
        out[u] = share(output(s, met, u, row, scratch));
    }
    double total = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k) total += out[k];
    if (!(total > 0.0)) return false;
    for (std::size_t k = 0; k < n_classes; ++k) out[k] /= total;
    return true;
}

// ---- the state as numbers ----

void LinearUnits::save(const Shape& s, const StepSizes& sizes, std::vector<double>& out) const {
    if (empty()) return;
    out.push_back(static_cast<double>(n_units_));
    // Cells behind the last that ever learned are spare room.
    std::vector<std::size_t> values;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        std::size_t end = starts_[c];
        for (std::size_t i = starts_[c]; i < starts_[c + 1]; ++i) {
            for (std::size_t u = 0; u < n_units_; ++u) {
                const std::size_t at = dense(s) + i;
                if (plane(s, u, weights)[at] != 0.0 || plane(s, u, traces)[at] != 0.0 ||
                    plane(s, u, log_steps)[at] != sizes.log_alpha) {
                    end = i + 1;
                }
            }
        }
        values.push_back(end - starts_[c]);
        out.push_back(static_cast<double>(values.back()));
    }
    const PooledMoments m = moments(s);
    for (const double* const plane : {m.known, m.mean, m.squares}) {
        out.insert(out.end(), plane, plane + s.numeric);
    }
    for (std::size_t u = 0; u < n_units_; ++u) {
        for (std::size_t p = 0; p < unit_planes; ++p) {
            const double* const from = plane(s, u, p);
            out.insert(out.end(), from, from + s.numeric + 1);
            for (std::size_t c = 0; c < s.categorical; ++c) {
                const double* const cells = from + dense(s) + starts_[c];
                out.insert(out.end(), cells, cells + values[c]);
            }
        }
    }
}

void LinearUnits::restore(const Shape& s, const std::int32_t* categories, std::size_t n_classes,
                          const StepSizes& sizes, const double* first, std::size_t count) {
    if (count == 0) return;
    Numbers numbers(first, count);
    const std::size_t units = numbers.whole(std::max<std::size_t>(n_classes, 1));
    demand(units == 1 || units > 2, "not a number of units or categories");
    Held<std::uint32_t> starts(1, 0);
    std::vector<std::size_t> values;
    std::size_t given = 0, end = 0;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        values.push_back(numbers.whole(static_cast<std::size_t>(categories[c])));
        given += values.back();
        end += values.back() ? room_for(values.back()) : 0;
        demand(end <= std::numeric_limits<std::uint32_t>::max(), "too many categories");
        starts.push_back(static_cast<std::uint32_t>(end));
    }
    // Before there is room for anything: the numbers for it are there.
    demand(numbers.left() / (unit_planes * (s.numeric + 1 + given)) >= units, "too few numbers");
    lay_out(s, units, std::move(starts), sizes);
    const PooledMoments m = moments(s);
    for (double* const plane : {m.known, m.mean, m.squares}) {
        std::copy_n(numbers.take(s.numeric), s.numeric, plane);
    }
    for (std::size_t f = 0; f < s.numeric; ++f) {
        const double w = m.known[f];
        demand(w >= 0.0 && w <= 0x1p120 && std::fabs(m.mean[f]) <= largest_value &&
                   m.squares[f] >= 0.0 && m.squares[f] <= w * 0x1.00001p902 &&
                   (w > 0.0 || m.mean[f] == 0.0),
               "impossible moments");
    }
    for (std::size_t u = 0; u < units; ++u) {
        for (std::size_t p = 0; p < unit_planes; ++p) {
            double* const to = plane(s, u, p);
            std::copy_n(numbers.take(s.numeric + 1), s.numeric + 1, to);
            for (std::size_t c = 0; c < s.categorical; ++c) {
                std::copy_n(numbers.take(values[c]), values[c], to + dense(s) + starts_[c]);
            }
            for (std::size_t i = 0; i < plane_size(s); ++i) {
                demand(p == log_steps ? to[i] >= least_log_step && to[i] <= most_log_step
                                      : std::fabs(to[i]) <= most_linear,
                       "an impossible weight, trace or step size");
            }
        }
    }
    demand(numbers.left() == 0, "too many numbers");
}

}  // namespace riparian
