// The forest, as Python holds it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "../core/forest/forest.hpp"
#include "arrays.hpp"
#include "learner.hpp"
#include "parts.hpp"
#include "settings.hpp"
#include "snapshots.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

ForestSettings forest_settings(const nb::dict& d) {
    ForestSettings s;
    s.tree = settings_of(nb::cast<nb::dict>(d["tree"]));
    s.members = nb::cast<std::size_t>(d["members"]);
    s.rate = nb::cast<double>(d["rate"]);
    s.none = nb::cast<double>(d["none"]);
    if (!d["patch"].is_none()) s.patch = subspace_of(d["patch"]);
    const auto how = nb::cast<std::string>(d["replacement"]);
    s.replacement = how == "none"    ? Replacement::none
                    : how == "worst" ? Replacement::worst
                                     : Replacement::background;
    s.drawn_background = nb::cast<bool>(d["drawn_background"]);
    s.weighted = nb::cast<bool>(d["weighted"]);
    // A detector that has seen nothing: each member gets one like it.
    if (!d["warning"].is_none()) s.warning = nb::cast<AnyDetector>(d["warning"]);
    if (!d["drift"].is_none()) s.drift = nb::cast<AnyDetector>(d["drift"]);
    s.seed = nb::cast<std::uint64_t>(d["seed"]);
    s.threads = nb::cast<std::size_t>(d["threads"]);
    if (!d["max_bytes"].is_none()) s.max_bytes = nb::cast<std::size_t>(d["max_bytes"]);
    return s;
}

nb::dict snapshot(const Forest& forest) {
    const ForestSnapshot s = [&] {
        const nb::gil_scoped_release free;
        return forest.snapshot();
    }();
    nb::dict d;
    ForestSnapshot::each(s, [&](const char* name, const auto& values) { d[name] = owned(values); });
    for (std::size_t t = 0; t < s.trees.size(); ++t) {
        write_snapshot(s.trees[t], "tree" + std::to_string(t) + ".", d);
    }
    return d;
}

std::unique_ptr<Forest> restored(const nb::dict& settings, const nb::dict& arrays) {
    const ForestSettings made = forest_settings(settings);
    ForestSnapshot s;
    ArrayReader reader(arrays, "");
    ForestSnapshot::each(s, reader);
    std::size_t read = reader.read();
    for (std::size_t t = 0; t < s.generation.size() && t < 2 * made.members; ++t) {
        ArrayReader tree(arrays, "tree" + std::to_string(t) + ".");
        s.trees.push_back(read_snapshot(tree, made.tree));
        read += tree.read();
    }
    if (read != nb::len(arrays)) throw std::invalid_argument("an unknown array");
    return Forest::restore(made, s);
}

}  // namespace

void bind_forest(nb::module_& m) {
    nb::class_<Forest> engine(m, "Forest");
    bind_learner(engine);
    engine
        .def("__init__", [](Forest* self, const nb::dict& settings) {
            new (self) Forest(forest_settings(settings));
        }, "settings"_a, nb::sig("def __init__(self, settings: dict[str, object]) -> None"))
        .def("set_threads", &Forest::set_threads, "threads"_a)
        .def_prop_ro("n_members", &Forest::n_members)
        .def("tree", &Forest::tree, "member"_a, nb::call_guard<nb::gil_scoped_release>(),
             nb::sig("def tree(self, member: int) -> Engine"))
        .def("features_of", &Forest::features_of, "member"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def("votes", [](const Forest& f, const PyBatch& b, std::size_t width) {
            std::vector<double> shares, weights;
            {
                const nb::gil_scoped_release free;
                f.votes(b.batch, width, shares, weights);
            }
            const std::size_t n = weights.size();
            return nb::make_tuple(owned<Matrix<double>>(std::move(shares), {n, width}),
                                  owned(std::move(weights)));
        }, "batch"_a, "width"_a,
           nb::sig("def votes(self, batch: Batch, width: int) -> "
                   "tuple[numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64]]"))
        .def("records", [](const Forest& f) {
            const auto all = [&] {
                const nb::gil_scoped_release free;
                return f.records();
            }();
            nb::list out;
            for (const Record& s : all) {
                out.append(nb::make_tuple(s.weight, s.accuracy, s.warnings, s.drifts, s.background));
            }
            return out;
        }, nb::sig("def records(self) -> list[tuple[float, float, int, int, bool]]"))
        .def("snapshot", snapshot,
             nb::sig("def snapshot(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"))
        .def_static("restore", restored, "settings"_a, "arrays"_a,
                    nb::sig("def restore(settings: dict[str, object], "
                            "arrays: dict[str, numpy.typing.NDArray[typing.Any]]) -> Forest"));
}
