// Saved detectors continue as if they had not been saved, and impossible states are refused.
#include <limits>
#include <string>

#include "detectors.hpp"

using namespace riparian;
using namespace detectors;

namespace {

template <class D>
void a_restored_state_continues_as_if_never_saved(const typename D::Parameters& p) {
    Errors errors{Dice(5)};
    D never(p), again(p);
    for (int i = 0; i < 20'000; ++i) {
        const double x = errors.next();
        CHECK(never.update(x) == again.update(x));
        if (i % 97 != 0) continue;
        const std::vector<double> state = saved(again);
        again = restored<D>(p, state);
        CHECK(saved(again) == state);
        CHECK(again.bytes() == never.bytes());
    }
    CHECK(saved(again) == saved(never));
}

template <class D>
std::string complaint(const typename D::Parameters& p, const std::vector<double>& state) {
    try {
        std::span<const double> rest(state);
        static_cast<void>(D::restore(p, rest));
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

// States that end early or contain other numbers are refused, or give detectors that work.
template <class D>
void mutated_states_do_no_harm(const typename D::Parameters& p) {
    Dice dice(7);
    int survived = 0, refused = 0;
    for (int round = 0; round < 3000; ++round) {
        Errors errors{Dice(static_cast<std::uint64_t>(round))};
        D d(p);
        const std::size_t n = dice.below(3) ? 300 + dice.below(3000) : dice.below(40);
        for (std::size_t i = 0; i < n; ++i) d.update(errors.next());
        std::vector<double> state = saved(d);
        const double numbers[] = {0.0,       -0.0,     1.0,           2.0,   -1.0,   1e300,
                                  5e-324,    infinity, examples::nan, 0.5,   1000.0, 1e100,
                                  -infinity, 3.0,      0x1p53,        0x1p64};
        const std::size_t at = dice.below(state.size());
        if (dice.chance(0.1)) {
            state.resize(at);
        } else {
            state[at] = numbers[dice.below(std::size(numbers))];
        }
        try {
            std::span<const double> rest(state);
            D again = D::restore(p, rest);
            for (int i = 0; i < 500; ++i) again.update(errors.next());
            CHECK(std::isfinite(again.estimate()));
            const std::vector<double> after = saved(again);
            CHECK(saved(restored<D>(p, after)) == after);
            ++survived;
        } catch (const std::invalid_argument&) {
            ++refused;
        }
    }
    CHECK(survived > 30 && refused > 300);
}

CASE(hostile_windows_are_refused_with_the_reason) {
    Adwin a;
    Dice dice(9);
    for (int i = 0; i < 1000; ++i) a.update(dice.normal());
    const std::vector<double> good = saved(a);
    CHECK(complaint<Adwin>({}, good).empty());
    const auto refused = [&](std::size_t at, double x, const std::string& why) {
        std::vector<double> state = good;
        state[at] = x;
        const std::string said = complaint<Adwin>({}, state);
        if (!CHECK(said.find(why) != std::string::npos)) {
            std::fprintf(stderr, "wanted '%s', got '%s'\n", why.c_str(), said.c_str());
        }
    };
    const auto rows = static_cast<std::size_t>(good[5]);
    const std::size_t first = 6 + rows;
    refused(0, 1.0, "gives no warnings");
    refused(0, 3.0, "the signal is out of range");
    refused(0, 0.5, "not a whole number");
    refused(1, 999.0, "longer than the stream");
    refused(1, examples::nan, "the number of values is out of range");
    refused(2, good[2] + 1.0, "not that of the buckets");
    refused(2, infinity, "the sum is out of range");
    refused(3, -infinity, "the shift is out of range");
    refused(4, 1e9, "the room is out of range");
    refused(4, good[5] - 1.0, "the number of rows is out of range");
    refused(5, 0.0, "not that of the buckets");
    refused(6, 6.0, "a row's buckets is out of range");
    refused(6, 3.0, "a row's buckets is out of range");
    refused(5 + rows, 0.0, "a row's buckets is out of range");
    refused(first, 1e300, "a bucket's sum is out of range");
    refused(first + 1, -1.0, "a bucket's squares is out of range");
    refused(good.size() - 1, 1.0, "a bucket's squares is out of range");  // a bucket of one value
    for (std::size_t n = 0; n < good.size(); ++n) {
        const std::vector<double> state(good.begin(),
                                        good.begin() + static_cast<std::ptrdiff_t>(n));
        CHECK(complaint<Adwin>({}, state).find("too early") != std::string::npos);
    }
    // The state belongs to a detector with other rows.
    CHECK(complaint<Adwin>({0.002, 32, 4, 5, 10}, good).find("a row's buckets") !=
          std::string::npos);
}

// Calls test(parameters) with parameters of every detector.
template <class Test>
void for_each_detector(const Test& test) {
    test.template operator()<Adwin>({});
    test.template operator()<Ddm>({});
    test.template operator()<Eddm>({});
    test.template operator()<HddmA>({.two_sided_test = true});
    test.template operator()<HddmW>({.two_sided_test = true});
    test.template operator()<PageHinkley>({.threshold = 10.0});
    test.template operator()<Kswin>({.window_size = 60, .stat_size = 20});
    test.template operator()<Fhddm>({.window_size = 30});
}

CASE(a_restored_detector_continues_as_if_never_saved) {
    for_each_detector([]<class D>(const typename D::Parameters& p) {
        a_restored_state_continues_as_if_never_saved<D>(p);
    });
    a_restored_state_continues_as_if_never_saved<Adwin>({0.05, 7, 2, 1, 0});
}

CASE(mutated_states_are_refused_or_work) {
    for_each_detector(
        []<class D>(const typename D::Parameters& p) { mutated_states_do_no_harm<D>(p); });
}

}  // namespace
