#pragma once

#include <cmath>

#include "parameters.hpp"
#include "state.hpp"

namespace riparian {

// Drift detection method [gama2004drift]. The error rate p of a learner falls as long as the
// concept does not change. With s = sqrt(p (1 - p) / n) and the smallest p + s so far, p_min +
// s_min,
//
//     warning:  p + s > p_min + 2 s_min        drift:  p + s > p_min + 3 s_min
//
// after the first `warm_start` values. The paper prints >=, which would report a drift for a
// learner without any error.
class Ddm {
public:
    static constexpr std::string_view name = "ddm";
    static constexpr std::string_view type_name = "DDM";
    static constexpr std::string_view about =
        "The error rate of a learner, which should not rise above its minimum.";
    static constexpr DetectorInput input = DetectorInput::errors;

    struct Parameters {
        std::uint32_t warm_start = 30;
        double warning_threshold = 2.0;
        double drift_threshold = 3.0;

        template <class Self, class Visit>
        static void each_parameter(Self& self, Visit&& visit) {
            visit("warm_start", self.warm_start, Range{0.0, 4294967295.0},
                  "Number of values before the first signal.");
            visit("warning_threshold", self.warning_threshold, Range{0.0, 1e6},
                  "Warn if the error rate is this many deviations above its minimum.");
            visit("drift_threshold", self.drift_threshold, Range{0.0, 1e6},
                  "Report drift if it is this many deviations above its minimum.");
        }
        bool operator==(const Parameters&) const = default;
    };

    Ddm() = default;
    explicit Ddm(const Parameters& p) : parameters_(p) {
        require_declared(p);
        require_order("drift_threshold", p.drift_threshold, "warning_threshold",
                      p.warning_threshold);
    }

    Signal update(double x) noexcept {
        if (signal_ == Signal::drift) reset();
        n_ += 1.0;
        errors_ += x;
        if (n_ <= parameters_.warm_start) return signal_;
        const double p = errors_ / n_;
        const double s = std::sqrt(p * (1.0 - p) / n_);
        if (p + s <= p_min_ + s_min_) {
            p_min_ = p;
            s_min_ = s;
        }
        signal_ = p + s > p_min_ + parameters_.drift_threshold * s_min_     ? Signal::drift
                  : p + s > p_min_ + parameters_.warning_threshold * s_min_ ? Signal::warning
                                                                            : Signal::none;
        return signal_;
    }

    void reset() noexcept { *this = Ddm(parameters_, Unchecked{}); }

    [[nodiscard]] Signal signal() const noexcept { return signal_; }
    [[nodiscard]] double estimate() const noexcept { return n_ > 0.0 ? errors_ / n_ : 0.0; }
    [[nodiscard]] std::uint64_t width() const noexcept { return static_cast<std::uint64_t>(n_); }
    [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(Ddm); }

    void save(std::vector<double>& out) const {
        out.insert(out.end(), {static_cast<double>(signal_), n_, errors_, p_min_, s_min_});
    }
    [[nodiscard]] static Ddm restore(const Parameters& p, std::span<const double>& rest) {
        Ddm d(p);
        StateReader in(rest);
        d.signal_ = in.signal(true);
        d.n_ = static_cast<double>(in.count(0, most_values, "the number of values"));
        d.errors_ = static_cast<double>(
            in.count(0, static_cast<std::uint64_t>(d.n_), "the number of errors"));
        d.p_min_ = in.number(0.0, 1.0, "the smallest error rate");
        d.s_min_ = in.number(0.0, 1.0, "its deviation");
        return d;
    }

private:
    struct Unchecked {};
    Ddm(const Parameters& p, Unchecked) noexcept : parameters_(p) {}

    Parameters parameters_;
    double n_ = 0.0;
    double errors_ = 0.0;
    double p_min_ = 1.0;  // with s_min_ larger than every p + s
    double s_min_ = 1.0;
    Signal signal_ = Signal::none;
};

static_assert(Detector<Ddm>);

}  // namespace riparian
