// Random numbers: the published generator, and draws with the right distribution.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../lab/binomial.hpp"
#include "../lab/node.hpp"
#include "../random/philox.hpp"
#include "checking.hpp"

using namespace riparian;

namespace {

// The numbers are those of NumPy's Philox(key=...).
CASE(known_numbers) {
    Philox zero(0, 0), other(7, 123456789);
    for (const std::uint64_t want :
         {0x02F4BA6408E4D89BULL, 0x3DD62B0B9CA8C5B2ULL, 0x1C8667A55D902E79ULL,
          0x907D7A052FD5B4DCULL, 0x809BF322883987C3ULL, 0x471128B9E807F7DDULL}) {
        CHECK(zero.bits() == want);
    }
    for (const std::uint64_t want :
         {0x1294CF13FAF09C5EULL, 0xB8F10CC8426E21FAULL, 0x35A6E722DC6F0305ULL,
          0x855ED0E08BCFA0D6ULL, 0xE450212915110208ULL, 0x5C25EDAF252D6D79ULL}) {
        CHECK(other.bits() == want);
    }
}

// Chi-square of counts against equal shares, in standard deviations.
double excess(const std::vector<int>& counts, double expected) {
    double sum = 0.0;
    for (const int c : counts) sum += (c - expected) * (c - expected) / expected;
    const double freedom = static_cast<double>(counts.size()) - 1.0;
    return (sum - freedom) / std::sqrt(2.0 * freedom);
}

// Tested within a stream, and over the first numbers of many streams.
CASE(uniformity) {
    constexpr int n = 1 << 20, boxes = 1024;
    std::vector<int> within(boxes), across(boxes), pairs(boxes);
    Philox one(1, 0);
    for (int i = 0; i < n; ++i) {
        ++within[static_cast<std::size_t>(one.uniform() * boxes)];
        Philox stream(1, static_cast<std::uint64_t>(i)), next(1, static_cast<std::uint64_t>(i) + 1);
        const double u = stream.uniform(), v = next.uniform();
        ++across[static_cast<std::size_t>(u * boxes)];
        ++pairs[static_cast<std::size_t>(u * 32.0) * 32 + static_cast<std::size_t>(v * 32.0)];
    }
    for (const auto* counts : {&within, &across, &pairs}) {
        const double e = excess(*counts, static_cast<double>(n) / boxes);
        std::printf("uniformity: %.2f\n", e);
        CHECK(std::fabs(e) < 5.0);
    }
}

CASE(binomial_moments) {
    struct Case {
        std::int64_t n;
        double p;
    };
    // Inversion, rejection, both at their border, mirrored, and large.
    for (const auto& [n, p] :
         {Case{1, 0.3}, Case{12, 0.5}, Case{40, 0.24}, Case{40, 0.26}, Case{100, 0.9},
          Case{1000, 0.01}, Case{1000, 0.37}, Case{1'000'000, 1e-6}, Case{1'000'000, 0.2},
          Case{10'000'000'000, 0.5}}) {
        constexpr int draws = 400'000;
        Philox random(3, static_cast<std::uint64_t>(n));
        const double size = static_cast<double>(n), mean = size * p, variance = mean * (1.0 - p);
        double first = 0.0, second = 0.0, third = 0.0;
        bool inside = true;
        for (int i = 0; i < draws; ++i) {
            const std::int64_t k = binomial(random, n, p);
            inside = inside && k >= 0 && k <= n;
            const double z = (static_cast<double>(k) - mean) / std::sqrt(variance);
            first += z;
            second += z * z;
            third += z * z * z;
        }
        CHECK(inside);
        const double kurtosis = 3.0 + (1.0 - 6.0 * p * (1.0 - p)) / variance;
        const double skewness = (1.0 - 2.0 * p) / std::sqrt(variance);
        const double root = std::sqrt(static_cast<double>(draws));
        const double off_mean = first / root;
        const double off_variance = (second / draws - 1.0) / std::sqrt((kurtosis - 1.0) / draws);
        const double off_skewness = (third / draws - skewness) * root;
        std::printf("binomial(%lld, %g): mean %.2f, variance %.2f, skewness %.2f\n",
                    static_cast<long long>(n), p, off_mean, off_variance, off_skewness);
        CHECK(std::fabs(off_mean) < 5.0);
        CHECK(std::fabs(off_variance) < 5.0);
        // The sixth moment of a rare event is large, so its third moment varies too much for this
        // test.
        if (variance > 5.0) CHECK(std::fabs(off_skewness) < 25.0);
    }
    Philox random(0, 0);
    CHECK(binomial(random, 0, 0.5) == 0);
    CHECK(binomial(random, 9, 0.0) == 0);
    CHECK(binomial(random, 9, 1.0) == 9);
}

// Tests every probability of a small case, for both methods.
CASE(binomial_shape) {
    for (const double p : {0.2, 0.35}) {
        constexpr int n = 40, draws = 1'000'000;
        std::array<int, n + 1> counts{};
        Philox random(5, 1);
        for (int i = 0; i < draws; ++i) ++counts[static_cast<std::size_t>(binomial(random, n, p))];
        double sum = 0.0;
        int cells = 0;
        for (int k = 0; k <= n; ++k) {
            const double mass =
                std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                         k * std::log(p) + (n - k) * std::log1p(-p));
            if (mass * draws < 10.0) continue;
            const double off = counts[static_cast<std::size_t>(k)] - mass * draws;
            sum += off * off / (mass * draws);
            ++cells;
        }
        std::printf("binomial(%d, %g): chi-square %.1f over %d\n", n, p, sum, cells);
        CHECK(sum < cells + 5.0 * std::sqrt(2.0 * cells));
    }
}

// The cells of a node appear with the right frequency, drawn one by one and all at once.
CASE(node_draws) {
    const double probabilities[] = {0.1, 0.0, 0.25, 0.05, 0.4, 0.2};
    const LabNode node({3}, 2, probabilities);
    CHECK(node.cells() == 5);
    CHECK(node.branches() == 3);
    constexpr std::int64_t n = 1'000'000;
    std::vector<std::int64_t> singles(5), together(5);
    Philox random(9, 9);
    for (std::int64_t i = 0; i < n; ++i) ++singles[node.draw(random)];
    node.draw(random, n, together.data());
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < 5; ++c) {
        const double p = node.probability(c), spread = std::sqrt(n * p * (1.0 - p));
        CHECK(std::fabs(static_cast<double>(singles[c]) - n * p) < 5.0 * spread);
        CHECK(std::fabs(static_cast<double>(together[c]) - n * p) < 5.0 * spread);
        sum += together[c];
    }
    CHECK(sum == n);
}

}  // namespace
