#pragma once

#include <algorithm>

#include "parameters.hpp"
#include "state.hpp"

namespace riparian {

enum class Direction : std::uint8_t { up, down, both };

// Page's cumulative sum [page1954] around the running mean, in Hinkley's form, with forgetting:
//
//     up_t   = alpha up_{t-1}   + (x_t - mean_t - delta),    drift if up_t - min up > threshold
//     down_t = alpha down_{t-1} + (x_t - mean_t + delta),    drift if max down - down_t > threshold
//
// from value number `min_instances` on. Delta is the change that is tolerated, and the threshold
// has the unit of the values.
class PageHinkley {
public:
    static constexpr std::string_view name = "page-hinkley";
    static constexpr std::string_view type_name = "PageHinkley";
    static constexpr std::string_view about = "The mean of any numbers, by cumulative sums.";
    static constexpr DetectorInput input = DetectorInput::numbers;

    struct Parameters {
        std::uint32_t min_instances = 30;
        double delta = 0.005;
        double threshold = 50.0;
        double alpha = 0.9999;
        Direction mode = Direction::both;

        template <class Self, class Visit>
        static void each_parameter(Self& self, Visit&& visit) {
            visit("min_instances", self.min_instances, Range{0.0, 4294967295.0},
                  "Number of values before the first signal.");
            visit("delta", self.delta, Range{0.0, largest_input},
                  "Change of the mean that is tolerated.");
            visit("threshold", self.threshold, Range{0.0, 1e300},
                  "Report drift if the sum of the deviations exceeds this.");
            visit("alpha", self.alpha, Range{0.0, 1.0},
                  "Factor that multiplies the sums at each value, to forget slowly.");
            visit("mode", self.mode, OneOf("up", "down", "both"),
                  "Which changes of the mean are detected.");
        }
        bool operator==(const Parameters&) const = default;
    };

    PageHinkley() = default;
    explicit PageHinkley(const Parameters& p) : parameters_(p) { require_declared(p); }

    Signal update(double x) noexcept {
        if (signal_ == Signal::drift) reset();
        const bool first = n_ == 0.0;
        n_ += 1.0;
        mean_ += (x - mean_) / n_;
        const double apart = x - mean_;
        up_ = parameters_.alpha * up_ + apart - parameters_.delta;
        down_ = parameters_.alpha * down_ + apart + parameters_.delta;
        least_ = first ? up_ : std::min(least_, up_);
        most_ = first ? down_ : std::max(most_, down_);
        if (n_ < parameters_.min_instances) return signal_;
        const bool rose =
            parameters_.mode != Direction::down && up_ - least_ > parameters_.threshold;
        const bool fell =
            parameters_.mode != Direction::up && most_ - down_ > parameters_.threshold;
        if (rose || fell) signal_ = Signal::drift;
        return signal_;
    }

    void reset() noexcept { *this = PageHinkley(parameters_, Unchecked{}); }

    [[nodiscard]] Signal signal() const noexcept { return signal_; }
    [[nodiscard]] double estimate() const noexcept { return mean_; }
    [[nodiscard]] std::uint64_t width() const noexcept { return static_cast<std::uint64_t>(n_); }
    [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(PageHinkley); }

    void save(std::vector<double>& out) const {
        out.insert(out.end(), {static_cast<double>(signal_), n_, mean_, up_, down_, least_, most_});
    }
    [[nodiscard]] static PageHinkley restore(const Parameters& p, std::span<const double>& rest) {
        constexpr double far = 1e118;  // 2^53 steps of 3 largest_input
        PageHinkley d(p);
        StateReader in(rest);
        d.signal_ = in.signal(false);
        d.n_ = static_cast<double>(in.count(0, most_values, "the number of values"));
        d.mean_ = in.number(-largest_input, largest_input, "the mean");
        d.up_ = in.number(-far, far, "the sum upwards");
        d.down_ = in.number(-far, far, "the sum downwards");
        d.least_ = in.number(-far, d.up_, "the smallest sum");
        d.most_ = in.number(d.down_, far, "the largest sum");
        return d;
    }

private:
    struct Unchecked {};
    PageHinkley(const Parameters& p, Unchecked) noexcept : parameters_(p) {}

    Parameters parameters_;
    double n_ = 0.0;
    double mean_ = 0.0;
    double up_ = 0.0;
    double down_ = 0.0;
    double least_ = 0.0;  // smallest up_
    double most_ = 0.0;   // largest down_
    Signal signal_ = Signal::none;
};

static_assert(Detector<PageHinkley>);

}  // namespace riparian
