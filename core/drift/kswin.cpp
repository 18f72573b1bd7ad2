#include "kswin.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "../random/philox.hpp"
#include "../simd/scalar.hpp"
#include "parameters.hpp"
#include "state.hpp"

namespace riparian {

namespace {

// A number from 0 to n - 1: the upper half of a product, with a bias below n / 2^64.
std::size_t below(Philox& random, std::size_t n) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<Wide>(random.bits()) * n) >> 64);
}

}  // namespace

Kswin::Kswin(const Parameters& p) : parameters_(p) {
    require_declared(p);
    require_parameter(p.stat_size <= p.window_size / 2, "stat_size", "at most half of window_size",
                      p.stat_size);
    farthest_ = std::sqrt(-ln(p.alpha) * p.stat_size);
    window_.reserve(p.window_size);
    window_.resize(p.window_size);
    sorted_.reserve(p.window_size);
    sorted_.resize(p.window_size);
}

Signal Kswin::update(double x) noexcept {
    ++seen_;
    double* const w = window_.data();
    if (held_ == parameters_.window_size) {
        std::copy(w + 1, w + held_, w);
        --held_;
    }
    w[held_++] = x;
    signal_ = held_ == parameters_.window_size && differ() ? Signal::drift : Signal::none;
    if (signal_ == Signal::drift) {
        std::copy(w + held_ - parameters_.stat_size, w + held_, w);
        held_ = parameters_.stat_size;
    }
    return signal_;
}

bool Kswin::differ() noexcept {
    const std::size_t n = parameters_.window_size, r = parameters_.stat_size, older = n - r;
    double* const drawn = sorted_.data();
    double* const last = drawn + older;
    std::copy(window_.begin(), window_.end(), drawn);
    if (older > r) {
        Philox random(parameters_.seed, seen_);
        for (std::size_t i = 0; i < r; ++i)
            std::swap(drawn[i], drawn[i + below(random, older - i)]);
    }
    std::sort(drawn, drawn + r);
    std::sort(last, last + r);
    std::ptrdiff_t most = 0;
    for (std::size_t i = 0, j = 0; i < r && j < r;) {
        const double x = std::min(drawn[i], last[j]);
        while (i < r && drawn[i] <= x) ++i;
        while (j < r && last[j] <= x) ++j;
        most = std::max(most,
                        std::abs(static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(j)));
    }
    return static_cast<double>(most) > farthest_;
}

void Kswin::reset() noexcept {
    seen_ = 0;
    held_ = 0;
    signal_ = Signal::none;
}

double Kswin::estimate() const noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < held_; ++i) sum += window_[i];
    return held_ ? sum / held_ : 0.0;
}

std::size_t Kswin::bytes() const noexcept {
    return sizeof(Kswin) + taken(window_.capacity() * sizeof(double)) +
           taken(sorted_.capacity() * sizeof(double));
}

void Kswin::save(std::vector<double>& out) const {
    out.push_back(static_cast<double>(signal_));
    out.push_back(static_cast<double>(seen_));
    out.push_back(held_);
    out.insert(out.end(), window_.begin(), window_.begin() + held_);
}

Kswin Kswin::restore(const Parameters& p, std::span<const double>& rest) {
    Kswin d(p);
    StateReader in(rest);
    d.signal_ = in.signal(false);
    d.seen_ = in.count(0, most_values, "the number of values");
    d.held_ = static_cast<std::uint32_t>(
        in.count(0, std::min<std::uint64_t>(d.seen_, p.window_size), "the window"));
    for (std::size_t i = 0; i < d.held_; ++i) {
        d.window_[i] = in.number(-largest_input, largest_input, "a value of the window");
    }
    return d;
}

}  // namespace riparian
