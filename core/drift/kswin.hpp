#pragma once

#include "../memory/account.hpp"
#include "detector.hpp"

namespace riparian {

// KSWIN: the Kolmogorov-Smirnov test on a sliding window [raab2020]. The last r = `stat_size` of
// the last n = `window_size` values are compared with r of the n - r values before them, drawn
// without repetition. A drift is reported if the largest distance between the two empirical
// distributions is
//
//     dist > sqrt(-ln(alpha) / r)
//
// and then only the last r values are kept. The draws at value t use Philox with the key (seed, t),
// so there is no random state, and saving and loading does not change them. All memory is allocated
// at the start. Once the window is full, an update sorts, which takes O(r log r).
class Kswin {
public:
    static constexpr std::string_view name = "kswin";
    static constexpr std::string_view type_name = "KSWIN";
    static constexpr std::string_view about =
        "The distribution of the last values compared with that of the values before them.";
    static constexpr DetectorInput input = DetectorInput::numbers;

    struct Parameters {
        double alpha = 0.005;
        std::uint32_t window_size = 100;  // n
        std::uint32_t stat_size = 30;     // r, at most half of n
        std::uint64_t seed = 0;           // up to 2^53

        template <class Self, class Visit>
        static void each_parameter(Self& self, Visit&& visit) {
            visit("alpha", self.alpha, Probability{},
                  "Accepted probability of a false alarm per value.");
            visit("window_size", self.window_size, Range{2.0, 1e6},
                  "Number of values in the window.");
            visit("stat_size", self.stat_size, Range{1.0, 4294967295.0},
                  "How many of the last values are compared, at most half of window_size.");
            visit("seed", self.seed, Range{0.0, 9007199254740992.0}, "Seed of the random draws.");
        }
        bool operator==(const Parameters&) const = default;
    };

    Kswin() : Kswin(Parameters{}) {}
    explicit Kswin(const Parameters&);

    Signal update(double x) noexcept;
    void reset() noexcept;

    [[nodiscard]] Signal signal() const noexcept { return signal_; }
    [[nodiscard]] double estimate() const noexcept;
    [[nodiscard]] std::uint64_t width() const noexcept { return held_; }
    [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }

    [[nodiscard]] std::size_t bytes() const noexcept;
    void save(std::vector<double>& out) const;
    [[nodiscard]] static Kswin restore(const Parameters&, std::span<const double>& rest);

private:
    [[nodiscard]] bool differ() noexcept;

    Parameters parameters_;
    double farthest_;  // r times the largest distance that is not a drift
    std::uint64_t seen_ = 0;
    std::uint32_t held_ = 0;
    Signal signal_ = Signal::none;
    Held<double> window_;  // [window_size]; the first `held_` are in use, oldest first
    Held<double> sorted_;  // working memory: the older part, then the last r
};

static_assert(Detector<Kswin>);

}  // namespace riparian
