// The forest of pairs, as Python holds it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "../core/forest/pairs.hpp"
#include "arrays.hpp"
#include "learner.hpp"
#include "parts.hpp"
#include "settings.hpp"
#include "snapshots.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

PairSettings pair_settings(const nb::dict& d) {
    PairSettings s;
    s.tree = settings_of(nb::cast<nb::dict>(d["tree"]));
    s.short_memory = nb::cast<std::size_t>(d["short_memory"]);
    s.shared = nb::cast<bool>(d["shared"]);
    // A detector that has seen nothing: each pair gets one like it.
    if (!d["drift"].is_none()) s.drift = nb::cast<AnyDetector>(d["drift"]);
    s.threads = nb::cast<std::size_t>(d["threads"]);
    if (!d["max_bytes"].is_none()) s.max_bytes = nb::cast<std::size_t>(d["max_bytes"]);
    return s;
}

nb::dict snapshot(const PairForest& forest) {
    const PairSnapshot s = [&] {
        const nb::gil_scoped_release free;
        return forest.snapshot();
    }();
    nb::dict d;
    PairSnapshot::each(s, [&](const char* name, const auto& values) { d[name] = owned(values); });
    for (std::size_t t = 0; t < s.trees.size(); ++t) {
        write_snapshot(s.trees[t], "tree" + std::to_string(t) + ".", d);
    }
    return d;
}

std::unique_ptr<PairForest> restored(const nb::dict& settings, const nb::dict& arrays) {
    const PairSettings made = pair_settings(settings);
    PairSnapshot s;
    ArrayReader reader(arrays, "");
    PairSnapshot::each(s, reader);
    std::size_t read = reader.read();
    for (std::size_t t = 0; t < s.drifts.size(); ++t) {
        ArrayReader tree(arrays, "tree" + std::to_string(t) + ".");
        s.trees.push_back(read_snapshot(tree, made.tree));
        read += tree.read();
    }
    if (read != nb::len(arrays)) throw std::invalid_argument("an unknown array");
    return PairForest::restore(made, s);
}

}  // namespace

void bind_pairs(nb::module_& m) {
    nb::class_<PairForest> engine(m, "PairForest");
    bind_learner(engine);
    engine
        .def("__init__", [](PairForest* self, const nb::dict& settings) {
            new (self) PairForest(pair_settings(settings));
        }, "settings"_a, nb::sig("def __init__(self, settings: dict[str, object]) -> None"))
        .def("set_threads", &PairForest::set_threads, "threads"_a)
        .def_prop_ro("n_classes_seen", &PairForest::n_classes_seen,
                     nb::call_guard<nb::gil_scoped_release>())
        .def("tree", &PairForest::tree, "pair"_a, nb::call_guard<nb::gil_scoped_release>(),
             nb::sig("def tree(self, pair: int) -> Engine"))
        .def("votes", [](const PairForest& f, const PyBatch& b) {
            std::vector<double> shares = [&] {
                const nb::gil_scoped_release free;
                return f.votes(b.batch);
            }();
            const std::size_t n = shares.size() / 2;
            return owned<Matrix<double>>(std::move(shares), {n, 2});
        }, "batch"_a,
           nb::sig("def votes(self, batch: Batch) -> numpy.typing.NDArray[numpy.float64]"))
        .def("records", [](const PairForest& f) {
            const auto all = [&] {
                const nb::gil_scoped_release free;
                return f.records();
            }();
            nb::list out;
            for (const PairRecord& p : all) out.append(nb::make_tuple(p.low, p.high, p.drifts));
            return out;
        }, nb::sig("def records(self) -> list[tuple[int, int, int]]"))
        .def("snapshot", snapshot,
             nb::sig("def snapshot(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"))
        .def_static("restore", restored, "settings"_a, "arrays"_a,
                    nb::sig("def restore(settings: dict[str, object], "
                            "arrays: dict[str, numpy.typing.NDArray[typing.Any]]) -> PairForest"));
}
