// Policies, as Python writes them: a name, and the parameters that were given.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "../core/declaration.hpp"
#include "../core/impurity/any.hpp"
#include "../core/named.hpp"
#include "functions.hpp"

// Sets each field that is given. Python has checked the values (src/riparian/policies).
struct SetParameters {
    const nanobind::dict& given;

    template <class T, class Allowed>
    void operator()(const char* name, T& field, const Allowed& allowed, const char*) const {
        if (!given.contains(name)) return;
        const nanobind::handle value = given[name];
        if constexpr (std::is_enum_v<T>) {
            const auto chosen = nanobind::cast<std::string>(value);
            const auto at = std::find(allowed.names.begin(), allowed.names.end(), chosen);
            if (at == allowed.names.end()) throw std::invalid_argument("unknown " + chosen);
            field = static_cast<T>(at - allowed.names.begin());
        } else if constexpr (std::is_same_v<T, std::shared_ptr<const riparian::WindowFunction>>) {
            if (!value.is_none()) field = window_function(nanobind::borrow(value));
        } else if constexpr (requires {
                                 typename T::value_type;
                                 field.reset();
                             }) {
            if (!value.is_none()) field = nanobind::cast<typename T::value_type>(value);
        } else if constexpr (std::is_same_v<Allowed, riparian::LimitOrNone>) {
            if (!value.is_none()) field = nanobind::cast<T>(value);
        } else {
            field = nanobind::cast<T>(value);
        }
    }
};

// `given`: (name, {parameter: value}).
template <class Variant>
Variant policy_of(const nanobind::handle& given) {
    const auto pair = nanobind::cast<nanobind::tuple>(given);
    const auto name = nanobind::cast<std::string>(pair[0]);
    const auto parameters = nanobind::cast<nanobind::dict>(pair[1]);
    std::optional<Variant> policy = riparian::by_name<Variant>(name);
    if (!policy) throw std::invalid_argument("unknown policy " + name);
    std::visit(
        [&]<class Policy>(Policy& p) {
            const SetParameters set{parameters};
            if constexpr (requires { Policy::each_parameter(p, set); })
                Policy::each_parameter(p, set);
            if constexpr (requires { p.contradiction(); }) {
                if (const std::string why = p.contradiction(); !why.empty()) {
                    throw std::invalid_argument(name + ": " + why);
                }
            }
        },
        *policy);
    return *policy;
}

riparian::ImpurityChoice impurity_of(const nanobind::handle&);
