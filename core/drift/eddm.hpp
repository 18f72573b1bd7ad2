#pragma once

#include <cmath>

#include "parameters.hpp"
#include "state.hpp"

namespace riparian {

// Early drift detection method [baena2006]. As a learner improves, the distance between its errors
// grows. With the mean p' and the sample standard deviation s' of the distances between errors, and
// the largest p' + 2 s' so far,
//
//     level = (p' + 2 s') / (p'_max + 2 s'_max):    warning below alpha, drift below beta
//
// after the first `warm_start` errors. The test is made at each error; in between the signal stays.
class Eddm {
public:
    static constexpr std::string_view name = "eddm";
    static constexpr std::string_view type_name = "EDDM";
    static constexpr std::string_view about =
        "The distance between errors, which should not shrink.";
    static constexpr DetectorInput input = DetectorInput::errors;

    struct Parameters {
        std::uint32_t warm_start = 30;
        double alpha = 0.95;
        double beta = 0.9;

        template <class Self, class Visit>
        static void each_parameter(Self& self, Visit&& visit) {
            visit("warm_start", self.warm_start, Range{0.0, 4294967295.0},
                  "Number of errors before the first signal.");
            visit("alpha", self.alpha, Range{0.0, 1.0},
                  "Warn if the distance falls below this share of its maximum.");
            visit("beta", self.beta, Range{0.0, 1.0},
                  "Report drift if it falls below this share of its maximum.");
        }
        bool operator==(const Parameters&) const = default;
    };

    Eddm() = default;
    explicit Eddm(const Parameters& p) : parameters_(p) {
        require_declared(p);
        require_order("alpha", p.alpha, "beta", p.beta);
    }

    Signal update(double x) noexcept {
        if (signal_ == Signal::drift) reset();
        n_ += 1.0;
        if (x == 0.0) return signal_;
        errors_ += 1.0;
        const double distance = n_ - last_error_;
        last_error_ = n_;
        const double apart = distance - mean_;
        mean_ += apart / errors_;
        squares_ += apart * (distance - mean_);
        if (n_ <= parameters_.warm_start) return signal_;
        const double s = errors_ > 1.0 ? std::sqrt(squares_ / (errors_ - 1.0)) : 0.0;
        const double now = mean_ + 2.0 * s;
        signal_ = Signal::none;
        if (now > most_) {
            most_ = now;
        } else if (errors_ > parameters_.warm_start) {
            const double level = now / most_;
            if (level < parameters_.alpha) signal_ = Signal::warning;
            if (level < parameters_.beta) signal_ = Signal::drift;
        }
        return signal_;
    }

    void reset() noexcept { *this = Eddm(parameters_, Unchecked{}); }

    [[nodiscard]] Signal signal() const noexcept { return signal_; }
    // The error rate.
    [[nodiscard]] double estimate() const noexcept { return n_ > 0.0 ? errors_ / n_ : 0.0; }
    [[nodiscard]] std::uint64_t width() const noexcept { return static_cast<std::uint64_t>(n_); }
    [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(Eddm); }

    void save(std::vector<double>& out) const {
        out.insert(out.end(), {static_cast<double>(signal_), n_, errors_, last_error_, mean_,
                               squares_, most_});
    }
    [[nodiscard]] static Eddm restore(const Parameters& p, std::span<const double>& rest) {
        Eddm d(p);
        StateReader in(rest);
        const auto count = [&](double most, const char* what) {
            return static_cast<double>(in.count(0, static_cast<std::uint64_t>(most), what));
        };
        d.signal_ = in.signal(true);
        d.n_ = count(static_cast<double>(most_values), "the number of values");
        d.errors_ = count(d.n_, "the number of errors");
        d.last_error_ = count(d.n_, "the place of the last error");
        d.mean_ = in.number(0.0, d.n_, "the mean distance");
        d.squares_ = in.number(0.0, 1e32, "the squares of the distances");
        d.most_ = in.number(0.0, 1e17, "the largest level");
        require(d.last_error_ >= d.errors_, "more errors than values");
        return d;
    }

private:
    struct Unchecked {};
    Eddm(const Parameters& p, Unchecked) noexcept : parameters_(p) {}

    Parameters parameters_;
    double n_ = 0.0;
    double errors_ = 0.0;
    double last_error_ = 0.0;  // its position in the stream
    double mean_ = 0.0;        // mean of the distances
    double squares_ = 0.0;     // squared deviations of the distances from their mean
    double most_ = 0.0;        // p'_max + 2 s'_max
    Signal signal_ = Signal::none;
};

static_assert(Detector<Eddm>);

}  // namespace riparian
