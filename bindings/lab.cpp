// The bound laboratory, for riparian.lab.
#include "../core/lab/lab.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "../core/tree/settings.hpp"
#include "arrays.hpp"
#include "parts.hpp"
#include "policies.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

LabEvaluator evaluator_of(Evaluator evaluator, bool fixed_labels) {
    if (fixed_labels) return LabEvaluator::fixed;
    if (evaluator == Evaluator::prequential) return LabEvaluator::prequential;
    if (evaluator == Evaluator::holdout) return LabEvaluator::holdout;
    return LabEvaluator::resubstitution;
}

LabMethod method_of(const nb::dict& d, const VectorIn<double>& costs, std::size_t classes) {
    LabMethod m;
    TreeSettings of_tree;
    of_tree.choose(policy_of<ImpurityChoice>(d["impurity"]));
    m.impurity = of_tree.impurity;
    m.second_impurity = of_tree.second_impurity;
    if (Costs* const counted = costs_in(m.impurity)) {
        if (costs.shape(0) != classes * classes)
            throw std::invalid_argument("costs must have one entry per pair of classes");
        *counted = costs_of(costs.data(), classes);
    }
    m.evaluator = evaluator_of(of_tree.judging.evaluator, nb::cast<bool>(d["fixed_labels"]));
    m.holdout_examples = static_cast<std::int64_t>(of_tree.judging.holdout_examples);
    m.bound = policy_of<AnyBound>(d["bound"]);
    m.epsilons = nb::cast<double>(d["epsilons"]);
    m.delta = nb::cast<double>(d["delta"]);
    m.spend_delta = nb::cast<bool>(d["spend_delta"]);
    m.grace_period = nb::cast<std::int64_t>(d["grace_period"]);
    m.first_check = nb::cast<std::int64_t>(d["first_check"]);
    m.max_examples = nb::cast<std::int64_t>(d["max_examples"]);
    m.null_cut = nb::cast<bool>(d["null_cut"]);
    m.tau = nb::cast<double>(d["tau"]);
    m.random_checks = nb::cast<bool>(d["random_checks"]);
    m.workers = nb::cast<std::int64_t>(d["workers"]);
    return m;
}

}  // namespace

void bind_lab(nb::module_& m) {
    nb::class_<Lab>(m, "Lab")
        .def(
            "__init__",
            [](Lab* self, const std::vector<std::size_t>& values, std::size_t classes,
               const VectorIn<double>& probabilities, const nb::dict& method,
               const VectorIn<double>& costs, std::uint64_t seed) {
                new (self) Lab(LabNode(values, classes, probabilities.data()),
                               method_of(method, costs, classes), seed);
            },
            "values"_a, "classes"_a, "probabilities"_a, "method"_a, "costs"_a, "seed"_a,
            nb::sig("def __init__(self, values: typing.Sequence[int], classes: int, "
                    "probabilities: numpy.typing.NDArray[numpy.float64], "
                    "method: dict[str, object], costs: numpy.typing.NDArray[numpy.float64], "
                    "seed: int) -> None"))
        // The chosen attributes, -1 for none; the examples seen; which impurity of a hybrid
        // decided; and whether the labels that were evaluated favoured another feature.
        .def(
            "run",
            [](const Lab& lab, std::uint64_t first, std::size_t count, unsigned threads) {
                std::vector<Outcome> outcomes(count);
                {
                    const nb::gil_scoped_release released;
                    lab.run(first, outcomes, threads);
                }
                std::vector<std::int32_t> chosen;
                std::vector<std::int64_t> examples;
                std::vector<std::uint8_t> criterion;
                std::vector<std::uint8_t> misjudged;
                chosen.reserve(count);
                examples.reserve(count);
                criterion.reserve(count);
                misjudged.reserve(count);
                for (const Outcome& o : outcomes) {
                    chosen.push_back(o.chosen);
                    examples.push_back(o.examples);
                    criterion.push_back(o.criterion);
                    misjudged.push_back(o.misjudged);
                }
                return std::tuple(owned(std::move(chosen)), owned(std::move(examples)),
                                  owned(std::move(criterion)), owned(std::move(misjudged)));
            },
            "first"_a, "count"_a, "threads"_a);
}
