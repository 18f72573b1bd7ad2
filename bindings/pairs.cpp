// The forest of pairs, as Python holds it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/unique_ptr.h>

#include "../core/forest/pairs.hpp"
#include "ensemble.hpp"
#include "parts.hpp"
#include "settings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

PairSettings pair_settings(const nb::dict& d) {
    PairSettings s;
    s.tree = settings_of(nb::cast<nb::dict>(d["tree"]));
    s.tree.lean = true;
    s.shared = nb::cast<bool>(d["shared"]);
    // A detector that has seen nothing: each pair gets one like it.
    if (!d["drift"].is_none()) s.drift = nb::cast<AnyDetector>(d["drift"]);
    s.threads = nb::cast<std::size_t>(d["threads"]);
    if (!d["max_bytes"].is_none()) s.max_bytes = nb::cast<std::size_t>(d["max_bytes"]);
    return s;
}

std::unique_ptr<PairForest> restored(const nb::dict& settings, const nb::dict& arrays) {
    const PairSettings made = pair_settings(settings);
    return PairForest::restore(made, read_ensemble<PairSnapshot>(arrays, made.tree));
}

}  // namespace

void bind_pairs(nb::module_& m) {
    nb::class_<PairForest> engine(m, "PairForest");
    bind_ensemble(engine);
    engine
        .def(
            "__init__",
            [](PairForest* self, const nb::dict& settings) {
                new (self) PairForest(pair_settings(settings));
            },
            "settings"_a, nb::sig("def __init__(self, settings: dict[str, object]) -> None"))
        .def_prop_ro("n_classes_seen", &PairForest::n_classes_seen,
                     nb::call_guard<nb::gil_scoped_release>())
        .def(
            "records",
            [](const PairForest& f) {
                const auto all = [&] {
                    const nb::gil_scoped_release free;
                    return f.records();
                }();
                nb::list out;
                for (const PairRecord& p : all) {
                    out.append(nb::make_tuple(p.tree, p.low, p.high, p.drifts));
                }
                return out;
            },
            nb::sig("def records(self) -> list[tuple[Engine, int, int, int]]"))
        .def("snapshot", write_ensemble<PairForest>,
             nb::sig("def snapshot(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"))
        .def_static("restore", restored, "settings"_a, "arrays"_a,
                    nb::sig("def restore(settings: dict[str, object], "
                            "arrays: dict[str, numpy.typing.NDArray[typing.Any]]) -> PairForest"));
}
