// Reads what a policy declares (policy.hpp) into one table.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "policy.hpp"

namespace riparian {

struct ParameterDeclaration {
    enum class Kind : std::uint8_t { number, whole, probability, truth, choice, function };
    using Default = std::variant<std::monostate, bool, double, std::string_view>;

    std::string_view name{}, help{};
    Kind kind = Kind::number;
    Default standard{};  // empty for a parameter that has no default
    double least = 0.0, most = 0.0;
    bool optional = false;  // None is allowed
    std::vector<std::string_view> choices{};
};

struct PolicyDeclaration {
    std::string_view name, type_name, about;
    std::vector<ParameterDeclaration> parameters;
    std::vector<Rule> rules;
    std::string_view theorem;  // what the promise rests on
    std::vector<Rule> premises;
    // it cannot learn uncertain values where one of these holds
    std::vector<Condition> certain_only;
    // what it needs to learn sparse rows
    std::vector<Rule> sparse_rules;
    std::vector<MeanGain> mean_gains;
    // the impurities that a bound was derived for; empty means all
    std::vector<std::string_view> serves;
    std::vector<Promise> promises;
    std::string_view promise, promise_for_means;
    std::string_view spending;
    double most_delta = 1.0;
    std::string_view input;  // the numbers that a drift detector accepts
};

namespace detail {

template <class T>
struct Unwrapped {
    using type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
    using type = T;
};

struct Describe {
    std::vector<ParameterDeclaration>& out;

    template <class T>
    void operator()(std::string_view name, const T& field, const Range& range,
                    std::string_view help) const {
        using Kind = ParameterDeclaration::Kind;
        using Number = typename Unwrapped<T>::type;
        ParameterDeclaration p{name, help};
        p.kind = std::is_integral_v<Number> ? Kind::whole : Kind::number;
        p.least = range.least;
        p.most = range.most;
        if constexpr (std::is_same_v<T, Number>) {
            p.standard = static_cast<double>(field);
        } else {
            p.optional = true;
        }
        out.push_back(p);
    }
    void operator()(std::string_view name, std::size_t, const LimitOrNone& range,
                    std::string_view help) const {
        ParameterDeclaration p{name, help, ParameterDeclaration::Kind::whole};
        p.least = range.least;
        p.most = range.most;
        p.optional = true;
        out.push_back(p);
    }
    void operator()(std::string_view name, double field, Probability, std::string_view help) const {
        ParameterDeclaration p{name, help, ParameterDeclaration::Kind::probability, field};
        out.push_back(p);
    }
    void operator()(std::string_view name, bool field, TrueOrFalse, std::string_view help) const {
        ParameterDeclaration p{name, help, ParameterDeclaration::Kind::truth, field};
        out.push_back(p);
    }
    template <class T, std::size_t n>
    void operator()(std::string_view name, const T& field, const OneOf<n>& rule,
                    std::string_view help) const {
        ParameterDeclaration p{name, help, ParameterDeclaration::Kind::choice,
                               rule.names[static_cast<std::size_t>(field)]};
        p.choices.assign(rule.names.begin(), rule.names.end());
        out.push_back(p);
    }
    template <class T>
    void operator()(std::string_view name, const T&, FunctionOrNone, std::string_view help) const {
        ParameterDeclaration p{name, help, ParameterDeclaration::Kind::function};
        p.optional = true;
        out.push_back(p);
    }
};

}  // namespace detail

template <class Policy>
[[nodiscard]] PolicyDeclaration declaration_of() {
    PolicyDeclaration out;
    if constexpr (requires { Policy::name; }) out.name = Policy::name;
    if constexpr (requires { Policy::type_name; }) out.type_name = Policy::type_name;
    if constexpr (requires { Policy::about; }) out.about = Policy::about;
    const detail::Describe describe{out.parameters};
    if constexpr (requires(const Policy& p) { Policy::each_parameter(p, describe); }) {
        const Policy standard{};
        Policy::each_parameter(standard, describe);
    }
    if constexpr (requires { typename Policy::Parameters; }) {
        const typename Policy::Parameters standard{};
        Policy::Parameters::each_parameter(standard, describe);
    }
    if constexpr (requires { Policy::input; }) {
        constexpr std::string_view names[] = {"errors", "shares", "numbers"};
        out.input = names[static_cast<std::size_t>(Policy::input)];
    }
    if constexpr (requires { Policy::rules; }) {
        out.rules.assign(Policy::rules.begin(), Policy::rules.end());
    }
    if constexpr (requires { Policy::premises; }) {
        out.theorem = Policy::theorem;
        out.premises.assign(Policy::premises.begin(), Policy::premises.end());
    }
    if constexpr (requires { Policy::certain_only; }) {
        out.certain_only.assign(Policy::certain_only.begin(), Policy::certain_only.end());
    }
    if constexpr (requires { Policy::sparse_rules; }) {
        out.sparse_rules.assign(Policy::sparse_rules.begin(), Policy::sparse_rules.end());
    }
    if constexpr (requires { Policy::mean_gains; }) {
        out.mean_gains.assign(Policy::mean_gains.begin(), Policy::mean_gains.end());
    }
    if constexpr (requires { Policy::serves; }) {
        out.serves.assign(Policy::serves.begin(), Policy::serves.end());
    }
    if constexpr (requires { Policy::promises; }) {
        out.promises.assign(Policy::promises.begin(), Policy::promises.end());
    }
    if constexpr (requires { Policy::promise; }) out.promise = Policy::promise;
    if constexpr (requires { Policy::promise_for_means; }) {
        out.promise_for_means = Policy::promise_for_means;
    }
    if constexpr (requires { Policy::spending; }) out.spending = Policy::spending;
    if constexpr (requires { Policy::most_delta; }) out.most_delta = Policy::most_delta;
    return out;
}

// The declarations of all policies of an axis that have a name. A user's own function has none.
template <class... Policies>
[[nodiscard]] std::vector<PolicyDeclaration> declarations(const std::variant<Policies...>*) {
    std::vector<PolicyDeclaration> out;
    const auto add = [&]<class Policy>() {
        if (!Policy::name.empty() && Policy::name != "custom") {
            out.push_back(declaration_of<Policy>());
        }
    };
    (add.template operator()<Policies>(), ...);
    return out;
}

}  // namespace riparian
