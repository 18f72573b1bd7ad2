// The laboratory gives the same outcomes for any number of threads and any slices.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../lab/lab.hpp"
#include "checking.hpp"

using namespace riparian;

namespace {

// The controlled node of [matuszyk2013, table 1].
LabNode node() {
    const double probabilities[] = {.0675, .1575, .0675, .1575, .1350, .0900,
                                    .1575, .0675, .0450, .0050, .0450, .0050};
    return LabNode({3, 2}, 2, probabilities);
}

bool equal(const std::vector<Outcome>& a, const std::vector<Outcome>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].chosen != b[i].chosen || a[i].examples != b[i].examples) return false;
        if (a[i].criterion != b[i].criterion || a[i].misjudged != b[i].misjudged) return false;
    }
    return a.size() == b.size();
}

std::vector<Outcome> run(const Lab& lab, std::size_t count, unsigned threads, std::size_t slice) {
    std::vector<Outcome> all;
    for (std::size_t first = 0; first < count; first += slice) {
        std::vector<Outcome> part(std::min(slice, count - first));
        lab.run(first, part, threads);
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

void same_for_any_threads(const LabMethod& method) {
    const Lab lab(node(), method, 17);
    const std::vector<Outcome> alone = run(lab, 500, 1, 500);
    for (const unsigned threads : {2u, 3u, 7u}) {
        CHECK(equal(run(lab, 500, threads, 500), alone));
        CHECK(equal(run(lab, 500, threads, 33), alone));
    }
}

bool refused(const LabMethod& method) {
    std::vector<Outcome> outcomes(1);
    try {
        Lab(node(), method, 17).run(0, outcomes, 1);
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

CASE(seeds_differ) {
    const LabMethod method{.impurity = Entropy{}, .bound = Hoeffding{}};
    const Lab one(node(), method, 17), other(node(), method, 18);
    CHECK(!equal(run(one, 500, 2, 500), run(other, 500, 2, 500)));
}

CASE(gains_of_counts_are_the_same_for_any_threads) {
    LabMethod method{.impurity = Entropy{}, .bound = Hoeffding{}};
    same_for_any_threads(method);
    method.epsilons = 2;
    method.delta = 1e-9;
    method.grace_period = 200;  // counts drawn at once
    same_for_any_threads(method);
    method.bound = DeltaMethod{};
    method.grace_period = 10;
    same_for_any_threads(method);
}

CASE(gains_of_hits_are_the_same_for_any_threads) {
    LabMethod method{
        .impurity = Accuracy{}, .evaluator = LabEvaluator::prequential, .bound = Hoeffding{}};
    same_for_any_threads(method);
    method.evaluator = LabEvaluator::holdout;
    method.max_examples = 2000;
    same_for_any_threads(method);
}

CASE(a_second_impurity_is_the_same_for_any_threads) {
    LabMethod method{.impurity = Misclassification{},
                     .second_impurity = std::make_shared<const AnyImpurity>(Gini{}),
                     .bound = Normal{}};
    same_for_any_threads(method);
    method.second_impurity = std::make_shared<const AnyImpurity>(Entropy{});
    CHECK(refused(method));
}

}  // namespace
