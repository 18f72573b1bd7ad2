// How many examples a leaf still needs: the first n at which the rule decides.
#include <cmath>
#include <limits>

#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;

namespace {

bool decides(const Settings& s, const Decision& d, double n) {
    const double epsilon = half_width(s.bound, {n, d.gain_range, s.delta});
    return d.gap() > s.epsilons * epsilon || epsilon < s.tau;
}

Decision waiting(double gain, double second, double n) {
    Decision d;
    d.best = {0, Test::threshold, 1.0, none, gain};
    d.second = {1, Test::threshold, 1.0, none, second};
    d.n = n;
    d.gain_range = 1.0;
    return d;
}

void the_weight_needed_is_the_first_that_decides() {
    for (const int epsilons : {1, 2}) {
        for (const double tau : {0.0, 1e-6, 0.05}) {
            for (double gap = 0.9; gap > 1e-7; gap *= 0.7) {
                Settings s;
                s.epsilons = epsilons;
                s.tau = tau;
                const Decision d = waiting(gap, 0.0, 10.0);
                const double n = weight_to_decide(s, d);
                CHECK(n >= 10.0 && n < 0x1p62);
                CHECK(decides(s, d, n));
                if (n > 10.0) CHECK(!decides(s, d, std::floor(n - 1.5)));
            }
        }
    }
}

// Weights need not be whole numbers, nor the start of the search.
void fractional_weights_end_too() {
    examples::Dice dice(1);
    for (int i = 0; i < 20'000; ++i) {
        Settings s;
        s.tau = dice.chance(0.5) ? 0.0 : 0.3 * dice.uniform();
        const Decision d = waiting(0.5 + 0.4 * dice.uniform() * dice.uniform(), 0.5,
                                   1e-3 + 300.0 * dice.uniform() * dice.uniform());
        const double n = weight_to_decide(s, d);
        CHECK(n >= d.n && decides(s, d, n));
        if (n > d.n + 2.0) CHECK(!decides(s, d, n - 2.0));
    }
}

// Past 2^53 not every whole number is a double; the search must end all the same.
void a_tiny_gap_needs_an_astronomic_weight() {
    Settings s;
    s.tau = 0.0;
    for (double gap = 1e-7; gap > 1.1e-9; gap *= 0.93) {
        const Decision d = waiting(0.5 + gap, 0.5, 1000.0);
        const double n = weight_to_decide(s, d);
        CHECK(n > 1000.0);
        CHECK(n == std::numeric_limits<double>::infinity() || decides(s, d, n));
    }
}

void no_gap_never_decides() {
    Settings s;
    s.tau = 0.0;
    CHECK(weight_to_decide(s, waiting(0.5, 0.5, 100.0)) == std::numeric_limits<double>::infinity());
    CHECK(weight_to_decide(s, waiting(1e-10, 0.0, 100.0)) == std::numeric_limits<double>::infinity());
    CHECK(weight_to_decide(s, {}) == std::numeric_limits<double>::infinity());
}

}  // namespace

int main() {
    the_weight_needed_is_the_first_that_decides();
    no_gap_never_decides();
    fractional_weights_end_too();
    a_tiny_gap_needs_an_astronomic_weight();
    return checking::failures();
}
