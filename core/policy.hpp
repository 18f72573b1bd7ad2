// How a policy declares its parameters, what it can be combined with and what it promises.
//
// A policy declares these in its own header, and everything else reads them there: the Python
// class, the checks, the command line and the documentation.
//
//     static constexpr std::string_view name     the name that users write
//     static constexpr std::string_view about    one sentence about the policy
//     each_parameter(policy, visit)              calls visit(name, field, rule, help) for each
//                                                parameter
//     static constexpr std::array rules          what the policy needs of other parameters (Rule)
//     static constexpr std::array certain_only   if one of these conditions holds, the policy cannot
//                                                learn uncertain values (Condition)
//     static constexpr std::array sparse_rules   what the policy needs of other parameters to learn
//                                                sparse rows at a cost that grows with their
//                                                non-zeros (Rule)
//     static constexpr std::array mean_gains     for an impurity: when its gain is a mean over
//                                                examples (MeanGain)
//     static constexpr std::string_view unmergeable
//                                                why what it keeps at leaves cannot be added to what it
//                                                keeps at those of another worker. Absent: it can, or
//                                                the policy keeps nothing
//
//     static constexpr std::array premises       what a theorem asks of other parameters (Rule). A tree
//                                                that breaks one of them learns, but guarantee() says
//                                                that the theorem does not cover it, and why
//
// Only the name is required.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace riparian {

// ---- what a parameter may be ----

// A number from `least` to `most`. If the field has an integer type, only whole numbers are
// allowed.
struct Range {
    double least;
    double most;
};

// A whole number from `least` to `most`, or None, which is stored as SIZE_MAX.
struct LimitOrNone {
    double least;
    double most;
};

// A number from 1e-300 to just below 1. The lower limit keeps its logarithm finite.
struct Probability {};

struct TrueOrFalse {};

// An enumeration. The names are in the order of its values.
template <std::size_t n>
struct OneOf {
    template <class... Names>
    explicit constexpr OneOf(Names... given) : names{std::string_view(given)...} {}
    std::array<std::string_view, n> names;
};
template <class... Names>
OneOf(Names...) -> OneOf<sizeof...(Names)>;

// A function that the user wrote, or None.
struct FunctionOrNone {};

// ---- what a policy can be combined with ----

// Holds if a parameter has one of these values or, with `one_of` false, none of them. A parameter
// of another policy is written as users write it: "bound__pairing". If the chosen policy has no
// such parameter, the condition holds.
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

// If `when` holds, `needs` must hold too. A rule without `when` always applies. `why` is shown to
// the user when the rule is broken.
struct Rule {
    Condition needs;
    std::string_view why;
    Condition when{};
};

// If `when` holds, a bound promises this; it comes before the text of `promise`.
struct Promise {
    Condition when;
    std::string_view text;
};

// If `when` holds, the gain is a mean over single examples, which some bounds require. `labels`
// describes the predicted labels that the gain is computed from; it becomes part of the text of
// guarantee().
struct MeanGain {
    Condition when;
    std::string_view labels;
};

// ---- what a policy says about workers ----

// Why the trees of two workers cannot be merged; empty: they can.
template <class Policy>
[[nodiscard]] constexpr std::string_view why_unmergeable(const Policy& policy) noexcept {
    if constexpr (requires { policy.why_unmergeable(); }) return policy.why_unmergeable();
    else if constexpr (requires { Policy::unmergeable; }) return Policy::unmergeable;
    else return {};
}

}  // namespace riparian
