// The trees that restructure, as Python holds them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "../core/restructuring/chi_square.hpp"
#include "../core/restructuring/id4.hpp"
#include "../core/restructuring/tree.hpp"
#include "arrays.hpp"
#include "learner.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
namespace rs = riparian::restructuring;

namespace {

rs::Settings settings_of(const nb::dict& d) {
    rs::Settings s;
    s.multiway = nb::cast<std::string>(d["tests"]) == "multiway";
    s.rebuild = nb::cast<bool>(d["rebuild"]);
    s.lazy = nb::cast<bool>(d["lazy"]);
    if (nb::cast<std::string>(d["metric"]) == "gain-ratio") s.metric = rs::Metric::gain_ratio;
    if (!d["max_examples"].is_none()) s.max_examples = nb::cast<std::size_t>(d["max_examples"]);
    return s;
}

rs::Id4Settings id4_settings_of(const nb::dict& d) {
    return {nb::cast<double>(d["alpha"]), nb::cast<bool>(d["count_when_pure"])};
}

template <class Engine>
nb::dict nodes(const Engine& engine, const PyBatch* rows) {
    rs::Description d = [&] {
        const nb::gil_scoped_release free;
        return engine.describe(rows ? &rows->batch : nullptr);
    }();
    const std::size_t n = d.test.size();
    // Every leaf predicts by majority.
    nb::list predicted_by;
    for (const std::uint8_t test : d.test) {
        predicted_by.append(test == 0 ? nb::object(nb::str("majority")) : nb::none());
    }
    nb::dict out;
    if (rows) out["ends"] = owned(std::move(d.ends));
    out["test"] = owned(std::move(d.test));
    out["feature"] = owned(std::move(d.feature));
    out["threshold"] = owned(std::move(d.threshold));
    out["category"] = owned(std::move(d.category));
    out["parent"] = owned(std::move(d.parent));
    out["branch"] = owned(std::move(d.branch));
    out["heavy"] = owned(std::move(d.missing));
    out["depth"] = owned(std::move(d.depth));
    out["counts"] = owned<Matrix<double>>(d.totals, {n, d.classes});
    out["reached"] = owned<Matrix<double>>(d.totals, {n, d.classes});
    out["answer"] = owned<Matrix<double>>(std::move(d.totals), {n, d.classes});
    out["predicted_by"] = predicted_by;
    return out;
}

template <class Engine>
nb::dict snapshot(const Engine& engine) {
    auto s = [&] {
        const nb::gil_scoped_release free;
        return engine.snapshot();
    }();
    nb::dict d;
    decltype(s)::each(s,
                      [&](const char* name, auto& values) { d[name] = owned(std::move(values)); });
    return d;
}

template <class Snapshot>
Snapshot read(const nb::dict& arrays) {
    Snapshot s;
    std::size_t n = 0;
    Snapshot::each(s, [&]<class T>(const char* name, std::vector<T>& values) {
        if (!arrays.contains(name)) {
            throw std::invalid_argument(std::string("the array ") + name + " is absent");
        }
        VectorIn<T> array;
        if (!nb::try_cast(arrays[name], array, false)) {
            throw std::invalid_argument(std::string("the array ") + name + " has another type");
        }
        values.assign(array.data(), array.data() + array.shape(0));
        ++n;
    });
    if (n != nb::len(arrays)) throw std::invalid_argument("an unknown array");
    return s;
}

template <class Engine>
void bind_tree(nb::class_<Engine>& engine) {
    bind_learner(engine);
    engine.def_prop_ro("n_nodes", &Engine::n_nodes, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("n_leaves", &Engine::n_leaves, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("depth", &Engine::depth, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("weight", &Engine::weight, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro(
            "counters",
            [](const Engine& t) {
                const rs::Counters c = [&] {
                    const nb::gil_scoped_release free;
                    return t.counters();
                }();
                return nb::make_tuple(c.additions, c.scores, c.restructurings);
            },
            nb::sig("def counters(self) -> tuple[int, int, int]"))
        .def("nodes", nodes<Engine>, "rows"_a.none() = nb::none(),
             nb::sig("def nodes(self, rows: Batch | None = None) -> "
                     "dict[str, typing.Any]"))
        .def("snapshot", snapshot<Engine>,
             nb::sig("def snapshot(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"));
}

}  // namespace

void bind_restructuring(nb::module_& m) {
    m.attr("MAX_EXAMPLES") = rs::most_examples;
    nb::class_<rs::Tree> tree(m, "Restructuring");
    bind_tree(tree);
    tree.def(
            "__init__",
            [](rs::Tree* self, const nb::dict& settings) {
                new (self) rs::Tree(settings_of(settings));
            },
            "settings"_a, nb::sig("def __init__(self, settings: dict[str, object]) -> None"))
        .def_prop_ro("n_examples", &rs::Tree::n_examples, nb::call_guard<nb::gil_scoped_release>())
        .def_static(
            "restore",
            [](const nb::dict& settings, const nb::dict& arrays) {
                const auto made = settings_of(settings);
                const auto s = read<rs::Snapshot>(arrays);
                const nb::gil_scoped_release free;
                return rs::Tree::restore(made, s);
            },
            "settings"_a, "arrays"_a,
            nb::sig("def restore(settings: dict[str, object], "
                    "arrays: dict[str, numpy.typing.NDArray[typing.Any]]) -> Restructuring"));

    nb::class_<rs::Id4> id4(m, "Id4");
    bind_tree(id4);
    id4.def(
           "__init__",
           [](rs::Id4* self, const nb::dict& settings) {
               new (self) rs::Id4(id4_settings_of(settings));
           },
           "settings"_a, nb::sig("def __init__(self, settings: dict[str, object]) -> None"))
        .def_static(
            "restore",
            [](const nb::dict& settings, const nb::dict& arrays) {
                const auto made = id4_settings_of(settings);
                const auto s = read<rs::Id4Snapshot>(arrays);
                const nb::gil_scoped_release free;
                return rs::Id4::restore(made, s);
            },
            "settings"_a, "arrays"_a,
            nb::sig("def restore(settings: dict[str, object], "
                    "arrays: dict[str, numpy.typing.NDArray[typing.Any]]) -> Id4"));
    m.def(
        "chi_square",
        [](const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& table) {
            rs::ValueCounts counts;
            for (std::size_t i = 0; i < table.shape(0); ++i) {
                const std::span row(table.data() + i * table.shape(1), table.shape(1));
                counts.add(static_cast<std::int32_t>(i), row);
            }
            const rs::ChiSquare x = rs::chi_square(counts);
            return nb::make_tuple(x.statistic, x.freedom, x.freedom ? rs::log_tail(x) : 0.0);
        },
        "table"_a,
        nb::sig("def chi_square(table: numpy.typing.NDArray[numpy.float64]) -> "
                "tuple[float, int, float]"));
}
