#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "contract.hpp"
#include "majority.hpp"

namespace riparian {

// The state of a predictor that keeps nothing except how often it was right.
class CountedState final : public PredictorState {
public:
    void learn(const Shape&, const Row&, std::size_t, double, std::size_t,
               PredictorScratch&) override {}
    [[nodiscard]] std::size_t growth(const Shape&, const Row&,
                                     std::size_t) const noexcept override {
        return 0;
    }
    void reshape(const Shape&, const Shape&) override {}
    void leave_out(const Shape&, std::size_t) override {}
    void inherit(const Shape&, const PredictorState&) override {}
    void forget(const Shape&, double share) override { right *= share; }
    void merge(const Shape&, const PredictorState& other, double) override { right += other.right; }
    void save(const Shape&, std::vector<double>&) const override {}
    void restore(const Shape&, const std::int32_t*, std::size_t, double, const double*,
                 std::size_t count) override {
        if (count) throw std::invalid_argument("units: too many numbers");
    }
};

// The states of several predictors at one leaf. Predictors that were not chosen have none.
template <class... Predictors>
class SeveralStates;

// Predicts with whichever predictor was right more often at this leaf. Each example is predicted by
// all of them before it is learned. Ties go to the highest precedence. The first two predictors
// without state are counted in the numbers of the leaf, all others in a state.
template <SinglePredictor... Predictors>
class BestOf {
public:
    static constexpr std::string_view name = "";  // users write its members instead
    static constexpr bool observes = true;

    BestOf() : BestOf(Members{}) {}
    // Each kind of predictor may appear once.
    template <SinglePredictor... Chosen>
    [[nodiscard]] static BestOf of(const Chosen&... chosen) {
        Members members;
        ((std::get<std::optional<Chosen>>(members) = chosen), ...);
        return BestOf(std::move(members));
    }

    // A copy with one more predictor, which replaces one of its kind.
    template <SinglePredictor P>
    [[nodiscard]] BestOf with(const P& predictor) const {
        Members members = *members_;
        std::get<std::optional<P>>(members) = predictor;
        return BestOf(std::move(members));
    }

    [[nodiscard]] bool needs_derived() const noexcept {
        return any([]<class P>(const P&) { return P::needs_derived(); });
    }
    [[nodiscard]] bool keeps_state() const noexcept { return n_states_ > 0; }
    [[nodiscard]] std::unique_ptr<PredictorState> make_state() const;
    // Its state counts which member was right before it learned each row.
    [[nodiscard]] std::string_view why_unmergeable() const noexcept {
        return keeps_state() ? "what it keeps at leaves depends on the order of the rows" : "";
    }
    void fit(const Shape& s, PredictorScratch& scratch) const {
        each([&]<std::size_t i, class P>(const P& p) {
            if constexpr (KeepsState<P>) p.fit(s, scratch);
        });
    }

    [[nodiscard]] std::int32_t predict(const LeafView& leaf, const Row& row,
                                       PredictorScratch& scratch) const {
        std::int32_t out = no_prediction;
        lead(leaf, leaf.numbers,
             [&]<class P>(const P&, const LeafView& own) { out = P::class_of(own, row, scratch); });
        return out;
    }

    template <class Example>
    std::int32_t observe(const LeafView& leaf, Example&& example, PredictorScratch& scratch,
                         LeafNumbers& numbers, std::size_t y, double w) const {
        const std::size_t leader = leader_of(leaf, numbers);
        std::int32_t predicted = leader == nobody ? Majority::class_of(leaf) : no_prediction;
        each([&]<std::size_t i, class P>(const P&) {
            double* const right = right_of<i>(leaf, numbers);
            if (!right) return;
            std::int32_t own = no_prediction;
            with_view<i>(leaf,
                         [&](const LeafView& view) { own = P::class_of(view, example, scratch); });
            if (own == static_cast<std::int32_t>(y)) *right += w;
            if (i == leader) predicted = own;
        });
        return predicted;
    }

    // Does what probabilities() and then observe() do.
    std::int32_t observe_shares(const LeafView& leaf, const Row& row, PredictorScratch& scratch,
                                LeafNumbers& numbers, std::size_t y, double w, double* out) const {
        const std::size_t leader = leader_of(leaf, numbers);
        std::int32_t predicted = no_prediction;
        if (leader == nobody) {
            Majority{}.probabilities(leaf, row, scratch, out);
            predicted = Majority::class_of(leaf);
        }
        each([&]<std::size_t i, class P>(const P& predictor) {
            double* const right = right_of<i>(leaf, numbers);
            if (!right) return;
            std::int32_t own = no_prediction;
            with_view<i>(leaf, [&](const LeafView& view) {
                if (i != leader) {
                    own = P::class_of(view, row, scratch);
                } else if constexpr (requires { P::class_and_shares(view, row, scratch, out); }) {
                    own = P::class_and_shares(view, row, scratch, out);
                } else {
                    predictor.probabilities(view, row, scratch, out);
                    own = P::class_of(view, row, scratch);
                }
            });
            if (own == static_cast<std::int32_t>(y)) *right += w;
            if (i == leader) predicted = own;
        });
        return predicted;
    }

    template <class Example>
    void probabilities(const LeafView& leaf, Example&& example, PredictorScratch& scratch,
                       double* out) const {
        lead(leaf, leaf.numbers, [&](const auto& predictor, const LeafView& own) {
            predictor.probabilities(own, example, scratch, out);
        });
    }

    [[nodiscard]] std::string_view predictor_at(const LeafView& leaf) const noexcept {
        std::string_view out;
        lead(leaf, leaf.numbers, [&](const auto& predictor, const LeafView& own) {
            out = predictor.predictor_at(own);
        });
        return out;
    }

    [[nodiscard]] Formula describe(const LeafView& leaf, PredictorScratch& scratch) const {
        Formula out;
        lead(leaf, leaf.numbers, [&]<class P>(const P& predictor, const LeafView& own) {
            if constexpr (Describes<P>) out = predictor.describe(own, scratch);
            else out.link = Formula::Link::unknown;
        });
        return out;
    }

    bool operator==(const BestOf& other) const { return *members_ == *other.members_; }

private:
    friend class SeveralStates<Predictors...>;
    using Members = std::tuple<std::optional<Predictors>...>;
    using States = SeveralStates<Predictors...>;
    static constexpr std::size_t nobody = sizeof...(Predictors);

    explicit BestOf(Members members)
        : members_(std::make_shared<const Members>(std::move(members))) {
        [&]<std::size_t... i>(std::index_sequence<i...>) {
            ((chosen_ |= std::get<i>(*members_) ? 1U << i : 0U), ...);
            ((n_states_ += std::get<i>(*members_) && has_state<i>), ...);
        }(std::index_sequence_for<Predictors...>());
    }

    // ---- the members ----

    template <std::size_t i>
    using Member = std::tuple_element_t<i, std::tuple<Predictors...>>;

    // Calls visit.operator()<index>(predictor) for each predictor that was chosen.
    template <class Visit>
    void each(Visit&& visit) const {
        [&]<std::size_t... i>(std::index_sequence<i...>) {
            (call<i>(visit), ...);
        }(std::index_sequence_for<Predictors...>());
    }
    template <std::size_t i, class Visit>
    void call(Visit& visit) const {
        if (chosen_ >> i & 1U) visit.template operator()<i>(*std::get<i>(*members_));
    }
    template <class Test>
    [[nodiscard]] bool any(Test&& test) const {
        bool found = false;
        each([&]<std::size_t i, class P>(const P& p) { found |= test(p); });
        return found;
    }

    // ---- where each counts ----

    template <std::size_t i>
    static constexpr std::size_t slot = [] {
        constexpr std::array with_state{KeepsState<Predictors>...};
        std::size_t before = 0;
        for (std::size_t j = 0; j < i; ++j) before += !with_state[j];
        return before;
    }();
    // Whether a predictor needs a state at each leaf, for itself or to count how often it was
    // right.
    template <std::size_t i>
    static constexpr bool has_state =
        KeepsState<Member<i>> || slot<i> >= std::tuple_size_v<LeafNumbers>;

    // If there is only one state, it is that of the leaf itself.
    template <std::size_t i>
    [[nodiscard]] PredictorState* state_of(const LeafView& leaf) const noexcept {
        if constexpr (!has_state<i>) return nullptr;
        if (!leaf.state || n_states_ == 1) return leaf.state;
        return static_cast<States*>(leaf.state)->template part<i>();
    }
    // Calls use() with the leaf as one of the predictors reads it.
    template <std::size_t i, class Use>
    void with_view(const LeafView& leaf, Use&& use) const {
        if constexpr (has_state<i>) {
            if (n_states_ > 1 && leaf.state) {
                LeafView own = leaf;
                own.state = state_of<i>(leaf);
                return use(own);
            }
        }
        use(leaf);
    }
    // Null if the predictor has no state because the leaf is inactive; then it cannot predict.
    template <std::size_t i, class Numbers>
    [[nodiscard]] auto right_of(const LeafView& leaf, Numbers& numbers) const noexcept {
        if constexpr (has_state<i>) {
            PredictorState* const state = state_of<i>(leaf);
            return state ? &state->right : nullptr;
        } else {
            return &numbers[slot<i>];
        }
    }

    [[nodiscard]] std::size_t leader_of(const LeafView& leaf,
                                        const LeafNumbers& numbers) const noexcept {
        std::size_t leader = nobody;
        double most = -1.0;
        int precedence = 0;
        each([&]<std::size_t i, class P>(const P&) {
            const double* const right = right_of<i>(leaf, numbers);
            if (!right || *right < most || (*right == most && P::precedence < precedence)) return;
            leader = i;
            most = *right;
            precedence = P::precedence;
        });
        return leader;
    }
    // If no predictor can predict, the majority class is used.
    template <class Use>
    void lead(const LeafView& leaf, const LeafNumbers& numbers, Use&& use) const {
        const std::size_t leader = leader_of(leaf, numbers);
        if (leader == nobody) return use(Majority{}, leaf);
        each([&]<std::size_t i, class P>(const P& predictor) {
            if (i != leader) return;
            with_view<i>(leaf, [&](const LeafView& own) { use(predictor, own); });
        });
    }

    std::shared_ptr<const Members> members_;
    std::uint32_t chosen_ = 0;  // one bit per predictor
    std::size_t n_states_ = 0;  // at each leaf
};

// Each state is saved as the count of its numbers, how often it was right, and the numbers.
template <class... Predictors>
class SeveralStates final : public PredictorState {
public:
    using Best = BestOf<Predictors...>;

    explicit SeveralStates(const Best& best) {
        best.each([&]<std::size_t i, class P>(const P& predictor) {
            if constexpr (KeepsState<P>) {
                std::get<i>(parts_).emplace(predictor);
            } else if constexpr (Best::template has_state<i>) {
                std::get<i>(parts_).emplace();
            }
        });
    }

    template <std::size_t i>
    [[nodiscard]] PredictorState* part() noexcept {
        return &*std::get<i>(parts_);
    }

    void learn(const Shape& s, const Row& row, std::size_t y, double w, std::size_t n_classes,
               PredictorScratch& scratch) override {
        each([&](PredictorState& part) { part.learn(s, row, y, w, n_classes, scratch); });
    }
    [[nodiscard]] std::size_t growth(const Shape& s, const Row& row,
                                     std::size_t n_classes) const noexcept override {
        std::size_t bytes = 0;
        each([&](const PredictorState& part) { bytes += part.growth(s, row, n_classes); });
        return bytes;
    }
    void reshape(const Shape& from, const Shape& to) override {
        each([&](PredictorState& part) { part.reshape(from, to); });
    }
    void leave_out(const Shape& s, std::size_t slot) override {
        each([&](PredictorState& part) { part.leave_out(s, slot); });
    }
    void inherit(const Shape& s, const PredictorState& parent) override {
        each(parent, [&](PredictorState& part, const PredictorState& of_parent) {
            part.inherit(s, of_parent);
        });
    }
    void forget(const Shape& s, double share) override {
        each([&](PredictorState& part) { part.forget(s, share); });
    }
    void merge(const Shape& s, const PredictorState& other, double share) override {
        each(other,
             [&](PredictorState& part, const PredictorState& more) { part.merge(s, more, share); });
    }
    void save(const Shape& s, std::vector<double>& out) const override {
        each([&](const PredictorState& part) {
            const std::size_t first = out.size();
            out.insert(out.end(), {0.0, part.right});
            part.save(s, out);
            out[first] = static_cast<double>(out.size() - first - 2);
        });
    }
    void restore(const Shape& s, const std::int32_t* categories, std::size_t n_classes,
                 double weight, const double* numbers, std::size_t count) override {
        const double* const end = numbers + count;
        const auto demand = [](bool holds) {
            if (!holds) throw std::invalid_argument("units: not the states of several predictors");
        };
        each([&](PredictorState& part) {
            demand(end - numbers >= 2);
            const double size = numbers[0];
            demand(size >= 0.0 && size <= static_cast<double>(end - numbers - 2) &&
                   size == std::floor(size));
            demand(numbers[1] >= 0.0 && numbers[1] <= weight * (1.0 + 1e-9));
            part.right = numbers[1];
            part.restore(s, categories, n_classes, weight, numbers + 2,
                         static_cast<std::size_t>(size));
            numbers += 2 + static_cast<std::size_t>(size);
        });
        demand(numbers == end);
    }

private:
    template <class P>
    struct StateOf {
        using type = CountedState;
    };
    template <KeepsState P>
    struct StateOf<P> {
        using type = typename P::State;
    };
    using Parts = std::tuple<std::optional<typename StateOf<Predictors>::type>...>;

    template <class Visit>
    void each(Visit&& visit) {
        std::apply([&](auto&... part) { ((part ? visit(*part) : void()), ...); }, parts_);
    }
    template <class Visit>
    void each(Visit&& visit) const {
        std::apply([&](const auto&... part) { ((part ? visit(*part) : void()), ...); }, parts_);
    }
    // Visits each part together with the same part of another leaf.
    template <class Visit>
    void each(const PredictorState& other, Visit&& visit) {
        const Parts& of_other = static_cast<const SeveralStates&>(other).parts_;
        [&]<std::size_t... i>(std::index_sequence<i...>) {
            ((std::get<i>(parts_) ? visit(*std::get<i>(parts_), *std::get<i>(of_other)) : void()),
             ...);
        }(std::index_sequence_for<Predictors...>());
    }

    Parts parts_;
};

template <SinglePredictor... Predictors>
std::unique_ptr<PredictorState> BestOf<Predictors...>::make_state() const {
    if (n_states_ > 1) return std::make_unique<States>(*this);
    std::unique_ptr<PredictorState> state;
    each([&]<std::size_t i, class P>(const P& predictor) {
        if constexpr (KeepsState<P>) {
            state = std::make_unique<typename P::State>(predictor);
        } else if constexpr (has_state<i>) {
            state = std::make_unique<CountedState>();
        }
    });
    return state;
}

}  // namespace riparian
