// How a policy declares its parameters, what it can be combined with and what it promises.
//
// A policy declares these in its own header, and everything else reads them there: the Python
// class, the checks, the command line and the documentation.
//
//     static constexpr std::string_view name     the name that users write
//     static constexpr std::string_view about    one sentence
//     each_parameter(policy, visit)              calls visit(name, field, rule, help) for each
//     static constexpr std::array rules          what else it needs (Rule)
//     static constexpr std::array certain_only   where one of these holds, it cannot learn uncertain
//                                                values (Condition)
//     static constexpr std::array mean_gains     of an impurity: where its gains are means (MeanGain)
//
// Only the name is required.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace riparian {

// ---- what a parameter may be ----

// From `least` to `most`. A field of an integer type takes whole numbers only.
struct Range {
    double least;
    double most;
};

// Likewise; None is SIZE_MAX.
struct LimitOrNone {
    double least;
    double most;
};

// At least 1e-300, so that its logarithm is finite, and below 1.
struct Probability {};

struct TrueOrFalse {};

// One name for each value of an enumeration, in their order.
template <std::size_t n>
struct OneOf {
    template <class... Names>
    explicit constexpr OneOf(Names... given) : names{std::string_view(given)...} {}
    std::array<std::string_view, n> names;
};
template <class... Names>
OneOf(Names...) -> OneOf<sizeof...(Names)>;

// A function of the user.
struct FunctionOrNone {};

// ---- what a policy can be combined with ----

// "This parameter has one of these values", or none of them. A parameter of another policy is
// written as users reach it: "bound__pairing". One that the chosen policy does not have meets
// every condition.
struct Condition {
    static constexpr std::size_t most_values = 4;

    std::string_view parameter{};
    std::array<std::string_view, most_values> values{};
    bool one_of = true;
};

constexpr Condition is(std::string_view parameter, auto... values) {
    return {parameter, {std::string_view(values)...}, true};
}
constexpr Condition is_not(std::string_view parameter, auto... values) {
    return {parameter, {std::string_view(values)...}, false};
}

// Where `when` holds, `needs` must hold. A rule without `when` always applies.
struct Rule {
    Condition needs;
    std::string_view why;
    Condition when{};
};

// Where `when` holds, a gain is a mean over single examples, as some bounds need it; `labels` says
// what can be said of the labels that are judged.
struct MeanGain {
    Condition when;
    std::string_view labels;
};

}  // namespace riparian
