// Which features a leaf tracks, or a member of a forest sees: some of them, drawn at random.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../lab/philox.hpp"

namespace riparian {

struct Subspace {
    enum class By : std::uint8_t { all, count, share, root };
    By by = By::all;
    double value = 0.0;
    std::uint64_t seed = 0;

    [[nodiscard]] bool draws() const noexcept { return by != By::all; }

    // How many of n, one at least: a number; a share, rounded, and one more where that is less
    // than two, as in MOA; the root, rounded, and one more [gomes2017].
    [[nodiscard]] std::size_t size(std::size_t n) const noexcept {
        const auto all = static_cast<double>(n);
        double some = all;
        if (by == By::count) some = value;
        if (by == By::share) some = std::floor(value * all + 0.5);
        if (by == By::share && some < 2.0) some += 1.0;
        if (by == By::root) some = std::floor(std::sqrt(all) + 0.5) + 1.0;
        return static_cast<std::size_t>(std::clamp(some, std::min(1.0, all), all));
    }
};

// One draw. A feature that had no value yet when it was made is in with the probability that
// the others had, whenever it turns up.
struct Draw {
    std::uint64_t number = 0;  // which of the draws from this seed
    double share = 0.0;

    [[nodiscard]] bool takes_later(const Subspace& s, std::size_t feature) const noexcept {
        Philox numbers(s.seed, number, feature / 4);
        for (std::size_t skip = feature % 4; skip > 0; --skip) (void)numbers.bits();
        return numbers.uniform() < share;
    }
};

// Makes it: `met(feature)` says whether a feature had a value by now. 1 for those left out.
template <class Met>
[[nodiscard]] std::vector<std::uint8_t> left_out(const Subspace& s, Draw& draw, std::size_t features,
                                                 Met&& met) {
    struct Place {
        double random;
        std::size_t feature;
        bool operator<(const Place& o) const noexcept {
            return random < o.random || (random == o.random && feature < o.feature);
        }
    };
    std::vector<Place> places, others;
    places.reserve(features);
    for (std::size_t f = 0; f < features;) {
        Philox numbers(s.seed, draw.number, f / 4);
        for (const std::size_t end = std::min(features, f + 4); f < end; ++f) {
            const Place p{numbers.uniform(), f};
            (met(f) ? places : others).push_back(p);
        }
    }
    const std::size_t n = s.size(places.size());
    draw.share = places.empty() ? 0.0 : static_cast<double>(n) / static_cast<double>(places.size());
    std::vector<std::uint8_t> out(features, 0);
    for (const Place& p : others) out[p.feature] = !(p.random < draw.share);
    const auto last = places.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(places.begin(), last, places.end());
    for (auto p = last; p != places.end(); ++p) out[p->feature] = 1;
    return out;
}

}  // namespace riparian
