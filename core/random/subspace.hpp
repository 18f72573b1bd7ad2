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

// The random numbers of the features in one draw, for those that have had a value (`has_value(feature)`)
// and for the others.
struct Shuffled {
    struct Place {
        double random;
        std::size_t feature;
        bool operator<(const Place& o) const noexcept {
            return random < o.random || (random == o.random && feature < o.feature);
        }
    };
    std::vector<Place> valued, others;

    template <class HasValue>
    Shuffled(std::uint64_t seed, std::uint64_t number, std::size_t features, HasValue&& has_value) {
        valued.reserve(features);
        for (std::size_t f = 0; f < features;) {
            Philox numbers(seed, number, f / 4);
            for (const std::size_t end = std::min(features, f + 4); f < end; ++f) {
                const Place p{numbers.uniform(), f};
                (has_value(f) ? valued : others).push_back(p);
            }
        }
    }
};

// Makes a draw and returns 1 for each feature that is left out. Among the features that have had a
// value, those that are `settled` come last: the path to the leaf has fixed their value, so it
// cannot split on them.
template <class HasValue, class Settled>
[[nodiscard]] std::vector<std::uint8_t> left_out(const Subspace& s, Draw& draw,
                                                 std::size_t features, HasValue&& has_value,
                                                 Settled&& settled) {
    Shuffled all(s.seed, draw.number, features, has_value);
    const std::size_t n = s.size(all.valued.size());
    const auto middle = all.valued.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(all.valued.begin(), middle, all.valued.end(),
                     [&](const auto& a, const auto& b) {
                         const bool last = settled(a.feature);
                         return last == settled(b.feature) ? a < b : !last;
                     });
    draw.share =
        all.valued.empty() ? 0.0 : static_cast<double>(n) / static_cast<double>(all.valued.size());
    std::vector<std::uint8_t> out(features, 0);
    std::size_t so_far = n;
    for (const auto& p : all.others) {
        const bool in = draw.share > 0.0 && s.includes_later(p.random, p.feature, so_far);
        so_far += in;
        out[p.feature] = !in;
    }
    for (std::size_t i = n; i < all.valued.size(); ++i) out[all.valued[i].feature] = 1;
    return out;
}

template <class HasValue>
[[nodiscard]] std::vector<std::uint8_t> left_out(const Subspace& s, Draw& draw,
                                                 std::size_t features, HasValue&& has_value) {
    return left_out(s, draw, features, has_value, [](std::size_t) { return false; });
}

// Makes the draw for the first tree of a member. Features are dealt to the members one after the
// other from shuffled packs, so that all features are used equally often, give or take one.
template <class HasValue>
[[nodiscard]] std::vector<std::uint8_t> left_out_of_deal(const Subspace& s, Draw& draw,
                                                         std::size_t member, std::size_t features,
                                                         HasValue&& has_value) {
    std::vector<std::uint8_t> out = left_out(s, draw, features, has_value);
    std::vector<std::size_t> hand;
    std::size_t dealt = 0;  // members that have their features
    for (std::uint64_t pack = 0; dealt <= member; ++pack) {
        Shuffled all(s.seed, pack << 32 | UINT32_MAX, features, has_value);
        std::sort(all.valued.begin(), all.valued.end());
        const std::size_t n = s.size(all.valued.size());
        if (n == 0) return out;
        // A member that still has features from the previous pack does not get them again.
        const auto in_hand = [&](const Shuffled::Place& p) {
            return std::find(hand.begin(), hand.end(), p.feature) != hand.end();
        };
        std::stable_partition(all.valued.begin(), all.valued.end(),
                              [&](const auto& p) { return !in_hand(p); });
        for (const auto& p : all.valued) {
            hand.push_back(p.feature);
            if (hand.size() < n) continue;
            if (dealt++ == member) break;
            hand.clear();
        }
    }
    for (std::size_t f = 0; f < features; ++f) {
        if (has_value(f)) out[f] = std::find(hand.begin(), hand.end(), f) == hand.end();
    }
    return out;
}

}  // namespace riparian
