// Every value in sorted blocks, compared with a plain map; saved, restored, and hostile arrays.
#include "../statistics/exhaustive_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "checking.hpp"
#include "examples.hpp"
#include "held.hpp"

using namespace riparian;
using examples::Dice;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double greatest = std::numeric_limits<double>::max();

struct Example {
    double x;
    std::size_t y;
    double w;
};
using Oracle = std::map<std::pair<double, std::size_t>, double>;

struct Saved {
    std::vector<double> values;
    std::vector<std::int32_t> classes;
    std::vector<double> weights;
    bool operator==(const Saved&) const = default;
};

template <class Values>
Saved saved(const Values& v) {
    Saved s;
    v.save(s.values, s.classes, s.weights);
    return s;
}

ExhaustiveValues restored(const Saved& s, std::size_t n_classes) {
    return ExhaustiveValues::restore(s.values, s.classes, s.weights, n_classes);
}

Saved sorted(const Oracle& oracle) {
    Saved s;
    for (const auto& [key, w] : oracle) {
        s.values.push_back(key.first);
        s.classes.push_back(static_cast<std::int32_t>(key.second));
        s.weights.push_back(w);
    }
    return s;
}

struct Cut {
    double threshold;
    std::vector<double> left;
    bool operator==(const Cut&) const = default;
};

template <class Values>
std::vector<Cut> cuts(const Values& v, std::size_t n_classes) {
    std::vector<Cut> all;
    v.each_cut(n_classes,
               [&](double t, const double* left) { all.push_back({t, {left, left + n_classes}}); });
    return all;
}

// The sums of each class after each value except the largest, ascending.
std::vector<Cut> cuts(const Oracle& oracle, std::size_t n_classes) {
    std::vector<Cut> all;
    std::vector<double> left(n_classes);
    for (auto p = oracle.begin(); p != oracle.end();) {
        const double x = p->first.first;
        for (; p != oracle.end() && p->first.first == x; ++p) left[p->first.second] += p->second;
        if (p != oracle.end()) all.push_back({x, left});
    }
    return all;
}

void agree(const std::vector<Example>& examples, std::size_t n_classes) {
    ExhaustiveValues values;
    Oracle oracle;
    for (const Example& e : examples) {
        values.learn(e.x, e.y, e.w);
        oracle[{e.x + 0.0, e.y}] += e.w;
    }
    const std::vector<Cut> want = cuts(oracle, n_classes);
    CHECK(saved(values) == sorted(oracle));
    CHECK(values.points() == oracle.size());
    CHECK(values.values() == want.size() + (oracle.empty() ? 0 : 1));
    CHECK(cuts(values, n_classes) == want);
    std::vector<double> mass(n_classes);
    for (std::size_t i = 0; i < want.size(); i += 1 + want.size() / 50) {
        values.left_mass(want[i].threshold, n_classes, mass.data());
        CHECK(mass == want[i].left);
        values.left_mass(std::nextafter(want[i].threshold, infinity), n_classes, mass.data());
        CHECK(mass == want[i].left ||
              want[i + 1].threshold == std::nextafter(want[i].threshold, infinity));
    }
    values.left_mass(-infinity, n_classes, mass.data());
    CHECK(std::all_of(mass.begin(), mass.end(), [](double m) { return m == 0.0; }));
}

std::vector<Example> drawn(Dice& dice, std::size_t n, std::size_t n_values, std::size_t n_classes,
                           bool whole) {
    std::vector<Example> all;
    for (std::size_t i = 0; i < n; ++i) {
        const double x = static_cast<double>(dice.below(n_values)) / 8.0 - 3.0;
        all.push_back({x, dice.below(n_classes), whole ? 1.0 : dice.uniform() + 1e-9});
    }
    return all;
}

CASE(any_order_and_any_number_of_values) {
    Dice dice(1);
    for (const std::size_t n : {0, 1, 2, 255, 256, 257, 1000, 20'000}) {
        for (const std::size_t n_values : {1, 2, 300, 1'000'000}) {
            for (const std::size_t n_classes : {1, 2, 7, 300}) {
                std::vector<Example> all = drawn(dice, n, n_values, n_classes, dice.chance(0.5));
                agree(all, n_classes);
                std::stable_sort(all.begin(), all.end(),
                                 [](const Example& a, const Example& b) { return a.x < b.x; });
                agree(all, n_classes);
                std::reverse(all.begin(), all.end());
                agree(all, n_classes);
            }
        }
    }
}

CASE(one_value_of_very_many_classes) {
    std::vector<Example> all;
    for (std::size_t k = 0; k < 65536; ++k) all.push_back({1.0, k * 40503 % 65536, 1.0});
    for (std::size_t k = 0; k < 65536; k += 100) all.push_back({2.0, k, 1.0});
    agree(all, 65536);
}

CASE(extreme_values) {
    Dice dice(2);
    const double tiny = 5e-324;
    std::vector<double> xs = {greatest, -greatest, tiny,      -tiny,
                              0.0,      -0.0,      1.0,       std::nextafter(1.0, 2.0),
                              1e-310,   1e9,       1e9 + 1e-6};
    for (int i = 0; i < 3000; ++i) {
        xs.push_back(std::ldexp(dice.normal(), int(dice.below(2000)) - 1000));
    }
    std::vector<Example> all;
    for (int i = 0; i < 6000; ++i) {
        const double w = dice.chance(0.5) ? 1.0 : std::ldexp(1.0, int(dice.below(1100)) - 1060);
        all.push_back({xs[dice.below(xs.size())], dice.below(3), w});
    }
    agree(all, 3);
    ExhaustiveValues zero;
    zero.learn(-0.0, 0, 1.0);
    CHECK(!std::signbit(saved(zero).values[0]));
}

// With whole weights the bits do not depend on the order.
CASE(order_does_not_matter) {
    Dice dice(3);
    std::vector<Example> all = drawn(dice, 5000, 2000, 3, true);
    ExhaustiveValues first, second;
    for (const Example& e : all) first.learn(e.x, e.y, e.w);
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[dice.below(i)]);
    for (const Example& e : all) second.learn(e.x, e.y, e.w);
    CHECK(saved(first) == saved(second));
    CHECK(cuts(first, 3) == cuts(second, 3));
}

CASE(a_restored_state_continues_as_if_never_saved) {
    Dice dice(4);
    for (int round = 0; round < 40; ++round) {
        const std::vector<Example> all = drawn(dice, 4000, 1 + dice.below(8000), 5, round % 2 == 0);
        ExhaustiveValues never, again;
        for (std::size_t i = 0; i < all.size(); ++i) {
            never.learn(all[i].x, all[i].y, all[i].w);
            again.learn(all[i].x, all[i].y, all[i].w);
            if (i % 1000 == 500) {
                const Saved s = saved(again);
                again = restored(s, 5);
                CHECK(saved(again) == s);
            }
        }
        CHECK(saved(again) == saved(never));
        CHECK(cuts(again, 5) == cuts(never, 5));
        CHECK(again.values() == never.values());
    }
}

void refuses(const Saved& s, std::size_t n_classes, const std::string& why) {
    std::string said;
    try {
        restored(s, n_classes);
    } catch (const std::invalid_argument& error) {
        said = error.what();
    }
    if (!CHECK(said.find(why) != std::string::npos)) {
        std::fprintf(stderr, "wanted '%s', got '%s'\n", why.c_str(), said.c_str());
    }
}

CASE(hostile_arrays_are_refused) {
    const Saved good{{1.0, 1.0, 2.0}, {0, 2, 1}, {1.0, 2.0, 3.0}};
    CHECK(saved(restored(good, 3)) == good);
    const auto with = [&](auto change) {
        Saved s = good;
        change(s);
        return s;
    };
    for (const double bad : {infinity, -infinity, examples::nan}) {
        refuses(with([&](Saved& s) { s.values[2] = bad; }), 3, "row 2: the value is not finite");
        refuses(with([&](Saved& s) { s.weights[1] = bad; }), 3,
                "row 1: the weight is out of range");
    }
    for (const double bad : {0.0, -1.0, 0x1p121}) {
        refuses(with([&](Saved& s) { s.weights[1] = bad; }), 3,
                "row 1: the weight is out of range");
    }
    refuses(with([](Saved& s) { s.values[0] = -0.0; }), 3, "row 0: the value is a negative zero");
    refuses(with([](Saved& s) { s.values[2] = 0.5; }), 3, "row 2: the values do not ascend");
    refuses(with([](Saved& s) { s.classes[1] = 0; }), 3, "row 1: the classes of a value");
    refuses(with([](Saved& s) { s.classes[0] = 2; }), 3, "row 1: the classes of a value");
    refuses(with([](Saved& s) { s.classes[2] = -1; }), 3, "row 2: there is no such class");
    refuses(with([](Saved& s) { s.classes[2] = 65536; }), 100'000, "row 2: there is no such class");
    refuses(good, 2, "row 1: there is no such class");
    refuses(with([](Saved& s) { s.weights.pop_back(); }), 3, "differ in length");
    refuses(with([](Saved& s) { s.classes.push_back(0); }), 3, "differ in length");
}

CASE(values_of_a_range_are_forgotten) {
    Dice dice(5);
    for (int round = 0; round < 300; ++round) {
        SortedValues values;
        Oracle oracle;
        for (const Example& e : drawn(dice, dice.below(3000), 1 + dice.below(2000), 3, true)) {
            CHECK(values.learn(e.x, e.y, e.w) == !oracle.contains({e.x, e.y}));
            oracle[{e.x, e.y}] += e.w;
            if (!dice.chance(0.01)) continue;
            double a = dice.uniform() * 250.0 - 3.0, b = a + dice.uniform() * 60.0;
            if (dice.chance(0.5)) a = std::floor(a), b = std::ceil(b);
            if (dice.chance(0.05)) a = -infinity;
            if (dice.chance(0.05)) b = infinity;
            values.erase(a, b);
            std::erase_if(oracle,
                          [&](const auto& p) { return p.first.first > a && p.first.first <= b; });
        }
        CHECK(saved(values) == sorted(oracle));
        CHECK(values.points() == oracle.size());
        CHECK(values.empty() == oracle.empty());
        CHECK(values.values() == cuts(oracle, 3).size() + (oracle.empty() ? 0 : 1));
        CHECK(cuts(values, 3) == cuts(oracle, 3));
    }
}

CASE(bytes_are_those_held) {
    Dice dice(6);
    for (const int order : {0, 1, 2}) {
        const std::size_t before = held::bytes;
        Account account;
        const Charge charge(account);
        ExhaustiveValues values;
        CHECK(account.held == 0);
        const std::size_t n = 200'000;
        for (std::size_t i = 0; i < n; ++i) {
            const double x = order == 0   ? dice.uniform()
                             : order == 1 ? static_cast<double>(i)
                                          : -static_cast<double>(i);
            values.learn(x, i % 2, 1.0);
            if (i % 1000 == 0) CHECK(account.held == held::bytes - before);
        }
        CHECK(account.held == held::bytes - before);
        CHECK(account.held <= 24 * n);
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
    Dice dice(7);
    std::vector<double> random(n), ascending(n), descending(n), repeated(n), organ(n);
    for (std::size_t i = 0; i < n; ++i) {
        random[i] = dice.uniform();
        ascending[i] = static_cast<double>(i);
        descending[i] = -static_cast<double>(i);
        repeated[i] = static_cast<double>(dice.below(1000));
        organ[i] = static_cast<double>(i % 2 ? i : 2 * n - i);
    }
    const std::pair<const char*, const std::vector<double>*> orders[] = {
        {"random", &random},
        {"ascending", &ascending},
        {"descending", &descending},
        {"repeated", &repeated},
        {"from both ends", &organ}};
    for (const auto& [name, xs] : orders) {
        Account account;
        const Charge charge(account);
        ExhaustiveValues values;
        const std::clock_t begin = std::clock();
        for (std::size_t i = 0; i < n; ++i) values.learn((*xs)[i], i & 1, 1.0);
        const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        const double nanoseconds = seconds * 1e9 / n;
        CHECK(nanoseconds <= most_nanoseconds);
        std::printf("%s: %.0f ns per insert, %.1f bytes per point\n", name, nanoseconds,
                    static_cast<double>(account.held) / static_cast<double>(values.points()));
    }
}

}  // namespace
