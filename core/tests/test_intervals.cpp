// Intervals with exact points where they matter, compared with the examples themselves.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <vector>

#include "held.hpp"
#include "interval_examples.hpp"

using namespace interval_examples;

namespace {

// Before any pruning, the cuts are all distinct values and all boundaries except the largest.
CASE(nothing_is_lost_without_pruning) {
    Dice dice(1);
    for (const Distribution shape : distributions) {
        for (const std::size_t n_intervals : {1, 2, 7, 100, 1000}) {
            const bool whole = dice.chance(0.5);
            const std::size_t n_classes = 1 + dice.below(5);
            std::vector<Labelled> all = drawn(dice, shape, 1 + dice.below(3000), n_classes, whole);
            IntervalCounts v(n_intervals);
            for (const Labelled& e : all) v.learn(e.x, e.y, e.w);
            std::vector<double> want;
            for (const Labelled& e : all) want.push_back(e.x);
            const double largest = *std::max_element(want.begin(), want.end());
            for (std::size_t i = 0; v.has_intervals() && i <= n_intervals; ++i) {
                want.push_back(v.boundary(i));
            }
            std::erase_if(want, [&](double t) { return t >= largest; });
            std::sort(want.begin(), want.end());
            want.erase(std::unique(want.begin(), want.end()), want.end());
            std::vector<double> got;
            for (const ExactCut& c : cuts(v, n_classes)) got.push_back(c.threshold);
            CHECK(got == want);
            CHECK(v.has_intervals() == (all.size() >= 1000));
            check_cuts(v, all, n_classes, whole);
        }
    }
}

CASE(an_interval_is_open_below_and_closed_above) {
    Dice dice(2);
    for (const Distribution shape : distributions) {
        for (const std::size_t n : {1, 3, 100, 65536}) {
            IntervalCounts v(n);
            for (const Labelled& e : drawn(dice, shape, 1000, 2, true)) v.learn(e.x, e.y, e.w);
            CHECK(v.has_intervals());
            for (std::size_t i = 1; i <= n; ++i) CHECK(v.boundary(i - 1) <= v.boundary(i));
            for (int round = 0; round < 2000; ++round) {
                double x = draw(dice, shape);
                if (dice.chance(0.3)) x = v.boundary(dice.below(n + 1));
                const double end = dice.chance(0.5) ? greatest : -greatest;
                if (dice.chance(0.1)) x = std::nextafter(x, end);
                const std::size_t i = v.interval_of(x);
                CHECK(i == 0 || v.boundary(i - 1) < x);
                CHECK(i == n + 1 || x <= v.boundary(i));
            }
            CHECK(v.interval_of(-greatest) == 0 || v.boundary(0) == -greatest);
            CHECK(v.interval_of(greatest) == n + 1 || v.boundary(n) == greatest);
        }
    }
}

CASE(one_value_waits_for_a_second) {
    IntervalCounts v(10);
    for (int i = 0; i < 5000; ++i) v.learn(-0.0, static_cast<std::size_t>(i % 3), 1.0);
    CHECK(!v.has_intervals());
    CHECK(cuts(v, 3).empty());
    CHECK(same(saved(restored(saved(v), 10, 3)), saved(v)));
    v.learn(1.0, 0, 1.0);
    CHECK(v.has_intervals());
    CHECK(cuts(v, 3).size() == 10);  // 0, and nine boundaries below 1
    // The one value has very many classes, so there are more points than can be stored.
    IntervalCounts many(10);
    for (std::size_t k = 0; k < 65536; ++k) many.learn(0.0, k, 1.0);
    many.learn(1.0, 0, 1.0);
    CHECK(many.points() == 1 && many.detail(0) == Detail::overfull);
    CHECK(same(saved(restored(saved(many), 10, 65536)), saved(many)));
}

// After pruning, the search finds the same cut as a search over every value, if no interval was
// pruned by mistake and there is room for all points.
CASE(pruning_keeps_the_best_cut) {
    Dice dice(4);
    std::size_t kept = 0;
    for (int round = 0; round < 60; ++round) {
        const std::size_t n_classes = 2 + dice.below(3);
        const Gain gain{round % 2 ? entropy_mass : gini_mass, n_classes};
        const std::vector<Labelled> all =
            drawn(dice, round % 3 ? Distribution::uniform : Distribution::mixed_signs, 4000,
                  n_classes, true);
        IntervalCounts v(50);
        std::vector<Labelled> seen;
        const double epsilon = 0.02;
        for (const Labelled& e : all) {
            v.learn(e.x, e.y, e.w);
            seen.push_back(e);
            if (seen.size() % 500 != 0) continue;
            const std::vector<double> total = at_or_below(seen, infinity, n_classes);
            const auto gain_of = [&](const std::vector<double>& left) {
                std::vector<double> right(n_classes);
                for (std::size_t k = 0; k < n_classes; ++k) right[k] = total[k] - left[k];
                return gain(left.data(), right.data());
            };
            double best = 0.0;
            for (const ExactCut& c : cuts(v, n_classes)) best = std::max(best, gain_of(c.left));
            const std::size_t before = v.false_prunings();
            v.prune(n_classes, gain, best, epsilon);
            CHECK(v.false_prunings() >= before);
            check_cuts(v, seen, n_classes, true);
            if (!v.has_intervals()) continue;
            // Collects every value and its interval.
            std::vector<Labelled> sorted = seen;
            std::sort(sorted.begin(), sorted.end(),
                      [](const Labelled& a, const Labelled& b) { return a.x < b.x; });
            std::vector<double> left(n_classes);
            double exact = 0.0;
            for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
                left[sorted[i].y] += sorted[i].w;
                if (sorted[i].x == sorted[i + 1].x) continue;
                const double g = gain_of(left);
                const std::size_t at = v.interval_of(sorted[i].x);
                exact = std::max(exact, g);
                if (v.detail(at) == Detail::pruned) CHECK(g <= best - epsilon + 1e-12);
            }
            if (v.false_prunings() == 0) CHECK(best >= exact - 1e-12);
        }
        kept += v.points();
    }
    CHECK(kept < 60 * 3000);  // much was pruned
}

CASE(a_false_pruning_is_counted_and_its_boundaries_stay) {
    const Gain gain{entropy_mass, 2};
    IntervalCounts v(4);
    std::vector<Labelled> all;
    const auto learn = [&](double x, std::size_t y) {
        v.learn(x, y, 1.0);
        all.push_back({x, y, 1.0});
    };
    for (int i = 0; i < 1000; ++i) learn(i / 999.0 * 4.0, i >= 500);
    v.prune(2, gain, 1.0, 0.1);
    CHECK(v.detail(1) == Detail::pruned && v.detail(4) == Detail::pruned);
    CHECK(v.detail(2) == Detail::exact && v.false_prunings() == 0);
    CHECK(v.detail(5) == Detail::exact);  // there is nothing inside to prune
    v.prune(2, gain, 1.0, 0.1);
    CHECK(v.false_prunings() == 0);
    // Now the classes change places at 3.5.
    for (int i = 0; i < 100'000; ++i) learn(3.0 + (i % 1000 + 1) / 1000.0, i % 1000 >= 500);
    v.prune(2, gain, 0.9, 0.1);
    CHECK(v.detail(4) == Detail::false_pruned && v.false_prunings() == 1);
    for (const ExactCut& c : cuts(v, 2)) CHECK(c.threshold <= 3.0);
    check_cuts(v, all, 2, true);
    const IntervalCounts again = restored(saved(v), 4, 2);
    CHECK(again.false_prunings() == 1);
    CHECK(cuts(again, 2) == cuts(v, 2));
    // It is hopeless again, but it is not counted twice.
    v.prune(2, gain, 2.0, 0.1);
    v.prune(2, gain, 0.0, 0.1);
    CHECK(v.detail(4) == Detail::false_pruned);
}

CASE(memory_is_bounded) {
    Dice dice(5);
    for (const Distribution shape :
         {Distribution::uniform, Distribution::skewed, Distribution::extreme}) {
        const std::vector<Labelled> all = drawn(dice, shape, 60'000, 3, true);
        const std::size_t before = held::bytes;
        Account account;
        const Charge charge(account);
        IntervalCounts v(100);
        std::size_t most = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            v.learn(all[i].x, all[i].y, all[i].w);
            most = std::max(most, account.held);
            if (i % 500 == 0) CHECK(account.held == held::bytes - before);
            CHECK(v.points() <= IntervalCounts::most_points);
        }
        check_cuts(v, all, 3, true);
        CHECK(most <= 300'000);
        CHECK(same(saved(restored(saved(v), 100, 3)), saved(v)));
    }
}

// The limit is far above the usual time, so that only a degenerate structure exceeds it.
CASE(a_million_values_are_quick) {
#ifdef RIPARIAN_SANITIZE
    constexpr double most_nanoseconds = 1e5;
#else
    constexpr double most_nanoseconds = 5e3;
#endif
    constexpr std::size_t n = 1'000'000;
    Dice dice(9);
    for (const Distribution shape :
         {Distribution::uniform, Distribution::whole, Distribution::far, Distribution::skewed}) {
        std::vector<double> xs(n);
        for (double& x : xs) x = draw(dice, shape);
        for (const bool pruned : {false, true}) {
            Account account;
            const Charge charge(account);
            IntervalCounts v(100);
            const std::clock_t begin = std::clock();
            for (std::size_t i = 0; i < n; ++i) {
                v.learn(xs[i], i & 1, 1.0);
                if (pruned && i == 2000) v.prune(2, Gain{gini_mass, 2}, 10.0, 0.0);
            }
            const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
            const double nanoseconds = seconds * 1e9 / n;
            CHECK(nanoseconds <= most_nanoseconds);
            std::printf("shape %d, %s: %.0f ns per insert, %zu points, %zu bytes\n",
                        static_cast<int>(shape), pruned ? "pruned" : "exact", nanoseconds,
                        v.points(), account.held);
        }
    }
}

}  // namespace
