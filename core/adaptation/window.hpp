#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "../data/weight_steps.hpp"
#include "../policy.hpp"

namespace riparian {

class Adaptation;
class RowLearner;

// The result of a check of all splits.
struct WindowReport {
    std::size_t inner = 0;         // nodes with a test
    std::size_t questionable = 0;  // of them, with an alternate
    std::size_t started = 0;       // of those, since this check
    std::uint64_t replaced = 0;    // subtrees so far
    std::uint64_t rows = 0;        // learned so far
    std::size_t window = 0;        // examples that it may hold
};

// A function of the user that sets the length of the window after each check.
class WindowFunction {
public:
    virtual ~WindowFunction() = default;
    // 0 keeps the length.
    [[nodiscard]] virtual std::size_t window(const WindowReport&) const = 0;
};

// Every node has statistics of the last examples. When another feature has become better, an
// alternate that tests it grows next to the node and replaces it once it makes fewer errors
// [hulten2001].
struct Window {
    static constexpr std::string_view name = "window";
    static constexpr std::string_view about =
        "Every node holds statistics of the last examples; where another feature has become the "
        "better one, an alternate grows and may replace the node (CVFDT).";
    static constexpr std::string_view unmergeable = "subtrees change between two rows";
    static constexpr std::array rules = {
        Rule{is_not("inherit_counts", "count"), "inherited examples would never be forgotten"},
        Rule{is("drop_poor_features", "False"), "a feature may become the better one again"},
    };
    static constexpr std::array sparse_rules = {
        Rule{is("adaptation", "none", "alternates"), "the window stores every value of a row"},
    };

    enum class ReplaceBy : std::uint8_t { test, betting };

    std::size_t size = 50'000;
    std::uint64_t validity_period = 10'000;
    double test_period = 10'000;
    double test_size = 1'000;
    double prune_margin = 0.01;
    std::size_t archive = 0;
    bool dynamic = false;
    ReplaceBy replace_by = ReplaceBy::test;
    std::size_t max_size = SIZE_MAX;  // none: size
    std::shared_ptr<const WindowFunction> hook;

    template <class Self, class Visit>
    static void each_parameter(Self& self, Visit&& visit) {
        visit(
            "size", self.size, Range{1.0, 1073741824.0},
            "Examples that are remembered; older ones are forgotten. With max_bytes, as many as a "
            "quarter of it holds. The heaviest weight is 2**33 divided by the longest window.");
        visit("validity_period", self.validity_period, Range{1.0, 9007199254740992.0},
              "Examples from one check of all splits to the next.");
        visit("replace_by", self.replace_by, OneOf("test", "betting"),
              "How an alternate is compared with its node: by their errors in tests, or by bets on "
              "the rows that both predict, which hold at every row and use the delta of the tree.");
        visit("test_period", self.test_period, Range{0.0, 9007199254740992.0},
              "Weight of the examples that reach a node before its alternates are tested.");
        visit("test_size", self.test_size, Range{1.0, 9007199254740992.0},
              "Weight of the examples of such a test. With replace_by=\"betting\", rows that an "
              "alternate predicts before the first bet.");
        visit(
            "prune_margin", self.prune_margin, Range{0.0, 1.0},
            "An alternate is given up once its error, minus that of the node, exceeds the smallest "
            "such difference so far by more than this.");
        visit("archive", self.archive, Range{0.0, 1000.0},
              "Replaced subtrees that are kept, to be tried again where their place is in doubt.");
        visit("dynamic", self.dynamic, TrueOrFalse{},
              "Halve the window when a check starts alternates at more than a quarter of the inner "
              "nodes; otherwise lengthen it by a hundredth, up to max_size.");
        visit("max_size", self.max_size, LimitOrNone{1.0, 1073741824.0},
              "Longest dynamic window; None for size.");
        visit("hook", self.hook, FunctionOrNone{},
              "Called after each check of all splits with a dict; returns the new size or None.");
    }

    // The parameters that contradict each other, or nothing.
    [[nodiscard]] std::string contradiction() const {
        if (max_size >= size) return {};
        return "max_size must be at least size, got max_size=" + std::to_string(max_size) +
               " and size=" + std::to_string(size);
    }

    // The longest window that a function may set.
    static constexpr std::size_t most_hooked = std::size_t{1} << 24;

    // Examples that a dynamic window may hold.
    [[nodiscard]] std::size_t widest() const noexcept {
        return max_size == SIZE_MAX ? size : max_size;
    }
    // Examples that it may ever hold.
    [[nodiscard]] std::size_t longest() const noexcept {
        const std::size_t own = dynamic ? widest() : size;
        return hook ? std::max(own, most_hooked) : own;
    }
    // The largest weight of an example. The sum over a full window of such weights is exact.
    [[nodiscard]] double heaviest() const noexcept {
        return std::floor(most_steps / static_cast<double>(longest())) * weight_step;
    }

    [[nodiscard]] std::unique_ptr<Adaptation> begin(RowLearner&) const;
};

}  // namespace riparian
