// The forest of chunks, as Python holds it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "../core/forest/chunks.hpp"
#include "ensemble.hpp"
#include "parts.hpp"
#include "settings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

ChunkSettings chunk_settings(const nb::dict& d) {
    ChunkSettings s;
    s.tree = settings_of(nb::cast<nb::dict>(d["tree"]));
    s.tree.lean = true;
    s.rows = nb::cast<std::size_t>(d["rows"]);
    s.voting = nb::cast<std::size_t>(d["voting"]);
    s.stored = nb::cast<std::size_t>(d["stored"]);
    s.folds = nb::cast<std::size_t>(d["folds"]);
    s.epochs = nb::cast<std::size_t>(d["epochs"]);
    s.threads = nb::cast<std::size_t>(d["threads"]);
    if (!d["max_bytes"].is_none()) s.max_bytes = nb::cast<std::size_t>(d["max_bytes"]);
    return s;
}

std::unique_ptr<ChunkForest> restored(const nb::dict& settings, const nb::dict& arrays) {
    const ChunkSettings made = chunk_settings(settings);
    return ChunkForest::restore(made, read_ensemble<ChunkSnapshot>(arrays, made.tree));
}

}  // namespace

void bind_chunks(nb::module_& m) {
    nb::class_<ChunkForest> engine(m, "ChunkForest");
    bind_ensemble(engine);
    engine
        .def(
            "__init__",
            [](ChunkForest* self, const nb::dict& settings) {
                new (self) ChunkForest(chunk_settings(settings));
            },
            "settings"_a, nb::sig("def __init__(self, settings: dict[str, object]) -> None"))
        .def(
            "records",
            [](const ChunkForest& f) {
                const auto all = [&] {
                    const nb::gil_scoped_release free;
                    return f.records();
                }();
                nb::list out;
                for (const ChunkRecord& r : all) {
                    out.append(nb::make_tuple(r.tree, r.weight, r.vote, r.chunk, r.kept));
                }
                return out;
            },
            nb::sig("def records(self) -> list[tuple[Engine, float, float, int, bool]]"))
        .def("snapshot", write_ensemble<ChunkForest>,
             nb::sig("def snapshot(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"))
        .def_static("restore", restored, "settings"_a, "arrays"_a,
                    nb::sig("def restore(settings: dict[str, object], "
                            "arrays: dict[str, numpy.typing.NDArray[typing.Any]]) -> ChunkForest"));
}
