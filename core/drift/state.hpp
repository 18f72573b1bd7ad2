// Reads a saved detector and checks every number.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "detector.hpp"

namespace riparian {

inline void require(bool holds, const char* why) {
    if (!holds) throw std::invalid_argument(std::string("state of a detector: ") + why);
}

class StateReader {
public:
    explicit StateReader(std::span<const double>& rest) noexcept : rest_(&rest) {}

    // A number from `low` to `high`.
    double number(double low, double high, const char* what) {
        require(!rest_->empty(), "it ends too early");
        const double x = rest_->front();
        if (!(x >= low && x <= high)) {  // also true for NaN
            throw std::invalid_argument(std::string("state of a detector: ") + what +
                                        " is out of range");
        }
        *rest_ = rest_->subspan(1);
        return x;
    }

    // A whole number from `low` to `high`, at most 2^53.
    std::uint64_t count(std::uint64_t low, std::uint64_t high, const char* what) {
        const double x = number(static_cast<double>(low), static_cast<double>(high), what);
        if (x != std::floor(x)) {
            throw std::invalid_argument(std::string("state of a detector: ") + what +
                                        " is not a whole number");
        }
        return static_cast<std::uint64_t>(x);
    }

    Signal signal(bool may_warn) {
        const auto s = static_cast<Signal>(count(0, 2, "the signal"));
        require(may_warn || s != Signal::warning, "this detector gives no warnings");
        return s;
    }

private:
    std::span<const double>* rest_;
};

inline constexpr std::uint64_t most_values = std::uint64_t{1} << 53;

}  // namespace riparian
