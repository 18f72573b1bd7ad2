// States that cannot be those of a leaf are refused, one number at a time.
#include "restoring.hpp"

using namespace riparian;
using namespace restoring;

namespace {

// Leaves that store more: every number is replaced by an impossible one, and the lengths change.
CASE(every_number_of_the_extras_is_checked) {
    for (const TreeSettings& settings : examples::settings_with_extras()) {
        const Snapshot good = grown(settings);
        CHECK(!refused(settings, good));
        CHECK(good.extras_sizes.size() == (LeafExtras::wanted(settings) ? good.weight.size() : 0));
        for (std::size_t i = 0; i < good.extras.size(); i += 1 + good.extras.size() / 200) {
            for (const double wrong : {examples::nan, infinity, -1e308}) {
                Snapshot bad = good;
                bad.extras[i] = wrong;
                if (!CHECK(refused(settings, bad))) std::fprintf(stderr, "extras, number %zu\n", i);
            }
        }
        const std::vector<std::function<void(Snapshot&)>> wrongs = {
            [](Snapshot& s) { s.extras_sizes.push_back(0); },
            [](Snapshot& s) { s.extras_sizes.assign(s.weight.size() + 1, 0); },
            [](Snapshot& s) { s.extras_sizes.assign(s.weight.size(), ~0ULL); },
            [](Snapshot& s) { s.extras_sizes.assign(s.weight.size(), 1ULL << 63); },
            [](Snapshot& s) { s.extras.push_back(0.0); },
            [](Snapshot& s) { s.spent[0] = examples::nan; },
            [](Snapshot& s) { s.spent[0] = -1.0; },
            [](Snapshot& s) { s.checks.pop_back(); },
            [](Snapshot& s) { s.split_delta[0] = examples::nan; },
            [](Snapshot& s) { s.split_delta[0] = 2.0; },
            [](Snapshot& s) { s.split_spent[0] = infinity; },
            [](Snapshot& s) { s.split_criterion[0] = 2; },
            [](Snapshot& s) { s.rivals[0] = 255; },
            [](Snapshot& s) { ++s.rivals[0]; },
            [](Snapshot& s) { s.rival_feature.push_back(0); },
            [](Snapshot& s) {
                s.rivals[0] += 5;  // more than a certificate contains
                for (int i = 0; i < 5; ++i) {
                    s.rival_feature.insert(s.rival_feature.begin(), s.second_feature[0]);
                    s.rival_category.insert(s.rival_category.begin(), s.second_category[0]);
                    s.rival_test.insert(s.rival_test.begin(), s.second_test[0]);
                    s.rival_threshold.insert(s.rival_threshold.begin(), s.second_threshold[0]);
                    s.rival_gain.insert(s.rival_gain.begin(), s.second_gain[0]);
                }
            },
        };
        for (std::size_t i = 0; i < wrongs.size(); ++i) {
            Snapshot bad = good;
            wrongs[i](bad);
            if (!CHECK(refused(settings, bad))) std::fprintf(stderr, "wrong number %zu\n", i);
        }
    }
}

// Leaves with linear units: every number, the counters and the lengths are changed.
CASE(every_number_of_the_units_is_checked) {
    for (const AnyLeaf& leaf : {AnyLeaf(LinearUnits{}), AnyLeaf(examples::best_of_three())}) {
        const TreeSettings settings = examples::quick_settings(leaf);
        const Snapshot good = grown(settings);
        CHECK(!refused(settings, good));
        CHECK(examples::same(Tree::restore(settings, good)->snapshot(), good));
        CHECK(good.unit_sizes.size() == good.weight.size());
        for (std::size_t i = 0; i < good.units.size(); i += 1 + good.units.size() / 500) {
            for (const double wrong : {examples::nan, infinity, -1e308, 1e300}) {
                Snapshot bad = good;
                bad.units[i] = wrong;
                if (!CHECK(refused(settings, bad))) std::fprintf(stderr, "units, number %zu\n", i);
            }
        }
        const std::vector<std::function<void(Snapshot&)>> wrongs = {
            [](Snapshot& s) { s.unit_sizes.clear(); },
            [](Snapshot& s) { s.unit_sizes.push_back(0); },
            [](Snapshot& s) { s.unit_sizes[0] = 0; },
            [](Snapshot& s) { s.unit_sizes[0] = ~0ULL; },
            [](Snapshot& s) { s.unit_sizes.assign(s.weight.size(), 1ULL << 63); },
            [](Snapshot& s) { s.units.push_back(0.0); },
            [](Snapshot& s) { s.units.pop_back(); },
            [](Snapshot& s) { s.units.clear(); },
            [](Snapshot& s) { s.units[0] = 0.0; },
            [](Snapshot& s) { s.units[0] = 2.0; },
            [](Snapshot& s) { s.units[0] = 1.5; },
            [](Snapshot& s) { s.units[0] = 4.0; },  // more than there are classes
            [](Snapshot& s) { s.units[1] += 1.0; },
            [](Snapshot& s) { s.right_idbd.clear(); },
            [](Snapshot& s) { s.right_idbd[0] = -1.0; },
            [](Snapshot& s) { s.right_idbd[0] = s.weight[0] + 1.0; },
            [](Snapshot& s) { s.right_idbd[0] = examples::nan; },
        };
        for (std::size_t i = 0; i < wrongs.size(); ++i) {
            Snapshot bad = good;
            wrongs[i](bad);
            if (!CHECK(refused(settings, bad))) std::fprintf(stderr, "wrong number %zu\n", i);
        }
        const TreeSettings without = examples::quick_settings(Adaptive{});
        CHECK(refused(without, good));
        CHECK(refused(settings, grown(without)));
    }
}

// What growth remembers: delays, dropped features, and the last examples.
CASE(what_growth_remembers_is_checked) {
    const std::vector<std::function<void(Snapshot&)>> wrongs = {
        [](Snapshot& s) { s.delay.pop_back(); },
        [](Snapshot& s) { s.delay[0] = examples::nan; },
        [](Snapshot& s) { s.delay[0] = -1.0; },
        [](Snapshot& s) { s.recalled[0] = 1e9; },
        [](Snapshot& s) { s.recalled.push_back(0.0); },
        [](Snapshot& s) { s.estimated.pop_back(); },
        [](Snapshot& s) { s.estimated[0] = infinity; },
        [](Snapshot& s) { s.dropped[0] = 2; },
        [](Snapshot& s) { s.dropped[0] ^= 1; },
        [](Snapshot& s) { s.dropped.push_back(0); },
        [](Snapshot& s) { s.dropped.clear(); },
        [](Snapshot& s) { std::fill(s.dropped.begin(), s.dropped.end(), std::uint8_t{1}); },
        [](Snapshot& s) { s.memory_values[0] = infinity; },
        [](Snapshot& s) { s.memory_values.pop_back(); },
        [](Snapshot& s) { s.memory_codes[0] = -2; },
        [](Snapshot& s) { s.memory_codes[0] = 1 << 30; },
        [](Snapshot& s) { s.memory_labels[0] = -1; },
        [](Snapshot& s) { s.memory_labels[0] = 3; },
        [](Snapshot& s) { s.memory_labels.push_back(0); },
        [](Snapshot& s) { s.memory_weights[0] = 0.0; },
        [](Snapshot& s) { s.memory_weights[0] = examples::nan; },
    };
    for (const TreeSettings& settings : examples::settings_with_extras()) {
        if (!settings.short_memory) continue;
        const Snapshot good = grown(settings);
        CHECK(std::count(good.dropped.begin(), good.dropped.end(), 1) > 0);
        CHECK(good.memory_labels.size() == settings.short_memory);
        for (std::size_t i = 0; i < wrongs.size(); ++i) {
            Snapshot bad = good;
            wrongs[i](bad);
            if (!CHECK(refused(settings, bad))) std::fprintf(stderr, "growth, wrong %zu\n", i);
        }
        // A tree without these settings has no such arrays.
        TreeSettings plain = settings;
        plain.drop_poor_features = plain.adaptive_grace = false;
        plain.short_memory = 0;
        CHECK(refused(plain, good));
    }
}

// A few numbers claim many classes, features and leaves. No memory is allocated for them.
CASE(memory_is_allocated_only_for_what_a_file_holds) {
    constexpr std::size_t many = 60'000;
    for (const TreeSettings& settings : examples::settings_with_extras()) {
        if (!LeafExtras::wanted(settings)) continue;
        Tree empty(settings);
        empty.add_features(std::vector<Kind>(many, Kind::numeric));
        Snapshot s = empty.snapshot();
        CHECK(!refused(settings, s));
        s.classes[0] = many;
        s.counts.assign(many, 0.0);
        s.inherited.assign(many, 0.0);
        for (const double number : {0.0, 1.0}) {
            s.extras.assign(s.extras.size(), number);
            CHECK(refused(settings, s) || offers_cuts(settings.statistics) ||
                  make_state(settings.bound).index() != 0);
        }
    }
}

}  // namespace
