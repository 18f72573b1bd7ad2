// One value on each axis, by its name.
#include "settings.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "../core/named.hpp"
#include "../core/simd/scalar.hpp"
#include "functions.hpp"

namespace nb = nanobind;
using namespace riparian;

namespace {

template <class Variant>
Variant policy(const nb::dict& d, const char* key) {
    return by_name<Variant>(nb::cast<std::string>(d[key])).value();
}

bool is(const nb::dict& d, const char* key, const char* name) {
    return nb::cast<std::string>(d[key]) == name;
}

void set_impurity(Settings& s, const nb::dict& d) {
    if (!nb::isinstance<nb::str>(d["impurity"])) {
        s.impurity = CustomImpurity{impurity_function(d["impurity"])};
        return;
    }
    if (is(d, "impurity", "hybrid")) {
        s.impurity = Misclassification{};
        s.second_impurity = Gini{};
    } else {
        s.impurity = policy<AnyImpurity>(d, "impurity");
    }
    if (auto* const m = std::get_if<Misclassification>(&s.impurity)) {
        m->legacy = nb::cast<bool>(d["legacy_gain"]);
    }
    if (is(d, "evaluator", "prequential")) s.judging.evaluator = Evaluator::prequential;
    if (is(d, "evaluator", "holdout")) s.judging.evaluator = Evaluator::holdout;
    s.judging.holdout_examples = nb::cast<double>(d["holdout_examples"]);
}

void set_bound(Settings& s, const nb::dict& d) {
    if (!nb::isinstance<nb::str>(d["bound"])) {
        s.bound = CustomBound{bound_function(d["bound"])};
        return;
    }
    s.bound = policy<AnyBound>(d, "bound");
    if (auto* const practical = std::get_if<ConfidencePractical>(&s.bound)) {
        practical->c = nb::cast<double>(d["confidence_c"]);
        if (is(d, "confidence_form", "derived")) practical->form = ConfidenceForm::derived;
    }
    if (auto* const method = std::get_if<DeltaMethod>(&s.bound)) {
        if (is(d, "pairing", "conservative")) method->pairing = Pairing::conservative;
        if (is(d, "pairing", "paired")) method->pairing = Pairing::paired;
    }
}

void set_cuts(Settings& s, const nb::dict& d) {
    s.cuts = policy<AnyCuts>(d, "cuts");
    const EqualVariance equal =
        is(d, "equal_variance", "skip") ? EqualVariance::skip : EqualVariance::linear;
    const auto count = nb::cast<std::size_t>(d["n_cuts"]);
    std::visit([&]<class C>(C& cuts) {
        if constexpr (requires { cuts.count; }) cuts.count = count;
        if constexpr (requires { cuts.bins; }) cuts.bins.count = count;
        if constexpr (requires { cuts.equal_variance; }) cuts.equal_variance = equal;
    }, s.cuts);
}

void set_adaptation(Settings& s, const nb::dict& d) {
    s.adaptation = policy<AnyAdaptation>(d, "adaptation");
    if (auto* const how = std::get_if<Alternates>(&s.adaptation)) {
        how->drift_delta = nb::cast<double>(d["drift_delta"]);
        how->switch_delta = nb::cast<double>(d["switch_delta"]);
        how->switch_after = nb::cast<double>(d["switch_after"]);
        how->bootstrap = nb::cast<bool>(d["bootstrap"]);
        how->seed = nb::cast<std::uint64_t>(d["random_state"]);
    }
    if (auto* const how = std::get_if<Reevaluation>(&s.adaptation)) {
        how->every = nb::cast<double>(d["reevaluate_every"]);
    }
    if (auto* const how = std::get_if<Options>(&s.adaptation)) {
        how->delta = nb::cast<double>(d["option_delta"]);
        how->most = nb::cast<std::size_t>(d["max_options"]);
    }
    if (auto* const how = std::get_if<Window>(&s.adaptation)) {
        how->window = nb::cast<std::size_t>(d["window"]);
        how->validity_period = nb::cast<std::uint64_t>(d["validity_period"]);
        how->alt_test_period = nb::cast<double>(d["alt_test_period"]);
        how->alt_test_size = nb::cast<double>(d["alt_test_size"]);
        how->alt_prune_margin = nb::cast<double>(d["alt_prune_margin"]);
        how->archive_size = nb::cast<std::size_t>(d["archive_size"]);
        how->dynamic_window = nb::cast<bool>(d["dynamic_window"]);
        how->max_window = nb::cast<std::size_t>(d["max_window"]);
        if (!d["window_hook"].is_none()) how->hook = window_function(d["window_hook"]);
    }
}

}  // namespace

// As `check_features` has made it: how, and the number.
Subspace subspace_of(const nb::handle& pair) {
    const auto [how, value] = nb::cast<std::pair<std::string, double>>(pair);
    Subspace out;
    out.by = how == "count"   ? Subspace::By::count
             : how == "share" ? Subspace::By::share
                              : Subspace::By::root;
    out.value = value;
    return out;
}

Settings settings_of(const nb::dict& d) {
    Settings s;
    set_impurity(s, d);
    set_bound(s, d);
    set_cuts(s, d);
    if (is(d, "statistics", "exhaustive")) s.values = Values::exhaustive;
    if (is(d, "statistics", "intervals")) s.values = Values::intervals;
    s.n_intervals = nb::cast<std::size_t>(d["n_intervals"]);
    if (is(d, "variance", "population")) s.variance = Variance::population;
    if (is(d, "missing_second", "-inf")) s.missing_second = MissingSecond::minus_infinity;
    s.spend_delta = nb::cast<bool>(d["spend_delta"]);
    s.leaf = best_of(nb::cast<std::vector<std::string>>(d["leaf"])).value();
    s.idbd = {nb::cast<double>(d["idbd_theta"]), ln(nb::cast<double>(d["idbd_alpha"]))};
    const auto categorical = nb::cast<std::string>(d["categorical_cuts"]);
    s.categorical_cuts = categorical == "multiway"           ? CategoricalCuts::multiway
                         : categorical == "one-against-rest" ? CategoricalCuts::one_against_rest
                                                             : CategoricalCuts::both;
    if (is(d, "runner_up", "cut")) s.runner_up = RunnerUp::cut;
    if (is(d, "runner_up", "none")) s.runner_up = RunnerUp::nothing;
    const auto inherit = nb::cast<std::string>(d["inherit_counts"]);
    s.inherit_counts = inherit == "none"      ? InheritCounts::none
                       : inherit == "predict" ? InheritCounts::predict
                                              : InheritCounts::count;
    set_adaptation(s, d);
    s.grace_period = nb::cast<double>(d["grace_period"]);
    s.adaptive_grace = nb::cast<bool>(d["adaptive_grace"]);
    s.delta = nb::cast<double>(d["delta"]);
    s.tau = nb::cast<double>(d["tau"]);
    s.epsilons = nb::cast<int>(d["epsilons"]);
    s.drop_poor_features = nb::cast<bool>(d["drop_poor_features"]);
    if (!d["leaf_features"].is_none()) {
        s.leaf_features = subspace_of(d["leaf_features"]);
        s.leaf_features.seed = nb::cast<std::uint64_t>(d["random_state"]);
    }
    s.short_memory = nb::cast<std::size_t>(d["short_memory"]);
    s.short_memory_in_bound = nb::cast<bool>(d["short_memory_in_bound"]);
    s.min_gain = nb::cast<double>(d["min_gain"]);
    s.min_branch_fraction = nb::cast<double>(d["min_branch_fraction"]);
    s.clip_to_range = nb::cast<bool>(d["clip_to_range"]);
    if (!d["max_depth"].is_none()) s.max_depth = nb::cast<std::size_t>(d["max_depth"]);
    if (!d["max_leaves"].is_none()) s.max_leaves = nb::cast<std::size_t>(d["max_leaves"]);
    if (!d["max_bytes"].is_none()) s.max_bytes = nb::cast<std::size_t>(d["max_bytes"]);
    return s;
}
