// Watches one number a row, such as a model's error, and says when it has changed.
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

// What a detector is told must lie within this, so that no sum of squares overflows.
inline constexpr double largest_watched = 1e100;

// What a detector's inequality is about: errors of 0 or 1, numbers from 0 to 1, any numbers.
enum class Watches : std::uint8_t { errors, shares, numbers };

[[nodiscard]] constexpr bool may_watch(Watches what, double x) noexcept {
    if (what == Watches::errors) return x == 0.0 || x == 1.0;
    if (what == Watches::shares) return x >= 0.0 && x <= 1.0;
    return x >= -largest_watched && x <= largest_watched;  // nor NaN
}

// A detector is a value: a copy goes its own way. `update` never fails but for want of
// memory, and then the detector is as it was. One that signals drift starts anew with the
// next value, unless it says otherwise. Parameters and states from outside are checked where
// they come in: the constructor and `restore` throw std::invalid_argument with the reason.
//
//     watches     what `update` may be told; the caller sees to it (`may_watch`)
//     estimate()  the mean of the present concept, 0 if nothing is known of it
//     width()     the values that it is about
//     signal()    what the last update said
//     save(out)   appends the state, numbers only; restore(parameters, rest) takes it from
//                 the front of `rest` and goes on as if never saved
//     Parameters  a struct that declares its fields as a policy does (policy.hpp)
//     bytes()     of the object and of what it has allocated; the latter is on the account
//                 of memory/account.hpp
template <class D>
concept Detector =
    std::copyable<D> && std::default_initializable<typename D::Parameters> &&
    std::constructible_from<D, const typename D::Parameters&> &&
    requires(D d, const D c, const typename D::Parameters& p, double x, std::vector<double>& out,
             std::span<const double>& rest) {
        { D::name } -> std::convertible_to<std::string_view>;
        { D::watches } -> std::convertible_to<Watches>;
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
