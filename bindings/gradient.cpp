// Gradient trees, as Python holds them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "../core/gradient/gradient_trees.hpp"
#include "../core/gradient/snapshot.hpp"
#include "learner.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

GradientSettings settings_of_gradient(const nb::dict& d) {
    const auto is = [&](const char* key, const char* name) {
        return nb::cast<std::string>(d[key]) == name;
    };
    GradientSettings s;
    s.depth = nb::cast<std::size_t>(d["depth"]);
    s.slope = nb::cast<double>(d["slope"]);
    s.learning_rate = nb::cast<double>(d["learning_rate"]);
    s.final_rate = nb::cast<double>(d["final_rate"]);
    s.settling = nb::cast<double>(d["settling"]);
    s.rate = is("rate", "constant") ? GradientSettings::Rate::constant
                                    : GradientSettings::Rate::normalised;
    s.loss = is("loss", "squared") ? GradientSettings::Loss::squared : GradientSettings::Loss::log;
    s.step = is("step", "plain") ? GradientSettings::Step::plain : GradientSettings::Step::tangent;
    s.standardise = nb::cast<bool>(d["standardise"]);
    s.seed = nb::cast<std::uint64_t>(d["random_state"]);
    if (!d["max_bytes"].is_none()) s.max_bytes = nb::cast<std::size_t>(d["max_bytes"]);
    return s;
}

nb::dict snapshot(const GradientTrees& trees) {
    GradientSnapshot s = [&] {
        const nb::gil_scoped_release free;
        return trees.snapshot();
    }();
    nb::dict d;
    GradientSnapshot::each(
        s, [&](const char* name, auto& values) { d[name] = owned(std::move(values)); });
    return d;
}

std::unique_ptr<GradientTrees> restore(const nb::dict& settings, const nb::dict& arrays) {
    GradientSnapshot s;
    std::size_t read = 0;
    GradientSnapshot::each(s, [&]<class T>(const char* name, std::vector<T>& values) {
        if (!arrays.contains(name)) {
            throw std::invalid_argument(std::string("the array ") + name + " is absent");
        }
        VectorIn<T> array;
        if (!nb::try_cast(arrays[name], array, false)) {
            throw std::invalid_argument(std::string("the array ") + name + " has another type");
        }
        values.assign(array.data(), array.data() + array.shape(0));
        ++read;
    });
    if (read != nb::len(arrays)) throw std::invalid_argument("an unknown array");
    return GradientTrees::restore(settings_of_gradient(settings), s);
}

nb::list explain(const GradientTrees& trees, const PyBatch& b) {
    std::vector<SoftNode> nodes;
    {
        const nb::gil_scoped_release free;
        nodes = trees.explain(b.batch);
    }
    nb::list out;
    for (const SoftNode& n : nodes) {
        out.append(nb::make_tuple(n.tree, n.node, n.reached, n.value, n.left));
    }
    return out;
}

}  // namespace

void bind_gradient(nb::module_& m) {
    m.attr("MAX_GRADIENT_DEPTH") = max_gradient_depth;
    nb::class_<GradientTrees> engine(m, "GradientEngine");
    engine.def(
        "__init__",
        [](GradientTrees* self, const nb::dict& settings) {
            new (self) GradientTrees(settings_of_gradient(settings));
        },
        "settings"_a, nb::sig("def __init__(self, settings: dict[str, object]) -> None"));
    bind_learner(engine);
    engine.def_prop_ro("n_trees", &GradientTrees::n_trees, nb::call_guard<nb::gil_scoped_release>())
        .def("explain", explain, "batch"_a,
             nb::sig(
                 "def explain(self, batch: Batch) -> list[tuple[int, int, float, float, float]]"))
        .def("snapshot", snapshot,
             nb::sig("def snapshot(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"))
        .def_static("restore", restore, "settings"_a, "arrays"_a,
                    nb::sig("def restore(settings: dict[str, object], arrays: dict[str, "
                            "numpy.typing.NDArray[typing.Any]]) -> GradientEngine"));
}
