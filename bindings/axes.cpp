// The values of each axis, for the Python faces.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "../core/bound/influence.hpp"
#include "../core/bound/race.hpp"
#include "../core/bound/wager.hpp"
#include "../core/simd/aligned.hpp"
#include "../core/simd/kernels.hpp"
#include "../core/simd/scalar.hpp"
#include "../core/tree/settings.hpp"
#include "arrays.hpp"
#include "parts.hpp"
#include "policies.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Kernel>
Vector<double> mapped(const VectorIn<double>& in, Kernel kernel) {
    std::vector<double> out(in.shape(0));
    kernel(in.data(), in.shape(0), out.data());
    return owned(std::move(out));
}

}  // namespace

void bind_axes(nb::module_& m) {
    // One element per piece of evidence.
    m.def(
        "half_width",
        [](const nb::tuple& bound, const std::string& impurity, const VectorIn<double>& n,
           const VectorIn<double>& gain_range, const VectorIn<double>& delta,
           const VectorIn<double>& classes, const VectorIn<double>& depth,
           const VectorIn<double>& seen, const VectorIn<double>& features,
           const VectorIn<double>& variance) {
            const auto b = policy_of<AnyBound>(bound);
            const Measure m = measure(by_name<AnyImpurity>(impurity).value());
            std::vector<double> out(n.shape(0));
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = half_width(b, {n.data()[i], gain_range.data()[i], delta.data()[i], m,
                                        classes.data()[i], depth.data()[i], seen.data()[i],
                                        features.data()[i], variance.data()[i]});
            }
            return owned(std::move(out));
        },
        "bound"_a, "impurity"_a, "n"_a, "gain_range"_a, "delta"_a, "classes"_a, "depth"_a, "seen"_a,
        "features"_a, "variance"_a,
        nb::sig("def half_width(bound: tuple[str, dict[str, typing.Any]], impurity: str, "
                "n: numpy.typing.NDArray[numpy.float64], "
                "gain_range: numpy.typing.NDArray[numpy.float64], "
                "delta: numpy.typing.NDArray[numpy.float64], "
                "classes: numpy.typing.NDArray[numpy.float64], "
                "depth: numpy.typing.NDArray[numpy.float64], "
                "seen: numpy.typing.NDArray[numpy.float64], "
                "features: numpy.typing.NDArray[numpy.float64], "
                "variance: numpy.typing.NDArray[numpy.float64]) -> "
                "numpy.typing.NDArray[numpy.float64]"));

    // A theorem of C-Tree for one test, in the paper's units.
    m.def(
        "confidence_interval",
        [](const std::string& impurity, const VectorIn<double>& m, const VectorIn<double>& delta) {
            const Measure what = measure(by_name<AnyImpurity>(impurity).value());
            std::vector<double> out(m.shape(0));
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = Confidence::interval(what, m.data()[i], -ln(delta.data()[i]));
            }
            return owned(std::move(out));
        },
        "impurity"_a, "m"_a, "delta"_a);

    // A race over rows of codes, [row][contender], the leader first: after each row the two logarithms
    // of the evidence against the closest rival, the null cut included.
    m.def(
        "race_evidence",
        [](const Codes& codes, const VectorIn<std::int32_t>& y, std::size_t classes,
           double tolerance, bool labels, double gap) {
            const std::size_t rows = codes.shape(0), contenders = codes.shape(1);
            std::vector<Nominee> nominees(contenders);
            for (std::size_t i = 0; i < contenders; ++i) {
                std::int32_t most = 0;
                for (std::size_t t = 0; t < rows; ++t) {
                    most = std::max(most, codes.data()[t * contenders + i]);
                }
                nominees[i].cut = {static_cast<std::int32_t>(i), Test::every_value, 0.0, none, 0.0};
                nominees[i].slot = i;
                nominees[i].branches = static_cast<std::size_t>(most) + 2;
            }
            if (contenders > 0) nominees[0].cut.gain = gap;  // the estimate before the first row
            Stakes stakes;
            stakes.tolerance = tolerance;
            stakes.labels = labels;
            stakes.log_threshold = std::numeric_limits<double>::infinity();
            Race race;
            race.begin(stakes, nominees, classes);
            std::vector<double> within(rows), better(rows);
            for (std::size_t t = 0; t < rows; ++t) {
                race.learn(Row{nullptr, codes.data() + t * contenders, false},
                           static_cast<std::size_t>(y.data()[t]));
                Race now = race;  // with the rows of its block, which goes on
                now.end_block();
                const RaceStanding standing = now.standing();
                within[t] = standing.within;
                better[t] = standing.better;
            }
            return nb::make_tuple(owned(std::move(within)), owned(std::move(better)));
        },
        "codes"_a, "y"_a, "classes"_a, "tolerance"_a, "labels"_a, "gap"_a,
        nb::sig("def race_evidence(codes: numpy.typing.NDArray[numpy.int32], "
                "y: numpy.typing.NDArray[numpy.int32], classes: int, tolerance: float, "
                "labels: bool, gap: float) -> tuple[numpy.typing.NDArray[numpy.float64], "
                "numpy.typing.NDArray[numpy.float64]]"));

    // The lower bound of what a rival's best forecasts in a branch cost it (wager.hpp).
    m.def(
        "least_brier",
        [](const VectorIn<double>& slope, const VectorIn<double>& curvature) {
            std::vector<double> q(slope.shape(0));
            return wager::least_brier(slope.data(), curvature.data(), slope.shape(0), q.data());
        },
        "slope"_a, "curvature"_a);

    m.def(
        "upper_quantile",
        [](const VectorIn<double>& p) {
            std::vector<double> out(p.shape(0));
            for (std::size_t i = 0; i < out.size(); ++i) out[i] = upper_quantile(p.data()[i]);
            return owned(std::move(out));
        },
        "p"_a);

    m.def(
        "influence_variance",
        [](const std::string& impurity, const Table& table, double total) {
            const Measure what = measure(by_name<AnyImpurity>(impurity).value());
            return influence_variance(what, table.data(), table.shape(0), table.shape(1), total);
        },
        "impurity"_a, "table"_a, "total"_a);

    m.def(
        "influence",
        [](const std::string& impurity, const Table& table) {
            const Measure what = measure(by_name<AnyImpurity>(impurity).value());
            return owned(influence(what, table.data(), table.shape(0), table.shape(1)));
        },
        "impurity"_a, "table"_a);

    m.def(
        "crossings",
        [](double n1, double mean1, double variance1, double n2, double mean2, double variance2,
           bool skip_equal) {
            const Roots roots = crossings({n1, mean1, variance1}, {n2, mean2, variance2},
                                          skip_equal ? EqualVariance::skip : EqualVariance::linear);
            return std::vector<double>(roots.x.begin(), roots.x.begin() + roots.count);
        },
        "n1"_a, "mean1"_a, "variance1"_a, "n2"_a, "mean2"_a, "variance2"_a, "skip_equal"_a);

    m.def(
        "gain_range",
        [](const std::string& impurity, std::size_t n_classes) {
            return gain_range(by_name<AnyImpurity>(impurity).value(), n_classes);
        },
        "impurity"_a, "n_classes"_a);

    // Rows of counts to impurities: the kernel's branch masses over their weights.
    m.def(
        "impurity",
        [](const std::string& name, const Table& counts, const std::optional<Table>& costs) {
            AnyImpurity impurity = by_name<AnyImpurity>(name).value();
            const std::size_t rows = counts.shape(0), classes = counts.shape(1);
            if (Costs* const counted = costs_in(impurity)) {
                if (!costs || costs->shape(0) != classes || costs->shape(1) != classes) {
                    throw std::invalid_argument("costs must have one row and one column per class");
                }
                *counted = costs_of(costs->data(), classes);
            }
            AlignedDoubles scratch(8 * classes);
            std::vector<double> whole(classes, 0.0), mass(rows + 4), rest(rows + 4),
                weight(rows + 4);
            std::vector<std::vector<double>> columns(classes, std::vector<double>(rows + 4));
            std::vector<const double*> cells(classes);
            for (std::size_t k = 0; k < classes; ++k) {
                for (std::size_t r = 0; r < rows; ++r)
                    columns[k][r] = counts.data()[r * classes + k];
                cells[k] = columns[k].data();
            }
            const CategoricalCheck check{cells.data(),   rows,        classes,     whole.data(),
                                         scratch.data(), mass.data(), rest.data(), weight.data()};
            const double offset = std::visit(
                [&](const auto& i) {
                    kernels().categorical_masses[impurity.index()](&i, check);
                    if constexpr (requires { i.offset; }) return i.offset;
                    return 0.0;
                },
                impurity);
            std::vector<double> out(rows);
            for (std::size_t i = 0; i < rows; ++i) {
                out[i] = weight[i] > 0.0 ? mass[i] / weight[i] + offset : 0.0;
            }
            return owned(std::move(out));
        },
        "impurity"_a, "counts"_a, "costs"_a.none());

    // A unit that learns row by row: errors, and by row and input step sizes, weights, traces.
    m.def(
        "idbd",
        [](const Table& x, const VectorIn<double>& y, const VectorIn<double>& w, double theta,
           double alpha) {
            const std::size_t rows = x.shape(0), inputs = x.shape(1);
            const std::size_t n = (inputs + 3) / 4 * 4;
            AlignedDoubles row(n, 0.0), weights(n, 0.0), traces(n, 0.0), steps(n, 0.0);
            AlignedDoubles log_steps(n, ln(alpha));
            std::vector<double> errors, all_steps, all_weights, all_traces;
            const auto put = [&](std::vector<double>& out, const AlignedDoubles& from) {
                out.insert(out.end(), from.data(), from.data() + inputs);
            };
            for (std::size_t r = 0; r < rows; ++r) {
                std::copy_n(x.data() + r * inputs, inputs, row.data());
                errors.push_back(kernels().linear_step(
                    {row.data(), n, weights.data(), log_steps.data(), traces.data(), steps.data(),
                     y.data()[r], theta, w.data()[r]}));
                put(all_steps, steps);
                put(all_weights, weights);
                put(all_traces, traces);
            }
            const std::initializer_list<std::size_t> shape = {rows, inputs};
            return nb::make_tuple(owned(std::move(errors)),
                                  owned<Matrix<double>>(std::move(all_steps), shape),
                                  owned<Matrix<double>>(std::move(all_weights), shape),
                                  owned<Matrix<double>>(std::move(all_traces), shape));
        },
        "x"_a, "y"_a, "w"_a, "theta"_a, "alpha"_a,
        nb::sig("def idbd(x: numpy.typing.NDArray[numpy.float64], "
                "y: numpy.typing.NDArray[numpy.float64], w: numpy.typing.NDArray[numpy.float64], "
                "theta: float, alpha: float) -> tuple[numpy.typing.NDArray[numpy.float64], "
                "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                "numpy.typing.NDArray[numpy.float64]]"));

    m.def(
        "normal_cdf", [](const VectorIn<double>& z) { return mapped(z, kernels().normal_cdf); },
        "z"_a);
    m.def("xlog2x", [](const VectorIn<double>& x) { return mapped(x, kernels().xlog2x); }, "x"_a);
    m.def(
        "exponential", [](const VectorIn<double>& x) { return mapped(x, kernels().exponential); },
        "x"_a);
    m.def(
        "logarithm", [](const VectorIn<double>& x) { return mapped(x, kernels().logarithm); },
        "x"_a);

    m.def("instruction_set", [] { return std::string(kernels().name); });
    m.def(
        "use_instruction_set",
        [](const std::string& name) {
            const Kernels* const k = kernels_named(name.c_str());
            if (k) use_kernels(*k);
            return k != nullptr;
        },
        "name"_a);
}
