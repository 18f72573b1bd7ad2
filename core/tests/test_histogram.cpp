// Histograms of the classes of a feature: merged with other codes, saved, restored, and their bytes.
#include <array>
#include <cmath>
#include <ctime>
#include <stdexcept>
#include <vector>

#include "../statistics/class_histograms.hpp"
#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;
using examples::Dice;

namespace {

constexpr std::size_t classes = 3;

std::vector<double> saved(const ClassHistograms& h) {
    std::vector<double> out;
    h.save(out);
    return out;
}

ClassHistograms learned(std::size_t limit, std::uint64_t seed, std::size_t rows,
                        const std::array<std::size_t, classes>& codes = {0, 1, 2}) {
    Dice dice(seed);
    ClassHistograms h(limit);
    for (std::size_t i = 0; i < rows; ++i) {
        const double x = dice.uniform();
        h.learn(x, codes[dice.below(classes)], 1.0);
    }
    return h;
}

CASE(merging_with_other_codes_is_merging_rows_with_those_codes) {
    for (const std::size_t limit : {4U, 16U, 1000U}) {
        const std::array<std::size_t, classes> to = {2, 0, 1};
        const std::vector<std::uint32_t> relabelling = {2, 0, 1};
        const std::vector<std::uint32_t> same = {0, 1, 2};
        ClassHistograms here = learned(limit, 1, 200);
        here.merge(learned(limit, 2, 300), relabelling);
        ClassHistograms want = learned(limit, 1, 200);
        want.merge(learned(limit, 2, 300, to), same);
        CHECK(saved(here) == saved(want));
        CHECK(saved(here) != saved(learned(limit, 1, 200)));
    }
}

CASE(an_empty_histogram_is_the_identity_of_merging) {
    const std::vector<std::uint32_t> same = {0, 1, 2};
    ClassHistograms empty(16);
    empty.merge(learned(16, 3, 500), same);
    CHECK(saved(empty) == saved(learned(16, 3, 500)));
    ClassHistograms full = learned(16, 3, 500);
    full.merge(ClassHistograms(16), same);
    CHECK(saved(full) == saved(empty));
}

CASE(a_restored_histogram_has_the_same_bytes_and_goes_on_alike) {
    for (const std::size_t rows : {1U, 7U, 8U, 9U, 60U, 400U}) {
        Account first, second;
        const std::vector<double> counts(classes, 1e6);
        ClassHistograms learned_one(24), restored(24);
        {
            const Charge charge(first);
            Dice dice(5);
            for (std::size_t i = 0; i < rows; ++i) {
                learned_one.learn(dice.uniform(), dice.below(classes), 1.0);
            }
        }
        const std::vector<double> numbers = saved(learned_one);
        {
            const Charge charge(second);
            SavedNumbers in(numbers.data(), numbers.size());
            SeenWeights seen(counts.data(), classes);
            restored.restore(in, seen, classes);
            CHECK(in.left() == 0);
        }
        CHECK(first.held > 0);
        CHECK(first.held == second.held);
        CHECK(saved(restored) == numbers);
        restored.learn(0.5, 1, 2.0);
        learned_one.learn(0.5, 1, 2.0);
        CHECK(saved(restored) == saved(learned_one));
    }
}

CASE(more_weight_than_the_leaf_has_seen_is_refused) {
    std::vector<double> numbers;
    learned(8, 6, 100).save(numbers);
    std::vector<double> counts(classes, 10.0);
    ClassHistograms copy(8);
    SavedNumbers in(numbers.data(), numbers.size());
    SeenWeights seen(counts.data(), classes);
    bool refused = false;
    try {
        copy.restore(in, seen, classes);
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

// What `update` does, plainly: insert the value as a bin, then look at all gaps.
void insert_and_reduce(SortedBins& bins, double x, double w, std::size_t limit) {
    SortedBins all;
    std::size_t i = 0;
    for (; i < bins.size() && bins.places[i] <= x; ++i) {
        all.append(bins.places[i], bins.weights[i]);
    }
    all.append(x, w);
    for (; i < bins.size(); ++i) all.append(bins.places[i], bins.weights[i]);
    all.reduce(limit);
    bins = all;
}

CASE(an_update_inserts_a_bin_and_combines_the_closest_pair) {
    for (const std::size_t limit : {1U, 2U, 3U, 5U, 16U, 64U, 65U}) {
        // Grids have many equal gaps, of which the leftmost counts; sorted values come from outside.
        for (int kind = 0; kind < 5; ++kind) {
            Dice dice(10 + limit);
            StreamingHistogram h;
            SortedBins want;
            for (int i = 0; i < 1500; ++i) {
                const double x = kind == 0   ? dice.normal()
                                 : kind == 1 ? static_cast<double>(dice.below(400))
                                 : kind == 2 ? static_cast<double>(dice.below(100'000)) / 1000.0
                                 : kind == 3 ? static_cast<double>(i)
                                             : -0.1 * static_cast<double>(i);
                const double w = i % 3 == 0 ? 1.0 : dice.uniform() + 0.5;
                h.update(x, w, limit);
                insert_and_reduce(want, x, w, limit);
                const std::vector<double> places(h.places().begin(), h.places().end());
                const std::vector<double> weights(h.weights().begin(), h.weights().end());
                if (!CHECK(places == want.places) || !CHECK(weights == want.weights)) return;
            }
        }
    }
}

CASE(a_value_costs_little) {
    Dice dice(9);
    std::vector<double> x(200'000);
    for (double& value : x) value = dice.uniform();
    StreamingHistogram h;
    const std::clock_t begin = std::clock();
    for (const double value : x) h.update(value, 1.0, 64);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("%.0f ns per value\n", seconds * 1e9 / static_cast<double>(x.size()));
    CHECK(h.total() == static_cast<double>(x.size()));
}

}  // namespace
