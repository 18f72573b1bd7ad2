#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "../memory/account.hpp"
#include "../simd/scalar.hpp"
#include "parameters.hpp"
#include "state.hpp"

namespace riparian {

// The fast Hoeffding drift detection method [pesaranghader2016]. p is the share of correct
// predictions among the last n, and p_max the largest such share so far. A drift is reported if
//
//     p_max - p >= sqrt(ln(1 / delta) / (2 n))
//
// Nothing is decided before the window is full. There are no warnings.
class Fhddm {
public:
    static constexpr std::string_view name = "fhddm";
    static constexpr std::string_view type_name = "FHDDM";
    static constexpr std::string_view about =
        "The share of correct predictions in a window, by Hoeffding's inequality.";
    static constexpr DetectorInput input = DetectorInput::errors;

    struct Parameters {
        double delta = 1e-6;
        std::uint32_t window_size = 100;

        template <class Self, class Visit>
        static void each_parameter(Self& self, Visit&& visit) {
            visit("delta", self.delta, Probability{}, "Accepted probability of a false alarm.");
            visit("window_size", self.window_size, Range{1.0, 1e6},
                  "Number of values in the window.");
        }
        bool operator==(const Parameters&) const = default;
    };

    Fhddm() : Fhddm(Parameters{}) {}
    explicit Fhddm(const Parameters& p) : parameters_(p) {
        require_declared(p);
        const auto n = static_cast<double>(p.window_size);
        least_fall_ = std::sqrt(ln(1.0 / p.delta) / (2.0 * n));
        window_.resize(p.window_size);
    }

    Signal update(double x) noexcept {
        if (signal_ == Signal::drift) reset();
        const std::uint8_t right = x == 0.0 ? 1 : 0;
        if (seen_ >= window_.size()) rights_ -= window_[next_];
        window_[next_] = right;
        rights_ += right;
        next_ = (next_ + 1) % window_.size();
        ++seen_;
        if (seen_ < window_.size()) return signal_;
        most_ = rights_ > most_ ? rights_ : most_;
        const auto n = static_cast<double>(window_.size());
        const bool fell = static_cast<double>(most_ - rights_) / n >= least_fall_;
        return signal_ = fell ? Signal::drift : Signal::none;
    }

    void reset() noexcept {
        seen_ = next_ = rights_ = most_ = 0;
        signal_ = Signal::none;
    }

    [[nodiscard]] Signal signal() const noexcept { return signal_; }
    // The error rate over the window.
    [[nodiscard]] double estimate() const noexcept {
        const std::uint64_t n = width();
        return n ? static_cast<double>(n - rights_) / static_cast<double>(n) : 0.0;
    }
    [[nodiscard]] std::uint64_t width() const noexcept {
        return seen_ < window_.size() ? seen_ : window_.size();
    }
    [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(Fhddm) + window_.capacity(); }

    // Saves the window, starting with its oldest value.
    void save(std::vector<double>& out) const {
        const std::uint64_t n = width();
        out.insert(out.end(), {static_cast<double>(signal_), static_cast<double>(n),
                               static_cast<double>(most_)});
        const std::size_t first = seen_ < window_.size() ? 0 : next_;
        for (std::size_t i = 0; i < n; ++i) {
            out.push_back(window_[(first + i) % window_.size()]);
        }
    }
    [[nodiscard]] static Fhddm restore(const Parameters& p, std::span<const double>& rest) {
        Fhddm d(p);
        StateReader in(rest);
        d.signal_ = in.signal(false);
        const std::uint64_t n = in.count(0, d.window_.size(), "the number of values");
        d.most_ = in.count(0, d.window_.size(), "the most correct predictions");
        for (std::uint64_t i = 0; i < n; ++i) {
            d.window_[i] = static_cast<std::uint8_t>(in.count(0, 1, "a value of the window"));
            d.rights_ += d.window_[i];
        }
        d.seen_ = n;
        d.next_ = static_cast<std::size_t>(n) % d.window_.size();
        if (n == d.window_.size() ? d.most_ < d.rights_ : d.most_ != 0) {
            throw std::invalid_argument("state of a detector: the most correct predictions");
        }
        return d;
    }

private:
    Parameters parameters_;
    Held<std::uint8_t> window_;  // [value]: 1 for a correct prediction
    std::uint64_t seen_ = 0;     // number of values seen
    std::size_t next_ = 0;       // where the next value goes
    std::uint64_t rights_ = 0, most_ = 0;
    double least_fall_ = 0.0;
    Signal signal_ = Signal::none;
};

static_assert(Detector<Fhddm>);

}  // namespace riparian
