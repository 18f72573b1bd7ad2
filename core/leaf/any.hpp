// The list of all leaf predictors. A new predictor is a new file and an entry here.
#pragma once

#include <concepts>
#include <memory>
#include <new>
#include <optional>
#include <variant>
#include <vector>

#include "adaptive.hpp"
#include "best.hpp"
#include "custom.hpp"
#include "linear_units.hpp"
#include "majority.hpp"
#include "naive_bayes.hpp"
#include "softmax.hpp"

namespace riparian {
namespace leaf {

template <class... Predictors>
struct List {};

using All = List<Majority, NaiveBayes, Adaptive, LinearUnits, Softmax, CustomLeaf>;

// The predictors of a list that can be combined with others.
template <class Chosen, class Left>
struct Singles;
template <class... Chosen, class Next, class... Left>
struct Singles<List<Chosen...>, List<Next, Left...>>
    : Singles<std::conditional_t<SinglePredictor<Next>, List<Chosen..., Next>, List<Chosen...>>,
              List<Left...>> {};
template <class... Chosen>
struct Singles<List<Chosen...>, List<>> {
    using Best = BestOf<Chosen...>;
};

template <class Predictors>
struct AnyOf;
template <class... Predictors>
struct AnyOf<List<Predictors...>> {
    using Best = typename Singles<List<>, List<Predictors...>>::Best;
    using Any = std::variant<Predictors..., Best>;
};

}  // namespace leaf

using Best = leaf::AnyOf<leaf::All>::Best;
using AnyLeaf = leaf::AnyOf<leaf::All>::Any;

static_assert(LeafPredictor<Best> && Observes<Best>);

[[nodiscard]] inline bool needs_derived(const AnyLeaf& leaf) noexcept {
    return std::visit([](const auto& l) { return l.needs_derived(); }, leaf);
}

[[nodiscard]] inline bool keeps_state(const AnyLeaf& leaf) noexcept {
    return std::visit(
        []<class L>(const L& l) {
            if constexpr (std::same_as<L, Best>) return l.keeps_state();
            else return KeepsState<L>;
        },
        leaf);
}

// An empty state, which points into `leaf`. Null if the predictor keeps no state.
[[nodiscard]] inline std::unique_ptr<PredictorState> make_state(const AnyLeaf& leaf) {
    return std::visit(
        []<class L>(const L& l) -> std::unique_ptr<PredictorState> {
            if constexpr (std::same_as<L, Best>) return l.make_state();
            else if constexpr (KeepsState<L>) return std::make_unique<typename L::State>(l);
            else return nullptr;
        },
        leaf);
}

// A state outside any leaf. The object itself is charged to no account; what it allocates is
// charged to the current one.
struct DropLoose {
    void operator()(PredictorState* state) const noexcept {
        void* const object = dynamic_cast<void*>(state);
        state->~PredictorState();
        ::operator delete(object);
    }
};
using LooseState = std::unique_ptr<PredictorState, DropLoose>;

[[nodiscard]] inline LooseState make_loose_state(const AnyLeaf& leaf) {
    Account nobody;
    const Charge charge(nobody);
    return LooseState(make_state(leaf).release());
}

// Sizes the scratch for a shape.
inline void fit(PredictorScratch& scratch, const AnyLeaf& leaf, const Shape& s, bool costs) {
    std::visit(
        [&](const auto& l) {
            if constexpr (requires { l.fit(s, scratch); }) l.fit(s, scratch);
        },
        leaf);
    scratch.fit(s, costs);
}

// The best of these predictors at each leaf. Empty if one of them cannot be combined with others.
[[nodiscard]] inline std::optional<AnyLeaf> best_of(const std::vector<AnyLeaf>& leaves) {
    if (leaves.size() == 1) return leaves[0];
    Best best;
    for (const AnyLeaf& leaf : leaves) {
        const bool single = std::visit(
            [&]<class L>(const L& l) {
                if constexpr (SinglePredictor<L>) best = best.with(l);
                return SinglePredictor<L>;
            },
            leaf);
        if (!single) return std::nullopt;
    }
    // This special case is faster.
    if (best == Best::of(Majority{}, NaiveBayes{})) return Adaptive{};
    return best;
}

}  // namespace riparian
