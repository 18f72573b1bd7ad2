// What predictors store at a leaf: merged, forgotten, and several at one leaf.
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "../leaf/any.hpp"
#include "checking.hpp"

using namespace riparian;

namespace {

Shape shape_of(std::size_t numeric, std::size_t classes) {
    Shape s;
    s.numeric = numeric;
    s.stride = (numeric + 3) / 4 * 4;
    s.class_stride = classes;
    return s;
}

std::vector<double> numbers_of(const Shape& s, const PredictorState& state) {
    std::vector<double> out;
    state.save(s, out);
    return out;
}

// Two features; a row of class y that depends on i.
void learn(PredictorState& state, const Shape& s, PredictorScratch& scratch, int i, std::size_t y,
           std::size_t n_classes) {
    alignas(32) const std::array<double, 4> x{0.5 * i, 1.0 - i * i, 0.0, 0.0};
    state.learn(s, Row{x.data(), nullptr, false}, y, 1.0, n_classes, scratch);
}

CASE(joined_and_forgotten) {
    const Shape s = shape_of(2, 3);
    const AnyLeaf leaf = LinearUnits{};
    PredictorScratch scratch;
    fit(scratch, leaf, s, false);
    const auto one = make_state(leaf), same = make_state(leaf), empty = make_state(leaf);
    for (int i = 0; i < 9; ++i) {
        for (PredictorState* const state : {one.get(), same.get()}) {
            learn(*state, s, scratch, i, static_cast<std::size_t>(i % 2), 2);
        }
    }
    one->right = same->right = 4.0;
    const std::vector<double> before = numbers_of(s, *one);
    one->merge(s, *empty, 0.0);
    CHECK(numbers_of(s, *one) == before);

    // The mean of two equal states is the same, with twice the weight.
    one->merge(s, *same, 0.5);
    std::vector<double> after = numbers_of(s, *one);
    CHECK(one->right == 8.0);
    CHECK(after[0] == 1.0 && after[1] == 18.0 && after[2] == 18.0);
    CHECK(after[5] == 2.0 * before[5]);  // the squares
    CHECK(std::equal(after.begin() + 7, after.end(), before.begin() + 7));
    one->forget(s, 0.5);
    CHECK(one->right == 4.0);
    CHECK(numbers_of(s, *one) == before);

    // One unit for two classes is merged with three, so it becomes two units that predict the same.
    const auto three = make_state(leaf);
    for (int i = 0; i < 3; ++i) learn(*three, s, scratch, i, static_cast<std::size_t>(i), 3);
    const std::vector<double> of_three = numbers_of(s, *three);
    three->merge(s, *one, 0.25);
    after = numbers_of(s, *three);
    const std::size_t unit = 3 * 3, constant = 7 + 2;
    const double own = before[constant];
    const std::array<double, 3> joins{0.5 - 0.5 * own, 0.5 + 0.5 * own, 0.0};
    for (std::size_t u = 0; u < 3; ++u) {
        const double old = of_three[constant + u * unit];
        CHECK(after[constant + u * unit] == old + 0.25 * (joins[u] - old));
    }
}

// A predictor without state, as a user might write one.
struct Second {
    static constexpr std::string_view name = "second";
    static constexpr bool observes = false;
    static constexpr int precedence = -1;
    static constexpr bool needs_derived() noexcept { return false; }
    template <class Example>
    static std::int32_t class_of(const LeafView&, Example&&, PredictorScratch&) {
        return 1;
    }
    std::int32_t predict(const LeafView&, const Row&, PredictorScratch&) const { return 1; }
    std::int32_t observe(const LeafView&, const Row&, PredictorScratch&, LeafNumbers&, std::size_t,
                         double) const {
        return 1;
    }
    template <class Example>
    void probabilities(const LeafView& leaf, Example&&, PredictorScratch&, double* out) const {
        for (std::size_t k = 0; k < leaf.n_classes; ++k) out[k] = k == 1 ? 1.0 : 0.0;
    }
    static std::string_view predictor_at(const LeafView&) { return name; }
    bool operator==(const Second&) const = default;
};

struct AtLeaf {
    Shape shape = shape_of(2, 2);
    LeafStatistics statistics;
    std::array<double, 2> counts{1.0, 0.0}, inherited{};
    LeafNumbers numbers{};
    PredictorScratch scratch;
    alignas(32) std::array<double, 4> x{};
    Row row{x.data(), nullptr, false};

    LeafView view(PredictorState* state) {
        return {shape, statistics, counts.data(), {counts.data(), inherited.data()}, {}, nullptr,
                2,     numbers,    state};
    }
};

CASE(a_third_predictor_without_state_counts_in_one) {
    using Three = BestOf<Majority, NaiveBayes, Second, LinearUnits>;
    AtLeaf at;
    const Three best = Three::of(Majority{}, Second{});
    const auto state = best.make_state();
    CHECK(best.keeps_state() && !best.needs_derived());
    best.fit(at.shape, at.scratch);
    at.scratch.fit(at.shape, false);
    const LeafView leaf = at.view(state.get());
    CHECK(best.predictor_at(leaf) == "majority");  // a tie
    CHECK(best.observe(leaf, at.row, at.scratch, at.numbers, 1, 1.0) == 0);
    CHECK(state->right == 1.0 && at.numbers == LeafNumbers{});
    CHECK(best.predictor_at(leaf) == "second" && best.predict(leaf, at.row, at.scratch) == 1);
    CHECK(best.predictor_at(at.view(nullptr)) == "majority");  // an inactive leaf
    // If no predictor can predict there, the majority class is used.
    const Three two = Three::of(Second{}, LinearUnits{});
    CHECK(two.predict(at.view(nullptr), at.row, at.scratch) == 0);
    CHECK(two.predictor_at(at.view(nullptr)) == "majority");
}

CASE(several_states_are_saved_and_restored) {
    using Three = BestOf<Majority, NaiveBayes, Second, LinearUnits>;
    AtLeaf at;
    const Three best = Three::of(Second{}, LinearUnits{});
    best.fit(at.shape, at.scratch);
    at.scratch.fit(at.shape, false);
    const auto state = best.make_state();
    const LeafView leaf = at.view(state.get());
    for (int i = 0; i < 5; ++i) {
        const auto y = static_cast<std::size_t>(i % 2);
        best.observe(leaf, at.row, at.scratch, at.numbers, y, 1.0);
        learn(*state, at.shape, at.scratch, i, y, 2);
    }
    const std::vector<double> saved = numbers_of(at.shape, *state);
    CHECK(saved[0] == 0.0 && saved[1] == 2.0);  // no numbers, right twice
    const auto restored = [&](const std::vector<double>& numbers) {
        auto fresh = best.make_state();
        fresh->restore(at.shape, nullptr, 2, 5.0, numbers.data(), numbers.size());
        return numbers_of(at.shape, *fresh);
    };
    CHECK(restored(saved) == saved);
    const auto refused = [&](std::vector<double> bad) {
        try {
            restored(bad);
            return false;
        } catch (const std::invalid_argument&) {
            return true;
        }
    };
    for (const double wrong : {-1.0, 0.5, 6.0, 1e300, static_cast<double>(NAN)}) {
        for (const std::size_t place : {0, 1, 2, 3}) {
            std::vector<double> bad = saved;
            bad[place] = wrong;
            if (place % 2 == 1 && wrong == 0.5) continue;  // how often it was right
            CHECK(refused(bad));
        }
    }
    for (std::size_t n = 0; n < saved.size(); ++n) {
        CHECK(refused({saved.begin(), saved.begin() + static_cast<std::ptrdiff_t>(n)}));
    }
    std::vector<double> longer = saved;
    longer.push_back(0.0);
    CHECK(refused(longer));

    const auto child = best.make_state();
    child->inherit(at.shape, *state);
    std::vector<double> inherited = numbers_of(at.shape, *child);
    CHECK(inherited[1] == 0.0 && inherited[3] == 0.0);
    inherited[1] = saved[1];
    inherited[3] = saved[3];
    CHECK(inherited == saved);
}

}  // namespace
