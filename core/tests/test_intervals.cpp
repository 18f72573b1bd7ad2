// Intervals with exact points where they matter, against the examples themselves.
#include "../statistics/interval_counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "checking.hpp"
#include "examples.hpp"
#include "gains.hpp"
#include "held.hpp"

using namespace riparian;
using examples::Dice;
using gains::entropy_mass, gains::gini_mass, gains::Gain;
using Detail = IntervalCounts::Detail;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double greatest = std::numeric_limits<double>::max();

struct Example {
    double x;
    std::size_t y;
    double w;
};

struct Cut {
    double threshold;
    std::vector<double> left;
    bool operator==(const Cut&) const = default;
};

std::vector<Cut> cuts(const IntervalCounts& v, std::size_t n_classes) {
    std::vector<Cut> all;
    v.each_cut(n_classes, [&](double t, const double* left) {
        all.push_back({t, {left, left + n_classes}});
    });
    return all;
}

std::vector<double> at_or_below(const std::vector<Example>& all, double t, std::size_t n_classes) {
    std::vector<double> left(n_classes);
    for (const Example& e : all) {
        if (e.x <= t) left[e.y] += e.w;
    }
    return left;
}

bool close(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (std::abs(a[k] - b[k]) > 1e-9 * (a[k] + b[k])) return false;
    }
    return true;
}

IntervalArrays saved(const IntervalCounts& v) {
    IntervalArrays a;
    v.save(a);
    return a;
}

template <class A, class Visit>
void each(A& a, Visit&& visit) {
    visit(a.sizes);
    visit(a.range);
    visit(a.detail);
    visit(a.point_values);
    visit(a.point_classes);
    visit(a.point_weights);
    visit(a.cell_intervals);
    visit(a.cell_classes);
    visit(a.cell_weights);
}

bool same(const IntervalArrays& a, const IntervalArrays& b) {
    return a.sizes == b.sizes && a.range == b.range && a.detail == b.detail &&
           a.point_values == b.point_values && a.point_classes == b.point_classes &&
           a.point_weights == b.point_weights && a.cell_intervals == b.cell_intervals &&
           a.cell_classes == b.cell_classes && a.cell_weights == b.cell_weights;
}

IntervalSpans spans(const IntervalArrays& a) {
    return {a.sizes,         a.range,          a.detail,       a.point_values, a.point_classes,
            a.point_weights, a.cell_intervals, a.cell_classes, a.cell_weights};
}

IntervalCounts restored(const IntervalArrays& a, std::size_t n, std::size_t n_classes) {
    IntervalSpans s = spans(a);
    IntervalCounts v = IntervalCounts::restore(n, s, n_classes);
    each(s, [](const auto& rest) { CHECK(rest.empty()); });
    return v;
}

enum class Shape { uniform, whole, skewed, far, tiny, extreme, mixed_signs };
constexpr Shape shapes[] = {Shape::uniform, Shape::whole,   Shape::skewed,     Shape::far,
                            Shape::tiny,    Shape::extreme, Shape::mixed_signs};

double draw(Dice& dice, Shape shape) {
    switch (shape) {
        case Shape::uniform: return dice.uniform();
        case Shape::whole: return static_cast<double>(dice.below(101));
        case Shape::skewed: return 1.0 / (dice.uniform() + 1e-6);
        case Shape::far: return 1e9 + 1e-6 * static_cast<double>(dice.below(20));
        case Shape::tiny: return 5e-324 * static_cast<double>(dice.below(50)) - 1e-322;
        case Shape::extreme: return (dice.uniform() * 2.0 - 1.0) * greatest;
        default: return std::ldexp(dice.normal(), static_cast<int>(dice.below(40)) - 20);
    }
}

std::vector<Example> drawn(Dice& dice, Shape shape, std::size_t n, std::size_t n_classes,
                           bool whole) {
    std::vector<Example> all;
    const double middle = draw(dice, shape);
    for (std::size_t i = 0; i < n; ++i) {
        const double x = draw(dice, shape);
        const bool told = dice.chance(0.5) && n_classes > 1;
        const std::size_t y = told ? (x > middle) : dice.below(n_classes);
        const double w = whole ? 1.0 + static_cast<double>(dice.below(3)) : dice.uniform() + 1e-6;
        all.push_back({x, y, w});
    }
    return all;
}

// Each threshold ascends, has examples on both sides, and its weights are right.
void check_cuts(const IntervalCounts& v, const std::vector<Example>& all, std::size_t n_classes,
                bool whole) {
    double before = -infinity;
    std::vector<double> mass(n_classes);
    const std::vector<double> total = at_or_below(all, infinity, n_classes);
    const std::vector<Cut> offered = cuts(v, n_classes);
    for (std::size_t i = 0; i < offered.size(); ++i) {
        const auto& [t, left] = offered[i];
        CHECK(t > before);
        before = t;
        if (i % (1 + offered.size() / 100) != 0) continue;
        const std::vector<double> want = at_or_below(all, t, n_classes);
        CHECK(whole ? left == want : close(left, want));
        CHECK(std::any_of(want.begin(), want.end(), [](double w) { return w > 0.0; }));
        CHECK(want != total);
        v.left_mass(t, n_classes, mass.data());
        CHECK(mass == left);
    }
    v.left_mass(infinity, n_classes, mass.data());
    CHECK(whole ? mass == total : close(mass, total));
}

// Before any pruning: all distinct values and all boundaries, but for the largest.
void nothing_is_lost_without_pruning() {
    Dice dice(1);
    for (const Shape shape : shapes) {
        for (const std::size_t n_intervals : {1, 2, 7, 100, 1000}) {
            const bool whole = dice.chance(0.5);
            const std::size_t n_classes = 1 + dice.below(5);
            std::vector<Example> all = drawn(dice, shape, 1 + dice.below(3000), n_classes, whole);
            IntervalCounts v(n_intervals);
            for (const Example& e : all) v.learn(e.x, e.y, e.w);
            std::vector<double> want;
            for (const Example& e : all) want.push_back(e.x);
            const double largest = *std::max_element(want.begin(), want.end());
            for (std::size_t i = 0; v.has_intervals() && i <= n_intervals; ++i) {
                want.push_back(v.boundary(i));
            }
            std::erase_if(want, [&](double t) { return t >= largest; });
            std::sort(want.begin(), want.end());
            want.erase(std::unique(want.begin(), want.end()), want.end());
            std::vector<double> got;
            for (const Cut& c : cuts(v, n_classes)) got.push_back(c.threshold);
            CHECK(got == want);
            CHECK(v.has_intervals() == (all.size() >= 1000));
            check_cuts(v, all, n_classes, whole);
        }
    }
}

void an_interval_is_open_below_and_closed_above() {
    Dice dice(2);
    for (const Shape shape : shapes) {
        for (const std::size_t n : {1, 3, 100, 65536}) {
            IntervalCounts v(n);
            for (const Example& e : drawn(dice, shape, 1000, 2, true)) v.learn(e.x, e.y, e.w);
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

void one_value_waits_for_a_second() {
    IntervalCounts v(10);
    for (int i = 0; i < 5000; ++i) v.learn(-0.0, static_cast<std::size_t>(i % 3), 1.0);
    CHECK(!v.has_intervals());
    CHECK(cuts(v, 3).empty());
    CHECK(same(saved(restored(saved(v), 10, 3)), saved(v)));
    v.learn(1.0, 0, 1.0);
    CHECK(v.has_intervals());
    CHECK(cuts(v, 3).size() == 10);  // 0, and nine boundaries below 1
    // Very many classes of that one value: more points than are held.
    IntervalCounts many(10);
    for (std::size_t k = 0; k < 65536; ++k) many.learn(0.0, k, 1.0);
    many.learn(1.0, 0, 1.0);
    CHECK(many.points() == 1 && many.detail(0) == Detail::overfull);
    CHECK(same(saved(restored(saved(many), 10, 65536)), saved(many)));
}

// What the search finds after pruning is what a search of every value finds, as long as
// no interval was pruned that should not have been and all points have room.
void pruning_keeps_the_best_cut() {
    Dice dice(4);
    std::size_t kept = 0;
    for (int round = 0; round < 60; ++round) {
        const std::size_t n_classes = 2 + dice.below(3);
        const Gain gain{round % 2 ? entropy_mass : gini_mass, n_classes};
        const std::vector<Example> all =
            drawn(dice, round % 3 ? Shape::uniform : Shape::mixed_signs, 4000, n_classes, true);
        IntervalCounts v(50);
        std::vector<Example> seen;
        const double epsilon = 0.02;
        for (const Example& e : all) {
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
            for (const Cut& c : cuts(v, n_classes)) best = std::max(best, gain_of(c.left));
            const std::size_t before = v.false_prunings();
            v.prune(n_classes, gain, best, epsilon);
            CHECK(v.false_prunings() >= before);
            check_cuts(v, seen, n_classes, true);
            if (!v.has_intervals()) continue;
            // Every value, and where it lies.
            std::vector<Example> sorted = seen;
            std::sort(sorted.begin(), sorted.end(),
                      [](const Example& a, const Example& b) { return a.x < b.x; });
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

void a_false_pruning_is_counted_and_keeps_its_boundaries() {
    const Gain gain{entropy_mass, 2};
    IntervalCounts v(4);
    std::vector<Example> all;
    const auto learn = [&](double x, std::size_t y) {
        v.learn(x, y, 1.0);
        all.push_back({x, y, 1.0});
    };
    for (int i = 0; i < 1000; ++i) learn(i / 999.0 * 4.0, i >= 500);
    v.prune(2, gain, 1.0, 0.1);
    CHECK(v.detail(1) == Detail::pruned && v.detail(4) == Detail::pruned);
    CHECK(v.detail(2) == Detail::exact && v.false_prunings() == 0);
    CHECK(v.detail(5) == Detail::exact);  // nothing inside, nothing to prune
    v.prune(2, gain, 1.0, 0.1);
    CHECK(v.false_prunings() == 0);
    // Now the classes change places at 3.5.
    for (int i = 0; i < 100'000; ++i) learn(3.0 + (i % 1000 + 1) / 1000.0, i % 1000 >= 500);
    v.prune(2, gain, 0.9, 0.1);
    CHECK(v.detail(4) == Detail::false_pruned && v.false_prunings() == 1);
    for (const Cut& c : cuts(v, 2)) CHECK(c.threshold <= 3.0);
    check_cuts(v, all, 2, true);
    const IntervalCounts again = restored(saved(v), 4, 2);
    CHECK(again.false_prunings() == 1);
    CHECK(cuts(again, 2) == cuts(v, 2));
    // Hopeless again: it is not counted twice.
    v.prune(2, gain, 2.0, 0.1);
    v.prune(2, gain, 0.0, 0.1);
    CHECK(v.detail(4) == Detail::false_pruned);
}

void memory_is_bounded() {
    Dice dice(5);
    for (const Shape shape : {Shape::uniform, Shape::skewed, Shape::extreme}) {
        const std::vector<Example> all = drawn(dice, shape, 60'000, 3, true);
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

void a_restored_one_goes_on_as_if_never_saved() {
    Dice dice(6);
    for (int round = 0; round < 50; ++round) {
        const Shape shape = shapes[dice.below(std::size(shapes))];
        const std::size_t n = 1 + dice.below(120), n_classes = 2 + dice.below(10);
        const Gain gain{gini_mass, n_classes};
        IntervalCounts never(n), again(n);
        const std::vector<Example> all = drawn(dice, shape, 5000, n_classes, round % 2 == 0);
        for (std::size_t i = 0; i < all.size(); ++i) {
            never.learn(all[i].x, all[i].y, all[i].w);
            again.learn(all[i].x, all[i].y, all[i].w);
            if (i % 400 == 0) {
                const double best = dice.uniform() * 0.3;
                never.prune(n_classes, gain, best, 0.05);
                again.prune(n_classes, gain, best, 0.05);
            }
            if (i % 333 == 0) {
                const IntervalArrays a = saved(again);
                again = restored(a, n, n_classes);
                CHECK(same(saved(again), a));
            }
        }
        CHECK(same(saved(again), saved(never)));
        CHECK(cuts(again, n_classes) == cuts(never, n_classes));
        CHECK(again.false_prunings() == never.false_prunings());
    }
}

void several_features_lie_one_after_the_other() {
    Dice dice(7);
    IntervalArrays together;
    std::vector<IntervalArrays> each_one;
    for (const std::size_t n : {0, 10, 1000, 3000}) {
        IntervalCounts v(20);
        for (const Example& e : drawn(dice, Shape::uniform, n, 3, true)) v.learn(e.x, e.y, e.w);
        v.save(together);
        each_one.push_back(saved(v));
    }
    IntervalSpans rest = spans(together);
    for (const IntervalArrays& want : each_one) {
        CHECK(same(saved(IntervalCounts::restore(20, rest, 3)), want));
    }
    each(rest, [](const auto& r) { CHECK(r.empty()); });
}

std::string complaint(const IntervalArrays& a, std::size_t n, std::size_t n_classes) {
    try {
        IntervalSpans s = spans(a);
        IntervalCounts::restore(n, s, n_classes);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

void hostile_arrays_say_why() {
    IntervalCounts v(10);
    for (int i = 0; i < 2000; ++i) v.learn(i % 1000, static_cast<std::size_t>(i % 2), 1.0);
    v.prune(2, Gain{gini_mass, 2}, 10.0, 0.0);
    for (int i = 0; i < 5; ++i) v.learn(1000.0 + i, 0, 1.0);
    const IntervalArrays good = saved(v);
    CHECK(complaint(good, 10, 2).empty());
    const auto refused = [&](auto change, const std::string& why) {
        IntervalArrays a = good;
        change(a);
        const std::string said = complaint(a, 10, 2);
        if (!CHECK(said.find(why) != std::string::npos)) {
            std::fprintf(stderr, "wanted '%s', got '%s'\n", why.c_str(), said.c_str());
        }
    };
    using A = IntervalArrays;
    refused([](A& a) { a.sizes[0] = 1001; }, "more examples");
    refused([](A& a) { a.sizes[0] = 999; }, "before the first examples");
    refused([](A& a) { a.sizes[1] = 0xFFFFFFFF; }, "point_values ends too early");
    refused([](A& a) { a.sizes[1] -= 1; }, "do not add up");
    refused([](A& a) { a.sizes[2] = 0xFFFFFFFF; }, "cell_intervals ends too early");
    refused([](A& a) { a.sizes.pop_back(); }, "sizes ends too early");
    refused([](A& a) { a.range[0] = a.range[1]; }, "no range");
    refused([](A& a) { a.range[0] = examples::nan; }, "not of finite numbers");
    refused([](A& a) { a.range[1] = infinity; }, "not of finite numbers");
    refused([](A& a) { a.range = {0.0, 0.0}; }, "cells without intervals");
    refused([](A& a) { a.detail[3] = 4; }, "unknown detail");
    refused([](A& a) { a.detail.pop_back(); }, "detail ends too early");
    refused([](A& a) { a.detail[11] = 3; }, "has lost its points");
    refused([](A& a) { a.detail[2] = 0; }, "do not add up");
    refused([](A& a) { a.cell_intervals[0] = -1; }, "no interval");
    refused([](A& a) { a.cell_intervals.back() = 12; }, "no interval");
    refused([](A& a) { a.cell_weights[0] = 0.0; }, "without a weight");
    refused([](A& a) { a.cell_weights.back() = 4.0; }, "do not add up");
    refused([](A& a) { a.cell_classes[0] = 2; }, "no class");
    refused([](A& a) { std::swap(a.cell_classes[1], a.cell_classes[2]); }, "cells do not ascend");
    refused([](A& a) { a.point_values.back() = 1.0; }, "do not ascend");
    refused([](A& a) { a.point_values.front() = 1.0; }, "has lost its points");
    refused([](A& a) { a.point_classes.back() = 1; }, "a point without a cell");
    refused([](A& a) { a.range[1] = 1e9; }, "a point");  // they fall elsewhere
    refused([](A& a) { a.point_values[1] = a.point_values[0]; }, "do not ascend");
    refused([](A& a) { a.point_values.back() = infinity; }, "not finite");
    for (const std::size_t n : {std::size_t{0}, std::size_t{65537}, SIZE_MAX}) {
        CHECK(complaint(good, n, 2).find("n_intervals must be from 1") != std::string::npos);
    }
    IntervalCounts few(10);
    for (int i = 0; i < 5; ++i) few.learn(i, 0, 1.0);
    IntervalArrays a = saved(few);
    a.sizes[0] = 4;
    CHECK(complaint(a, 10, 2).find("cannot have left") != std::string::npos);
    a.sizes[0] = 1000;
    CHECK(complaint(a, 10, 2).find("no intervals after") != std::string::npos);
}

// Mutated arrays are refused, or are intervals that can be taught, pruned and saved.
void mutated_arrays_do_no_harm() {
    Dice dice(8);
    int survived = 0;
    for (int round = 0; round < 3000; ++round) {
        const std::size_t n = 1 + dice.below(20), n_classes = 3;
        const Gain gain{gini_mass, n_classes};
        IntervalCounts v(n);
        const Shape shape = shapes[dice.below(std::size(shapes))];
        for (const Example& e : drawn(dice, shape, dice.chance(0.2) ? 50 : 1100, 3, true)) {
            v.learn(e.x, e.y, e.w);
        }
        v.prune(n_classes, gain, 0.1, 0.01);
        IntervalArrays a = saved(v);
        for (std::size_t changes = 1 + dice.below(2); changes-- > 0;) {
            std::size_t wanted = dice.below(9);
            each(a, [&](auto& array) {
                if (wanted-- != 0) return;
                using T = typename std::remove_reference_t<decltype(array)>::value_type;
                const double numbers[] = {0.0, -0.0, 1.0, 2.0, -1.0, 1e300, 5e-324, infinity,
                                          examples::nan, 0x1p130, 1000.0, 3.0};
                const double number = numbers[dice.below(std::size(numbers))];
                const T strange = std::is_floating_point_v<T> ? static_cast<T>(number)
                                                              : static_cast<T>(dice.below(2000));
                const std::size_t at = array.empty() ? 0 : dice.below(array.size());
                if (array.empty() || dice.chance(0.1)) {
                    array.insert(array.begin() + static_cast<std::ptrdiff_t>(at), strange);
                } else if (dice.chance(0.1)) {
                    array.pop_back();
                } else if (dice.chance(0.2)) {
                    std::swap(array[at], array[dice.below(array.size())]);
                } else {
                    array[at] = strange;
                }
            });
        }
        bool accepted = false;
        try {
            IntervalSpans s = spans(a);
            IntervalCounts again = IntervalCounts::restore(n, s, n_classes);
            accepted = true;
            for (const Example& e : drawn(dice, shape, 1100, 3, true)) again.learn(e.x, e.y, e.w);
            again.prune(n_classes, gain, 0.1, 0.01);
            double before = -infinity;
            for (const Cut& c : cuts(again, n_classes)) {
                CHECK(c.threshold > before);
                before = c.threshold;
            }
            CHECK(same(saved(restored(saved(again), n, n_classes)), saved(again)));
            ++survived;
        } catch (const std::invalid_argument& error) {
            if (!CHECK(!accepted)) std::fprintf(stderr, "learned, then refused: %s\n", error.what());
        }
    }
    CHECK(survived > 30 && survived < 1500);
}

// Far above what it takes, so that only a structure that degenerates is caught.
void a_million_values_are_quick(bool tell) {
#ifdef RIPARIAN_SANITIZE
    constexpr double most_nanoseconds = 1e5;
#else
    constexpr double most_nanoseconds = 5e3;
#endif
    constexpr std::size_t n = 1'000'000;
    Dice dice(9);
    for (const Shape shape : {Shape::uniform, Shape::whole, Shape::far, Shape::skewed}) {
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
            if (tell) {
                std::printf("shape %d, %s: %.0f ns an insert, %zu points, %zu bytes\n",
                            static_cast<int>(shape), pruned ? "pruned" : "exact", nanoseconds,
                            v.points(), account.held);
            }
        }
    }
}

}  // namespace

int main(int argc, char**) {
    nothing_is_lost_without_pruning();
    an_interval_is_open_below_and_closed_above();
    one_value_waits_for_a_second();
    pruning_keeps_the_best_cut();
    a_false_pruning_is_counted_and_keeps_its_boundaries();
    memory_is_bounded();
    a_restored_one_goes_on_as_if_never_saved();
    several_features_lie_one_after_the_other();
    hostile_arrays_say_why();
    mutated_arrays_do_no_harm();
    a_million_values_are_quick(argc > 1);
    return checking::failures();
}
