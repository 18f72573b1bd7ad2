// The list of all drift detectors. A new detector is a new file and an entry here.
#pragma once

#include <variant>

#include "adwin.hpp"
#include "custom.hpp"
#include "ddm.hpp"
#include "eddm.hpp"
#include "fhddm.hpp"
#include "hddm_a.hpp"
#include "hddm_w.hpp"
#include "kswin.hpp"
#include "page_hinkley.hpp"

namespace riparian {

using AnyDetector =
    std::variant<Adwin, Ddm, Eddm, HddmA, HddmW, Kswin, PageHinkley, Fhddm, CustomDetector>;

[[nodiscard]] inline DetectorInput input_of(const AnyDetector& detector) noexcept {
    return std::visit([](const auto& d) { return d.input; }, detector);
}

inline Signal update(AnyDetector& detector, double x) {
    return std::visit([&](auto& d) { return d.update(x); }, detector);
}

[[nodiscard]] inline double estimate(const AnyDetector& detector) noexcept {
    return std::visit([](const auto& d) { return d.estimate(); }, detector);
}

// A new detector of the same kind. `set(name, value, rule, help)` is called for each parameter of
// `like` and may change the value.
template <class Set>
[[nodiscard]] AnyDetector fresh(const AnyDetector& like, Set&& set) {
    return std::visit(
        [&]<class D>(const D& d) {
            typename D::Parameters p = d.parameters();
            D::Parameters::each_parameter(p, set);
            return AnyDetector(D(p));
        },
        like);
}

// Restores a detector of the same kind with the parameters of `like`.
[[nodiscard]] inline AnyDetector restore(const AnyDetector& like, std::span<const double>& rest) {
    return std::visit(
        [&]<class D>(const D& d) { return AnyDetector(D::restore(d.parameters(), rest)); }, like);
}

}  // namespace riparian
