#pragma once

#include <algorithm>
#include <cmath>

#include "../simd/scalar.hpp"
#include "parameters.hpp"
#include "state.hpp"

namespace riparian {

// Drift detection by McDiarmid's inequality for weighted averages [frias2015]. A moving average and
// the sum of its squared weights are
//
//     e_1 = x_1, v_1 = 1;    e_t = lambda x_t + (1 - lambda) e_{t-1},
//                            v_t = lambda^2 + (1 - lambda)^2 v_{t-1}
//
// The stream is cut at the smallest e + sqrt(v ln(1/delta) / 2). The average up to there is e1, v1;
// a new average from there on is e2, v2. The mean has risen, with confidence delta, if
//
//     e2 - e1 > sqrt((v1 + v2) ln(1/delta) / 2)
//
// If `two_sided_test`, a fall is tested in the same way after the largest e - sqrt(...). Delta is
// `drift_confidence` for a drift and for the cut, and `warning_confidence` for a warning.
class HddmW {
public:
    static constexpr std::string_view name = "hddm-w";
    static constexpr std::string_view type_name = "HDDM_W";
    static constexpr std::string_view about =
        "A weighted mean of numbers from 0 to 1, by McDiarmid's inequality.";
    static constexpr DetectorInput input = DetectorInput::shares;

    struct Parameters {
        double drift_confidence = 0.001;
        double warning_confidence = 0.005;
        double lambda_val = 0.05;
        bool two_sided_test = false;

        template <class Self, class Visit>
        static void each_parameter(Self& self, Visit&& visit) {
            visit("drift_confidence", self.drift_confidence, Probability{},
                  "Accepted probability of a false drift signal.");
            visit("warning_confidence", self.warning_confidence, Probability{},
                  "Accepted probability of a false warning.");
            visit("lambda_val", self.lambda_val, Probability{},
                  "Weight of the newest value in the mean.");
            visit("two_sided_test", self.two_sided_test, TrueOrFalse{},
                  "Whether a fall of the mean is detected as well.");
        }
        bool operator==(const Parameters&) const = default;
    };

    HddmW() : HddmW(Parameters{}) {}
    explicit HddmW(const Parameters& p) : parameters_(p) {
        require_declared(p);
        require_order("warning_confidence", p.warning_confidence, "drift_confidence",
                      p.drift_confidence);
        half_log_drift_ = ln(1.0 / p.drift_confidence) / 2.0;
        half_log_warning_ = ln(1.0 / p.warning_confidence) / 2.0;
    }

    Signal update(double x) noexcept {
        if (signal_ == Signal::drift) reset();
        n_ += 1.0;
        learn(all_, x);
        const double width = std::sqrt(all_.weight * half_log_drift_);
        move_cut(rise_, all_.mean + width, x);
        signal_ = verdict(rise_, rise_.after.mean - rise_.before.mean);
        if (parameters_.two_sided_test) {
            move_cut(fall_, width - all_.mean, x);
            signal_ = std::max(signal_, verdict(fall_, fall_.before.mean - fall_.after.mean));
        }
        return signal_;
    }

    void reset() noexcept {
        n_ = 0.0;
        all_ = Average{};
        rise_ = fall_ = Cut{};
        signal_ = Signal::none;
    }

    [[nodiscard]] Signal signal() const noexcept { return signal_; }
    [[nodiscard]] double estimate() const noexcept { return all_.mean; }
    [[nodiscard]] std::uint64_t width() const noexcept { return static_cast<std::uint64_t>(n_); }
    [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(HddmW); }

    void save(std::vector<double>& out) const {
        out.insert(out.end(), {static_cast<double>(signal_), n_, all_.mean, all_.weight});
        for (const Cut& c : {rise_, fall_}) {
            out.insert(out.end(),
                       {c.least, c.before.mean, c.before.weight, c.after.mean, c.after.weight});
        }
    }
    [[nodiscard]] static HddmW restore(const Parameters& p, std::span<const double>& rest) {
        constexpr double one = 1.0 + 1e-6;  // averages may be rounded
        HddmW d(p);
        StateReader in(rest);
        const auto average = [&] {
            Average a;
            a.mean = in.number(0.0, one, "an average");
            a.weight = in.number(0.0, one, "the weights of an average");
            return a;
        };
        d.signal_ = in.signal(true);
        d.n_ = static_cast<double>(in.count(0, most_values, "the number of values"));
        d.all_ = average();
        for (Cut* const c : {&d.rise_, &d.fall_}) {
            c->least = in.number(-one, nowhere, "the cut");
            c->before = average();
            c->after = average();
            const bool cut = c->before.weight > 0.0;
            require(cut ? c->least <= 20.0 : c->least == nowhere && c->after.weight == 0.0,
                    "there is a cut without an average before it");
        }
        return d;
    }

private:
    static constexpr double nowhere = 1e300;

    struct Average {
        double mean = 0.0;
        double weight = 0.0;  // sum of the squared weights; 0 before the first value
    };
    struct Cut {
        double least = nowhere;
        Average before, after;
    };

    void learn(Average& a, double x) const noexcept {
        const double l = parameters_.lambda_val, rest = 1.0 - l;
        const bool first = a.weight == 0.0;
        a.mean = first ? x : l * x + rest * a.mean;
        a.weight = first ? 1.0 : l * l + rest * rest * a.weight;
    }
    void move_cut(Cut& c, double bound, double x) const noexcept {
        if (bound < c.least) {
            c = {bound, all_, Average{}};
        } else {
            learn(c.after, x);
        }
    }
    [[nodiscard]] Signal verdict(const Cut& c, double apart) const noexcept {
        if (c.after.weight == 0.0) return Signal::none;
        const double weight = c.before.weight + c.after.weight;
        if (apart > std::sqrt(weight * half_log_drift_)) return Signal::drift;
        return apart > std::sqrt(weight * half_log_warning_) ? Signal::warning : Signal::none;
    }

    Parameters parameters_;
    double half_log_drift_;
    double half_log_warning_;
    double n_ = 0.0;
    Average all_;
    Cut rise_, fall_;
    Signal signal_ = Signal::none;
};

static_assert(Detector<HddmW>);

}  // namespace riparian
