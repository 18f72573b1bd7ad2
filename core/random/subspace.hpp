// Which features a leaf tracks or a member of a forest uses: some of them, drawn at random.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "philox.hpp"

namespace riparian {

struct Subspace {
    enum class By : std::uint8_t { all, count, share, root };
    By by = By::all;
    double value = 0.0;
    std::uint64_t seed = 0;

    [[nodiscard]] bool draws() const noexcept { return by != By::all; }

    // How many of n features are drawn, at least one. `count` is a number. `share` is a fraction,
    // rounded, plus one if that is less than two, as in MOA. `root` is the square root, rounded,
    // plus one [gomes2017].
    [[nodiscard]] std::size_t size(std::size_t n) const noexcept {
        const auto all = static_cast<double>(n);
        double some = all;
        if (by == By::count) some = value;
        if (by == By::share) some = std::floor(value * all + 0.5);
        if (by == By::share && some < 2.0) some += 1.0;
        if (by == By::root) some = std::floor(std::sqrt(all) + 0.5) + 1.0;
        return static_cast<std::size_t>(std::clamp(some, std::min(1.0, all), all));
    }

    // Whether a feature that had no value yet at the draw is included when it appears later. This
    // depends on its random number and on how many features the draw has so far. A count is reached
    // exactly; shares and roots are reached on average.
    [[nodiscard]] bool includes_later(double random, std::size_t feature,
                                      std::size_t so_far) const noexcept {
        if (by == By::count) return static_cast<double>(so_far) < value;
        const auto n = static_cast<double>(feature);
        return random < (by == By::share ? value : std::sqrt(n + 1.0) - std::sqrt(n));
    }
};

// One draw.
struct Draw {
    std::uint64_t number = 0;  // number of this draw among those from the seed
    double share = 0.0;        // drawn share of the features that had a value then
    // If no feature had a value, the share is 0: nothing is included, and the draw is repeated when
    // one has.

    [[nodiscard]] bool includes_later(const Subspace& s, std::size_t feature,
                                      std::size_t so_far) const noexcept {
        Philox numbers(s.seed, number, feature / 4);
        for (std::size_t skip = feature % 4; skip > 0; --skip) (void)numbers.bits();
        return share > 0.0 && s.includes_later(numbers.uniform(), feature, so_far);
    }
};

// The random numbers of the features in one draw, for those that have had a value (`met(feature)`)
// and for the others.
struct Shuffled {
    struct Place {
        double random;
        std::size_t feature;
        bool operator<(const Place& o) const noexcept {
            return random < o.random || (random == o.random && feature < o.feature);
        }
    };
    std::vector<Place> met, others;

    template <class Met>
    Shuffled(std::uint64_t seed, std::uint64_t number, std::size_t features, Met&& is_met) {
        met.reserve(features);
        for (std::size_t f = 0; f < features;) {
            Philox numbers(seed, number, f / 4);
            for (const std::size_t end = std::min(features, f + 4); f < end; ++f) {
                const Place p{numbers.uniform(), f};
                (is_met(f) ? met : others).push_back(p);
            }
        }
    }
};

// Makes a draw and returns 1 for each feature that is left out. Among the features that have had a
// value, those that are `settled` come last: the path to the leaf has fixed their value, so it
// cannot split on them.
template <class Met, class Settled>
[[nodiscard]] std::vector<std::uint8_t> left_out(const Subspace& s, Draw& draw,
                                                 std::size_t features, Met&& met,
                                                 Settled&& settled) {
    Shuffled all(s.seed, draw.number, features, met);
    const std::size_t n = s.size(all.met.size());
    const auto middle = all.met.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(all.met.begin(), middle, all.met.end(), [&](const auto& a, const auto& b) {
        const bool last = settled(a.feature);
        return last == settled(b.feature) ? a < b : !last;
    });
    draw.share =
        all.met.empty() ? 0.0 : static_cast<double>(n) / static_cast<double>(all.met.size());
    std::vector<std::uint8_t> out(features, 0);
    std::size_t so_far = n;
    for (const auto& p : all.others) {
        const bool in = draw.share > 0.0 && s.includes_later(p.random, p.feature, so_far);
        so_far += in;
        out[p.feature] = !in;
    }
    for (std::size_t i = n; i < all.met.size(); ++i) out[all.met[i].feature] = 1;
    return out;
}

template <class Met>
[[nodiscard]] std::vector<std::uint8_t> left_out(const Subspace& s, Draw& draw,
                                                 std::size_t features, Met&& met) {
    return left_out(s, draw, features, met, [](std::size_t) { return false; });
}

// Makes the draw for the first tree of a member. Features are dealt to the members one after the
// other from shuffled packs, so that all features are used equally often, give or take one.
template <class Met>
[[nodiscard]] std::vector<std::uint8_t> left_out_of_deal(const Subspace& s, Draw& draw,
                                                         std::size_t member, std::size_t features,
                                                         Met&& met) {
    std::vector<std::uint8_t> out = left_out(s, draw, features, met);
    std::vector<std::size_t> hand;
    std::size_t dealt = 0;  // members that have their features
    for (std::uint64_t pack = 0; dealt <= member; ++pack) {
        Shuffled all(s.seed, pack << 32 | UINT32_MAX, features, met);
        std::sort(all.met.begin(), all.met.end());
        const std::size_t n = s.size(all.met.size());
        if (n == 0) return out;
        // A member that still has features from the previous pack does not get them again.
        const auto in_hand = [&](const Shuffled::Place& p) {
            return std::find(hand.begin(), hand.end(), p.feature) != hand.end();
        };
        std::stable_partition(all.met.begin(), all.met.end(),
                              [&](const auto& p) { return !in_hand(p); });
        for (const auto& p : all.met) {
            hand.push_back(p.feature);
            if (hand.size() < n) continue;
            if (dealt++ == member) break;
            hand.clear();
        }
    }
    for (std::size_t f = 0; f < features; ++f) {
        if (met(f)) out[f] = std::find(hand.begin(), hand.end(), f) == hand.end();
    }
    return out;
}

}  // namespace riparian
