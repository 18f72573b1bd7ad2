// Saved intervals continue as if they had not been saved, and impossible arrays are refused.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "interval_examples.hpp"

using namespace interval_examples;

namespace {

CASE(a_restored_state_continues_as_if_never_saved) {
    Dice dice(6);
    for (int round = 0; round < 50; ++round) {
        const Distribution shape = distributions[dice.below(std::size(distributions))];
        const std::size_t n = 1 + dice.below(120), n_classes = 2 + dice.below(10);
        const Gain gain{gini_mass, n_classes};
        IntervalCounts never(n), again(n);
        const std::vector<Labelled> all = drawn(dice, shape, 5000, n_classes, round % 2 == 0);
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

CASE(several_features_lie_one_after_the_other) {
    Dice dice(7);
    IntervalArrays together;
    std::vector<IntervalArrays> each_one;
    for (const std::size_t n : {0, 10, 1000, 3000}) {
        IntervalCounts v(20);
        for (const Labelled& e : drawn(dice, Distribution::uniform, n, 3, true))
            v.learn(e.x, e.y, e.w);
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

CASE(hostile_arrays_are_refused_with_the_reason) {
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
    refused([](A& a) { a.sizes[0] = 1001; }, "is too large");
    refused([](A& a) { a.sizes[0] = 999; }, "before the first examples");
    refused([](A& a) { a.sizes[1] = 0xFFFFFFFF; }, "point_values ends too early");
    refused([](A& a) { a.sizes[1] -= 1; }, "do not add up");
    refused([](A& a) { a.sizes[2] = 0xFFFFFFFF; }, "cell_intervals ends too early");
    refused([](A& a) { a.sizes.pop_back(); }, "sizes ends too early");
    refused([](A& a) { a.range[0] = a.range[1]; }, "range is empty");
    refused([](A& a) { a.range[0] = examples::nan; }, "not of finite numbers");
    refused([](A& a) { a.range[1] = infinity; }, "not of finite numbers");
    refused([](A& a) { a.range = {0.0, 0.0}; }, "there are cells but no intervals");
    refused([](A& a) { a.detail[3] = 4; }, "unknown detail");
    refused([](A& a) { a.detail.pop_back(); }, "detail ends too early");
    refused([](A& a) { a.detail[11] = 3; }, "an interval that was pruned");
    refused([](A& a) { a.detail[2] = 0; }, "do not add up");
    refused([](A& a) { a.cell_intervals[0] = -1; }, "no interval");
    refused([](A& a) { a.cell_intervals.back() = 12; }, "no interval");
    refused([](A& a) { a.cell_weights[0] = 0.0; }, "has no valid weight");
    refused([](A& a) { a.cell_weights.back() = 4.0; }, "do not add up");
    refused([](A& a) { a.cell_classes[0] = 2; }, "no class");
    refused([](A& a) { std::swap(a.cell_classes[1], a.cell_classes[2]); }, "cells do not ascend");
    refused([](A& a) { a.point_values.back() = 1.0; }, "do not ascend");
    refused([](A& a) { a.point_values.front() = 1.0; }, "an interval that was pruned");
    refused([](A& a) { a.point_classes.back() = 1; }, "a point has no cell");
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
    CHECK(complaint(a, 10, 2).find("do not fit the number of examples") != std::string::npos);
    a.sizes[0] = 1000;
    CHECK(complaint(a, 10, 2).find("intervals are missing after") != std::string::npos);
}

// Mutated arrays are refused, or give intervals that can learn, be pruned and saved.
CASE(mutated_arrays_are_refused_or_work) {
    Dice dice(8);
    int survived = 0;
    for (int round = 0; round < 3000; ++round) {
        const std::size_t n = 1 + dice.below(20), n_classes = 3;
        const Gain gain{gini_mass, n_classes};
        IntervalCounts v(n);
        const Distribution shape = distributions[dice.below(std::size(distributions))];
        for (const Labelled& e : drawn(dice, shape, dice.chance(0.2) ? 50 : 1100, 3, true)) {
            v.learn(e.x, e.y, e.w);
        }
        v.prune(n_classes, gain, 0.1, 0.01);
        IntervalArrays a = saved(v);
        for (std::size_t changes = 1 + dice.below(2); changes-- > 0;) {
            std::size_t wanted = dice.below(9);
            each(a, [&](auto& array) {
                if (wanted-- != 0) return;
                using T = typename std::remove_reference_t<decltype(array)>::value_type;
                const double numbers[] = {0.0,    -0.0,     1.0,           2.0,     -1.0,   1e300,
                                          5e-324, infinity, examples::nan, 0x1p130, 1000.0, 3.0};
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
            for (const Labelled& e : drawn(dice, shape, 1100, 3, true)) again.learn(e.x, e.y, e.w);
            again.prune(n_classes, gain, 0.1, 0.01);
            double before = -infinity;
            for (const ExactCut& c : cuts(again, n_classes)) {
                CHECK(c.threshold > before);
                before = c.threshold;
            }
            CHECK(same(saved(restored(saved(again), n, n_classes)), saved(again)));
            ++survived;
        } catch (const std::invalid_argument& error) {
            if (!CHECK(!accepted))
                std::fprintf(stderr, "learned, then refused: %s\n", error.what());
        }
    }
    CHECK(survived > 30 && survived < 1500);
}

}  // namespace
