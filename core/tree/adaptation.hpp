// How a tree follows change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

namespace riparian {

// Not at all: it grows.
struct Fixed {
    static constexpr std::string_view name = "none";
    static constexpr bool keeps = false;  // statistics at inner nodes
};

// A detector at every node watches the errors of its subtree. Where they rise another one
// grows beside it, and takes its place once it errs less [bifet2009].
struct Alternates {
    static constexpr std::string_view name = "alternates";
    static constexpr bool keeps = false;

    double drift_delta = 0.002;  // of the detectors
    double switch_delta = 0.05;  // of the comparison with an alternate
    double switch_after = 300;   // answers in both windows
    bool bootstrap = false;      // leaves learn a row as often as Poisson(1) says, and once at least
    std::uint64_t seed = 0;
};

// Every node keeps statistics. From time to time an inner node is asked whether it would still
// make its test: it gets a better one, with fresh children, or becomes a leaf
// [manapragada2018].
struct Reevaluation {
    static constexpr std::string_view name = "reevaluation";
    static constexpr bool keeps = true;

    double every = 2000;  // weight between two looks at an inner node, as MOA has it
};

// Where a node was split its statistics live on. Once another feature beats every test that
// the node has, a further subtree begins with it; all of them answer [pfahringer2007].
struct Options {
    static constexpr std::string_view name = "options";
    static constexpr bool keeps = true;

    double delta = 0.1;    // of a further test
    std::size_t most = 5;  // leaves that one row may reach
};

using AnyAdaptation = std::variant<Fixed, Alternates, Reevaluation, Options>;

}  // namespace riparian
