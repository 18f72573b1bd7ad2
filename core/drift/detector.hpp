// The contract of drift detectors. A detector reads one number per row, such as the error of a
// model, and signals when it has changed.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "../policy.hpp"

namespace riparian {

enum class Signal : std::uint8_t { none, warning, drift };

// The absolute value of an input is at most this, so that no sum of squares overflows.
inline constexpr double largest_input = 1e100;

// Which numbers a detector accepts: errors of 0 or 1, numbers from 0 to 1, or any numbers.
enum class DetectorInput : std::uint8_t { errors, shares, numbers };

[[nodiscard]] constexpr bool accepts(DetectorInput what, double x) noexcept {
    if (what == DetectorInput::errors) return x == 0.0 || x == 1.0;
    if (what == DetectorInput::shares) return x >= 0.0 && x <= 1.0;
    return x >= -largest_input && x <= largest_input;  // false for NaN
}

// A detector is a value; a copy is independent of the original. `update` fails only if memory runs
// out, and then the detector is unchanged. After a drift signal a detector starts again with the
// next value, unless it documents otherwise. The constructor and `restore` check parameters and
// states and throw std::invalid_argument with the reason.
//
//     input       the numbers that `update` accepts; the caller checks them with `accepts`
//     estimate()  the mean of the present concept, 0 if nothing is known about it
//     width()     how many values the estimate covers
//     signal()    the result of the last update
//     save(out)   appends the state as numbers; restore(parameters, rest) reads it from the front
//                 of `rest`, and the detector continues as if it had not been saved
//     Parameters  a struct that declares its fields as a policy does (policy.hpp)
//     bytes()     of the object and of what it has allocated; the latter is charged to the account
//                 of memory/account.hpp
template <class D>
concept Detector = std::copyable<D> && std::default_initializable<typename D::Parameters> &&
                   std::constructible_from<D, const typename D::Parameters&> &&
                   requires(D d, const D c, const typename D::Parameters& p, double x,
                            std::vector<double>& out, std::span<const double>& rest) {
                       { D::name } -> std::convertible_to<std::string_view>;
                       { D::input } -> std::convertible_to<DetectorInput>;
                       { d.update(x) } -> std::same_as<Signal>;
                       { d.reset() } noexcept;
                       { c.signal() } noexcept -> std::same_as<Signal>;
                       { c.estimate() } noexcept -> std::same_as<double>;
                       { c.width() } noexcept -> std::same_as<std::uint64_t>;
                       { c.parameters() } noexcept -> std::same_as<const typename D::Parameters&>;
                       { c.bytes() } noexcept -> std::same_as<std::size_t>;
                       c.save(out);
                       { D::restore(p, rest) } -> std::same_as<D>;
                   };

}  // namespace riparian
