#pragma once

#include <algorithm>
#include <cmath>

#include "../simd/scalar.hpp"
#include "parameters.hpp"
#include "state.hpp"

namespace riparian {

// Drift detection by Hoeffding's inequality for averages [frias2015]. Among all prefixes of the n
// values, the one with the smallest mean + sqrt(ln(1/delta) / (2 n')) is kept. It has n' values and
// the mean x. With z the mean of all values, the mean has risen, with confidence delta, if
//
//     z - x >= sqrt((n - n') / (2 n' n) ln(2/delta))
//
// If `two_sided_test`, a fall is tested in the same way against the prefix with the largest mean -
// sqrt(...). Delta is `drift_confidence` for a drift and for choosing the prefixes, and
// `warning_confidence` for a warning.
class HddmA {
public:
    static constexpr std::string_view name = "hddm-a";
    static constexpr std::string_view type_name = "HDDM_A";
    static constexpr std::string_view about =
        "The mean of numbers from 0 to 1, by Hoeffding's inequality.";
    static constexpr DetectorInput input = DetectorInput::shares;

    struct Parameters {
        double drift_confidence = 0.001;
        double warning_confidence = 0.005;
        bool two_sided_test = false;

        template <class Self, class Visit>
        static void each_parameter(Self& self, Visit&& visit) {
            visit("drift_confidence", self.drift_confidence, Probability{},
                  "Accepted probability of a false drift signal.");
            visit("warning_confidence", self.warning_confidence, Probability{},
                  "Accepted probability of a false warning.");
            visit("two_sided_test", self.two_sided_test, TrueOrFalse{},
                  "Whether a fall of the mean is detected as well.");
        }
        bool operator==(const Parameters&) const = default;
    };

    HddmA() : HddmA(Parameters{}) {}
    explicit HddmA(const Parameters& p) : parameters_(p) {
        require_declared(p);
        require_order("warning_confidence", p.warning_confidence, "drift_confidence",
                      p.drift_confidence);
        half_log_prefix_ = ln(1.0 / p.drift_confidence) / 2.0;
        half_log_drift_ = ln(2.0 / p.drift_confidence) / 2.0;
        half_log_warning_ = ln(2.0 / p.warning_confidence) / 2.0;
    }

    Signal update(double x) noexcept {
        if (signal_ == Signal::drift) reset();
        all_.n += 1.0;
        all_.sum += x;
        const double mean = all_.mean(), width = half_width(all_);
        if (low_.n == 0.0 || low_.mean() + half_width(low_) >= mean + width) low_ = all_;
        signal_ = verdict(low_, mean - low_.mean());
        if (parameters_.two_sided_test) {
            if (high_.n == 0.0 || high_.mean() - half_width(high_) <= mean - width) high_ = all_;
            signal_ = std::max(signal_, verdict(high_, high_.mean() - mean));
        }
        return signal_;
    }

    void reset() noexcept {
        all_ = low_ = high_ = Prefix{};
        signal_ = Signal::none;
    }

    [[nodiscard]] Signal signal() const noexcept { return signal_; }
    [[nodiscard]] double estimate() const noexcept { return all_.n > 0.0 ? all_.mean() : 0.0; }
    [[nodiscard]] std::uint64_t width() const noexcept {
        return static_cast<std::uint64_t>(all_.n);
    }
    [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(HddmA); }

    void save(std::vector<double>& out) const {
        out.push_back(static_cast<double>(signal_));
        for (const Prefix& p : {all_, low_, high_}) out.insert(out.end(), {p.n, p.sum});
    }
    [[nodiscard]] static HddmA restore(const Parameters& p, std::span<const double>& rest) {
        HddmA d(p);
        StateReader in(rest);
        d.signal_ = in.signal(true);
        const auto prefix = [&](std::uint64_t least, std::uint64_t most) {
            Prefix q;
            q.n = static_cast<double>(in.count(least, most, "the number of values"));
            q.sum = in.number(0.0, q.n * (1.0 + 1e-6), "the sum of values");
            return q;
        };
        d.all_ = prefix(0, most_values);
        const std::uint64_t n = d.width(), one = n > 0;
        d.low_ = prefix(one, n);
        d.high_ = p.two_sided_test ? prefix(one, n) : prefix(0, 0);
        return d;
    }

private:
    struct Prefix {
        double n = 0.0;
        double sum = 0.0;
        [[nodiscard]] double mean() const noexcept { return sum / n; }
    };

    [[nodiscard]] double half_width(const Prefix& p) const noexcept {
        return std::sqrt(half_log_prefix_ / p.n);
    }
    [[nodiscard]] Signal verdict(const Prefix& prefix, double apart) const noexcept {
        if (prefix.n == all_.n) return Signal::none;
        const double m = (all_.n - prefix.n) / prefix.n / all_.n;
        if (apart >= std::sqrt(m * half_log_drift_)) return Signal::drift;
        return apart >= std::sqrt(m * half_log_warning_) ? Signal::warning : Signal::none;
    }

    Parameters parameters_;
    double half_log_prefix_;
    double half_log_drift_;
    double half_log_warning_;
    Prefix all_, low_, high_;
    Signal signal_ = Signal::none;
};

static_assert(Detector<HddmA>);

}  // namespace riparian
