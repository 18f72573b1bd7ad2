// The forest, as Python holds it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <string>

#include "../core/forest/forest.hpp"
#include "ensemble.hpp"
#include "parts.hpp"
#include "settings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

ForestSettings forest_settings(const nb::dict& d) {
    ForestSettings s;
    s.tree = settings_of(nb::cast<nb::dict>(d["tree"]));
    s.tree.lean = true;
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

std::unique_ptr<Forest> restored(const nb::dict& settings, const nb::dict& arrays) {
    const ForestSettings made = forest_settings(settings);
    return Forest::restore(made, read_ensemble<ForestSnapshot>(arrays, made.tree));
}

}  // namespace

void bind_forest(nb::module_& m) {
    nb::class_<Forest> engine(m, "Forest");
    bind_ensemble(engine);
    engine
        .def(
            "__init__",
            [](Forest* self, const nb::dict& settings) {
                new (self) Forest(forest_settings(settings));
            },
            "settings"_a, nb::sig("def __init__(self, settings: dict[str, object]) -> None"))
        .def(
            "records",
            [](const Forest& f) {
                const auto all = [&] {
                    const nb::gil_scoped_release free;
                    return f.records();
                }();
                nb::list out;
                for (const Record& s : all) {
                    out.append(nb::make_tuple(s.tree, s.features, s.weight, s.accuracy, s.warnings,
                                              s.drifts, s.background));
                }
                return out;
            },
            nb::sig("def records(self) -> "
                    "list[tuple[Engine, list[int] | None, float, float, int, int, bool]]"))
        .def("snapshot", write_ensemble<Forest>,
             nb::sig("def snapshot(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"))
        .def_static("restore", restored, "settings"_a, "arrays"_a,
                    nb::sig("def restore(settings: dict[str, object], "
                            "arrays: dict[str, numpy.typing.NDArray[typing.Any]]) -> Forest"));
}
