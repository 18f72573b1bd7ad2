// Summaries of rows for a tree that several workers learn.
#include "../core/tree/summary.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../core/tree/turn.hpp"
#include "batch.hpp"
#include "learner.hpp"
#include "names.hpp"
#include "parts.hpp"
#include "settings.hpp"
#include "snapshots.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

// What grow_and_learn() asks of an engine. The bytes of names do not matter: a summary has no limit.
struct Growing {
    Summary& summary;

    void add_names(std::size_t) const noexcept {}
    void add_features(const std::vector<Kind>& kinds) const { summary.add_features(kinds); }
    void watch(std::size_t, bool) const noexcept {}
    void leave_out(std::size_t, std::size_t) const noexcept {}
    void expect_categories(std::size_t, const std::vector<std::uint32_t>&) const noexcept {}
    void expect_classes(const std::vector<std::uint32_t>&) const noexcept {}
    void declare_classes(std::size_t count) const { summary.declare_classes(count); }
    void expect_nothing(std::size_t) const noexcept {}
    [[nodiscard]] Facts facts() const noexcept { return summary.facts(); }
    [[nodiscard]] std::size_t n_categories(std::size_t f) const { return summary.n_categories(f); }
};

Snapshot snapshot_of(const Tree& tree) {
    const nb::gil_scoped_release free;
    return tree.snapshot();
}

std::unique_ptr<Summary> restore(const nb::dict& settings, const nb::dict& arrays) {
    const TreeSettings made = settings_of(settings);
    ArrayReader reader(arrays, "");
    const Snapshot s = read_snapshot(reader, made);
    if (reader.read() != nb::len(arrays)) throw std::invalid_argument("an unknown array");
    return Summary::restore(made, s);
}

nb::dict snapshot(const Summary& summary) {
    nb::dict d;
    write_snapshot(summary.snapshot(), "", d);
    return d;
}

nb::tuple learn(Summary& s, const PyBatch& b, const VectorIn<std::int32_t>& y,
                const std::optional<VectorIn<double>>& w, const nb::object& names,
                const nb::object& grow) {
    demand_rows(y, b);
    const double* const weights = weights_of(w, y.shape(0));
    PredictionArrays room(y.shape(0), 0);
    Growing growing{s};
    grow_and_learn(growing, names, grow, [&](NewNames*) {
        without_interpreter_until_signal(b.batch.rows > 1, [&](Stop* stop) {
            s.learn(b.batch, y.data(), weights, room.predictions, stop);
        });
    });
    return room.release(0);
}

// `features`: [feature there] the feature here; `categories`: [feature there][category].
void merge(Summary& s, const Summary& other, const std::vector<std::uint32_t>& features,
           std::vector<std::vector<std::uint32_t>> categories, std::vector<std::uint32_t> classes) {
    const nb::gil_scoped_release free;
    const Features &here = s.features(), &there = other.features();
    if (features.size() != there.size() || categories.size() != there.size()) {
        throw std::invalid_argument("codes must be given for all features");
    }
    Relabelling codes;
    codes.classes = std::move(classes);
    for (std::size_t f = 0; f < features.size(); ++f) {
        if (features[f] >= here.size() || here[features[f]].kind != there[f].kind) {
            throw std::invalid_argument("a feature has another kind");
        }
        const auto slot = static_cast<std::uint32_t>(here[features[f]].slot);
        if (there[f].kind == Kind::numeric) {
            codes.numeric.push_back(slot);
        } else {
            codes.categorical.push_back(slot);
            codes.categories.push_back(std::move(categories[f]));
        }
    }
    s.merge(other, codes);
}

}  // namespace

void bind_summary(nb::module_& m) {
    const nb::call_guard<nb::gil_scoped_release> released;
    m.def(
        "why_unmergeable",
        [](const nb::dict& settings) { return why_unmergeable(settings_of(settings)); },
        "settings"_a, nb::sig("def why_unmergeable(settings: dict[str, object]) -> str"));
    nb::class_<Summary>(m, "Summary")
        .def(
            "__init__",
            [](Summary* self, const Tree& tree) {
                Snapshot s = snapshot_of(tree);
                const nb::gil_scoped_release free;
                new (self) Summary(tree.settings(), std::move(s));
            },
            "tree"_a)
        .def("another", &Summary::another, released)
        .def_static("restore", restore, "settings"_a, "arrays"_a,
                    nb::sig("def restore(settings: dict[str, object], "
                            "arrays: dict[str, numpy.typing.NDArray[typing.Any]]) -> Summary"))
        .def("snapshot", snapshot,
             nb::sig("def snapshot(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"))
        .def(
            "add_features",
            [](Summary& s, const std::vector<bool>& categorical) {
                std::vector<Kind> kinds;
                for (const bool c : categorical)
                    kinds.push_back(c ? Kind::categorical : Kind::numeric);
                s.add_features(kinds);
            },
            "categorical"_a)
        .def(
            "set_costs",
            [](Summary& s, const nb::ndarray<const double, nb::ndim<2>, nb::c_contig,
                                             nb::device::cpu>& matrix) {
                if (matrix.shape(0) != matrix.shape(1))
                    throw std::invalid_argument("matrix must be square");
                s.set_costs(matrix.data(), matrix.shape(0));
            },
            "matrix"_a)
        .def_prop_ro("seen", [](const Summary& s) { return s.facts().seen; })
        .def("learn", learn, "batch"_a, "y"_a, "w"_a.none(), "names"_a.none() = nb::none(),
             "grow"_a.none() = nb::none(),
             nb::sig("def learn(self, batch: Batch, y: numpy.typing.NDArray[numpy.int32], "
                     "w: numpy.typing.NDArray[numpy.float64] | None, "
                     "names: tuple[typing.Any, ...] | None = None, "
                     "grow: typing.Callable[[], tuple[typing.Any, ...]] | None = None) -> "
                     "tuple[numpy.typing.NDArray[numpy.int32], None]"))
        .def("merge", merge, "other"_a, "features"_a, "categories"_a, "classes"_a)
        .def(
            "grow", [](const Summary& s, Tree& tree) { Turn(tree).absorb(s); }, "tree"_a, released)
        .def_static(
            "copy",
            [](const Tree& tree) { return Tree::restore(tree.settings(), tree.snapshot()); },
            "tree"_a, released);
}
