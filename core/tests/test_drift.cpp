// Drift detectors: their windows, memory and parameters.
#include <ctime>
#include <limits>
#include <string>

#include "../named.hpp"
#include "detectors.hpp"
#include "held.hpp"

using namespace riparian;
using namespace detectors;

namespace {

CASE(the_window_is_the_last_values) {
    for (const std::uint32_t m : {2u, 5u, 9u}) {
        for (const std::uint32_t clock : {1u, 32u}) {
            for (const double offset : {0.0, 1e9}) {
                Adwin a({0.002, clock, m, 5, 10});
                Dice dice(m + clock);
                std::vector<double> all;
                int drifts = 0;
                for (int i = 0; i < 6000; ++i) {
                    const double x = offset + dice.normal() + (i / 1500 % 2 ? 3.0 : 0.0);
                    all.push_back(x);
                    const double before = a.estimate();
                    if (a.update(x) == Signal::drift) {
                        ++drifts;
                        if (clock == 1) CHECK((a.shift() > 0.0) == (a.estimate() > before));
                    }
                    if (i % 7 != 0) continue;
                    double mean = 0.0, squares = 0.0;
                    const auto n = static_cast<double>(a.width());
                    const std::size_t first = all.size() - a.width();
                    for (std::size_t k = first; k < all.size(); ++k) mean += (all[k] - offset) / n;
                    for (std::size_t k = first; k < all.size(); ++k) {
                        const double apart = all[k] - offset - mean;
                        squares += apart * apart;
                    }
                    const double close = offset > 0.0 ? 1e-5 : 1e-12;
                    CHECK(std::abs(a.estimate() - offset - mean) <= close);
                    CHECK(std::abs(a.variance() - squares / n) <= close * 10.0);
                }
                CHECK(drifts >= 3 && drifts < 60);
                CHECK(a.width() < 1600 && a.seen() == 6000);
            }
        }
    }
}

CASE(an_abrupt_change_is_found_with_its_direction) {
    for (const double from : {0.1, 0.6}) {
        Dice dice(3);
        Adwin a;
        for (int i = 0; i < 5000; ++i) CHECK(a.update(dice.chance(from)) == Signal::none);
        CHECK(a.shift() == 0.0 && a.width() == 5000);
        int waited = 0;
        while (a.update(dice.chance(0.7 - from)) != Signal::drift) ++waited;
        CHECK(waited < 200);
        CHECK(a.signal() == Signal::drift && (a.shift() > 0.0) == (from < 0.3));
        CHECK(a.width() < 5000);
    }
}

CASE(a_copy_is_independent) {
    Adwin a;
    for (int i = 0; i < 1000; ++i) a.update(i % 2);
    Adwin b = a;
    CHECK(saved(a) == saved(b) && a.bytes() == b.bytes());
    for (int i = 0; i < 500; ++i) b.update(1.0);
    CHECK(a.estimate() == 0.5 && a.width() == 1000);
    CHECK(b.estimate() > 0.9 && b.shift() > 0.0);
    b.reset();
    CHECK(b.width() == 0 && b.seen() == 0 && b.estimate() == 0.0 && b.shift() == 0.0);
    a = std::move(b);
    CHECK(a.width() == 0);
    a.update(1.0);
    CHECK(a.estimate() == 1.0);
}

CASE(memory_is_on_the_account_and_grows_with_the_logarithm) {
    Account account;
    const std::size_t before = held::bytes;
    {
        const Charge charge(account);
        Adwin a;
        CHECK(account.held == 0);
        for (int i = 0; i < 1'000'000; ++i) {
            a.update(i & 1);
            if (i % 999 == 0) {
                CHECK(account.held == held::bytes - before);
                CHECK(a.bytes() == sizeof(Adwin) + account.held);
            }
        }
        CHECK(a.width() == 1'000'000);
        CHECK(a.bytes() < 2000);
        const std::vector<double> state = saved(a);
        const std::size_t alone = account.held;
        const Adwin again = restored<Adwin>(a.parameters(), state);
        CHECK(account.held == 2 * alone);
    }
    CHECK(account.held == 0);
}

CASE(a_full_account_leaves_the_window_as_it_was) {
    Account account;
    Adwin a;
    std::vector<double> before;
    int refused = 0;
    for (int i = 0; i < 5000; ++i) {
        saved(a).swap(before);
        account.ceiling = account.held + 100 * static_cast<std::size_t>(i % 3);
        const Charge charge(account);
        try {
            a.update(i % 3);
        } catch (const OverLimit&) {
            ++refused;
            CHECK(saved(a) == before);
            account.ceiling = SIZE_MAX;
            a.update(i % 3);
        }
    }
    CHECK(refused > 3 && a.seen() == 5000);
    const Charge charge(account);
    a = Adwin();
    CHECK(account.held == 0);
}

template <class D>
void refuses(const typename D::Parameters& p, const std::string& why) {
    std::string said;
    try {
        const D d(p);
    } catch (const std::invalid_argument& error) {
        said = error.what();
    }
    if (!CHECK(said.find(why) != std::string::npos)) {
        std::fprintf(stderr, "wanted '%s', got '%s'\n", why.c_str(), said.c_str());
    }
}

CASE(impossible_parameters_are_refused) {
    refuses<Adwin>({.delta = 0.0}, "delta must be a probability between 0 and 1, got 0");
    refuses<Adwin>({.delta = 1.0}, "delta must be");
    refuses<Adwin>({.delta = examples::nan}, "delta must be");
    refuses<Adwin>({.clock = 0}, "clock must be from 1 to 4294967295, got 0");
    refuses<Adwin>({.max_buckets = 1}, "max_buckets must be from 2 to 64, got 1");
    refuses<Adwin>({.max_buckets = 65}, "max_buckets must be from 2 to 64, got 65");
    refuses<Adwin>({.min_window_length = 0}, "min_window_length must be from 1 to 4294967295");
    refuses<Ddm>({.warning_threshold = -1.0},
                 "warning_threshold must be from 0 to 1000000, got -1");
    refuses<Ddm>({.warning_threshold = 4.0},
                 "drift_threshold must be at least warning_threshold = 4, got 3");
    refuses<Ddm>({.drift_threshold = examples::nan}, "drift_threshold must be");
    refuses<Eddm>({.alpha = 0.8}, "alpha must be at least beta = 0.9, got 0.8");
    refuses<Eddm>({.alpha = 1.5}, "alpha must be from 0 to 1, got 1.5");
    refuses<PageHinkley>({.delta = -0.1}, "delta must be from 0");
    refuses<PageHinkley>({.threshold = infinity}, "threshold must be from 0");
    refuses<PageHinkley>({.alpha = 1.1}, "alpha must be from 0 to 1, got 1.1");
    refuses<HddmA>({.drift_confidence = 0.0}, "drift_confidence must be a probability");
    refuses<HddmA>({.warning_confidence = 0.0001},
                   "warning_confidence must be at least drift_confidence = 0.001, got 0.0001");
    refuses<HddmW>({.lambda_val = 1.0}, "lambda_val must be a probability");
    refuses<Kswin>({.alpha = 2.0}, "alpha must be a probability");
    refuses<Kswin>({.window_size = 59}, "stat_size must be at most half of window_size, got 30");
    refuses<Kswin>({.stat_size = 0}, "stat_size must be from 1 to 4294967295");
    refuses<Kswin>({.window_size = 2'000'000}, "window_size must be from 2 to 1000000");
}

CASE(the_largest_inputs_do_not_overflow) {
    Adwin a({.clock = 1});
    for (int i = 0; i < 3000; ++i) a.update(i % 2 ? largest_input : -largest_input);
    CHECK(std::isfinite(a.estimate()) && std::isfinite(a.variance()));
    CHECK(saved(restored<Adwin>(a.parameters(), saved(a))) == saved(a));
}

// The limit is far above the usual time, so that only a degenerate detector exceeds it.
template <class D>
void a_million_updates_are_quick() {
#ifdef RIPARIAN_SANITIZE
    constexpr double most_nanoseconds = 1e5;
#else
    constexpr double most_nanoseconds = 2e3;
#endif
    constexpr std::size_t n = 1'000'000;
    Dice dice(11);
    std::vector<double> xs(n);
    for (double& x : xs) x = dice.chance(0.2);
    D d;
    const std::clock_t begin = std::clock();
    for (const double x : xs) d.update(x);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const double nanoseconds = seconds * 1e9 / n;
    CHECK(nanoseconds <= most_nanoseconds);
    std::printf("%s: %.1f ns per update, %zu bytes\n", std::string(D::name).c_str(), nanoseconds,
                d.bytes());
}

CASE(a_million_updates_of_every_detector_are_quick) {
    a_million_updates_are_quick<Adwin>();
    a_million_updates_are_quick<Ddm>();
    a_million_updates_are_quick<Eddm>();
    a_million_updates_are_quick<HddmA>();
    a_million_updates_are_quick<HddmW>();
    a_million_updates_are_quick<PageHinkley>();
    a_million_updates_are_quick<Kswin>();
    a_million_updates_are_quick<Fhddm>();
}

// A detector as a user would write it.
class OwnAdwin final : public DetectorObject {
public:
    explicit OwnAdwin(const Adwin& adwin) : adwin_(adwin) {}
    Detection update(double x) override {
        const Signal signal = adwin_.update(x);
        return {signal == Signal::drift, true, adwin_.estimate(), adwin_.shift()};
    }
    [[nodiscard]] std::unique_ptr<DetectorObject> fresh() const override {
        return std::make_unique<OwnAdwin>(Adwin{});
    }
    [[nodiscard]] std::unique_ptr<DetectorObject> copy() const override {
        return std::make_unique<OwnAdwin>(adwin_);
    }
    void save(std::vector<double>& out) const override { adwin_.save(out); }
    [[nodiscard]] std::unique_ptr<DetectorObject> restored(
        std::span<const double>& rest) const override {
        return std::make_unique<OwnAdwin>(Adwin::restore({}, rest));
    }

private:
    Adwin adwin_;
};

CASE(a_custom_detector_works_as_its_object_does) {
    const CustomDetector prototype({std::make_shared<OwnAdwin>(Adwin{})});
    Adwin adwin;
    CustomDetector own = prototype;
    Dice dice(17);
    for (std::size_t i = 0; i < 3000; ++i) {
        const double x = dice.chance(i < 1500 ? 0.1 : 0.5);
        CHECK(adwin.update(x) == own.update(x));
        CHECK(adwin.estimate() == own.estimate() && adwin.shift() == own.shift());
        if (i % 500 != 0) continue;
        CustomDetector copy = own;  // independent of the original
        copy.update(1.0 - x);
        std::vector<double> state;
        own.save(state);
        std::span<const double> rest(state);
        own = CustomDetector::restore(own.parameters(), rest);
        CHECK(rest.empty());
    }
    own.reset();
    CHECK(own.width() == 0 && own.update(1.0) == Signal::none && own.estimate() == 1.0);
}

CASE(a_custom_detector_without_an_object_detects_nothing) {
    CustomDetector none;
    for (const double x : {0.0, 1.0, 1.0, 0.0}) CHECK(none.update(x) == Signal::none);
    CHECK(none.estimate() == 0.5 && none.width() == 4);
}

// Detectors and parameters are found by the names that users write; their own have none.
CASE(any_detector_finds_a_change) {
    std::vector<std::string_view> all = names(static_cast<const AnyDetector*>(nullptr));
    std::erase(all, CustomDetector::name);
    CHECK(all.size() == 8);
    for (const std::string_view name : all) {
        AnyDetector d = fresh(by_name<AnyDetector>(name).value(), [](auto&&...) {});
        Dice dice(13);
        std::size_t drifts = 0, last = 0;
        for (std::size_t i = 0; i < 4000; ++i) {
            const double x = dice.chance(i < 2000 ? 0.1 : 0.6);
            CHECK(accepts(input_of(d), x));
            if (update(d, x) == Signal::drift) {
                ++drifts;
                last = i;
                if (i >= 2000) break;
            }
        }
        if (!CHECK(drifts >= 1 && last >= 2000 && last < 2400)) {
            std::fprintf(stderr, "%s: %zu drifts, at %zu\n", std::string(name).c_str(), drifts,
                         last);
        }
        CHECK(estimate(d) > 0.0);
    }
    const AnyDetector kswin =
        fresh(AnyDetector(Kswin{}), [](std::string_view name, auto& value, auto&&...) {
            if constexpr (std::is_same_v<decltype(value), std::uint32_t&>) {
                if (name == "window_size") value = 200;
            }
        });
    CHECK(std::get<Kswin>(kswin).parameters().window_size == 200);
    CHECK(!by_name<AnyDetector>("adwim"));
}

CASE(a_detector_accepts_only_its_inputs) {
    for (const double x : {examples::nan, infinity, -infinity, 1e101}) {
        for (const DetectorInput w :
             {DetectorInput::errors, DetectorInput::shares, DetectorInput::numbers}) {
            CHECK(!accepts(w, x));
        }
    }
    CHECK(accepts(DetectorInput::errors, 1.0) && !accepts(DetectorInput::errors, 0.5));
    CHECK(accepts(DetectorInput::shares, 0.5) && !accepts(DetectorInput::shares, 1.5));
    CHECK(accepts(DetectorInput::numbers, -1e100));
}

}  // namespace
