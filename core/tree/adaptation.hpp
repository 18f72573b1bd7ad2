// How a tree follows change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>

#include "../data/weight_steps.hpp"

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

// What a check of all splits found.
struct WindowReport {
    std::size_t inner = 0;         // nodes with a test
    std::size_t questionable = 0;  // of them, with another subtree beside them
    std::size_t started = 0;       // of those, since this check
    std::uint64_t replaced = 0;    // subtrees so far
    std::uint64_t rows = 0;        // learned so far
    std::size_t window = 0;        // examples that it may hold
};

// A function of the user that sets the length of the window after each check.
class WindowFunction {
public:
    virtual ~WindowFunction() = default;
    // 0: as it is.
    [[nodiscard]] virtual std::size_t window(const WindowReport&) const = 0;
};

// Every node holds statistics of the last examples. Where another attribute has become the
// better one, a subtree on it grows beside the node, and takes its place once it errs less
// [hulten2001].
struct Window {
    static constexpr std::string_view name = "window";
    static constexpr bool keeps = true;

    std::size_t window = 50'000;            // examples
    std::uint64_t validity_period = 10'000; // examples from check to check of all splits
    double alt_test_period = 10'000;        // weight at a node before alternates are tested
    double alt_test_size = 1'000;           // and while they are
    double alt_prune_margin = 0.01;         // of error that an alternate may lose again
    std::size_t archive_size = 0;           // replaced subtrees that are kept to be tried again
    bool dynamic_window = false;
    std::size_t max_window = 50'000;
    std::shared_ptr<const WindowFunction> hook;

    // What a function may ask for.
    static constexpr std::size_t most_hooked = std::size_t{1} << 24;

    // Examples that it may ever hold.
    [[nodiscard]] std::size_t longest() const noexcept {
        const std::size_t own = dynamic_window ? std::max(window, max_window) : window;
        return hook ? std::max(own, most_hooked) : own;
    }
    // The largest weight of an example: a full window of such has an exact sum.
    [[nodiscard]] double heaviest() const noexcept {
        return std::floor(most_steps / static_cast<double>(longest())) * weight_step;
    }
};

using AnyAdaptation = std::variant<Fixed, Alternates, Window, Reevaluation, Options>;

}  // namespace riparian
