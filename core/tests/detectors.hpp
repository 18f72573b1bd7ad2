// Saves and restores detectors, and makes errors for them to detect.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "../drift/any.hpp"
#include "checking.hpp"
#include "examples.hpp"

namespace detectors {

using namespace riparian;
using examples::Dice;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

template <class D>
inline std::vector<double> saved(const D& d) {
    std::vector<double> out;
    d.save(out);
    return out;
}

template <class D>
inline D restored(const typename D::Parameters& p, const std::vector<double>& state) {
    std::span<const double> rest(state);
    D d = D::restore(p, rest);
    CHECK(rest.empty());
    return d;
}

// Errors whose rate changes sometimes.
struct Errors {
    Dice dice;
    double rate = 0.2;
    std::size_t i = 0;
    double next() {
        if (++i % 1500 == 0) rate = dice.uniform();
        return dice.chance(rate) ? 1.0 : 0.0;
    }
};

}  // namespace detectors
