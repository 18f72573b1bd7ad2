// What Python needs of every engine of several trees.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "learner.hpp"
#include "snapshots.hpp"

template <class Engine>
void bind_ensemble(nanobind::class_<Engine>& engine) {
    namespace nb = nanobind;
    using namespace nb::literals;
    bind_learner(engine);
    engine.def("set_threads", &Engine::set_threads, "threads"_a)
        .def_prop_ro("n_members", &Engine::n_members, nb::call_guard<nb::gil_scoped_release>())
        .def("tree", &Engine::tree, "member"_a, nb::call_guard<nb::gil_scoped_release>(),
             nb::sig("def tree(self, member: int) -> Engine"))
        .def(
            "votes",
            [](const Engine& f, const PyBatch& b, std::size_t width) {
                std::vector<double> shares, weights;
                {
                    const nb::gil_scoped_release free;
                    f.votes(b.batch, width, shares, weights);
                }
                const std::size_t n = weights.size();
                return nb::make_tuple(owned<Matrix<double>>(std::move(shares), {n, width}),
                                      owned(std::move(weights)));
            },
            "batch"_a, "width"_a,
            nb::sig("def votes(self, batch: Batch, width: int) -> "
                    "tuple[numpy.typing.NDArray[numpy.float64], "
                    "numpy.typing.NDArray[numpy.float64]]"));
}

// The arrays of an ensemble, and those of its trees under "tree0.", "tree1.", ...
template <class Engine>
nanobind::dict write_ensemble(const Engine& forest) {
    auto s = [&] {
        const nanobind::gil_scoped_release free;
        return forest.snapshot();
    }();
    nanobind::dict d;
    decltype(s)::each(s,
                      [&](const char* name, auto& values) { d[name] = owned(std::move(values)); });
    if constexpr (requires { s.is_last; }) {
        if (!s.is_last.empty()) {
            decltype(s)::each_of_kinds(
                s, [&](const char* name, auto& values) { d[name] = owned(std::move(values)); });
        }
    }
    for (std::size_t t = 0; t < s.trees.size(); ++t) {
        write_snapshot(std::move(s.trees[t]), "tree" + std::to_string(t) + ".", d);
    }
    return d;
}

template <class EnsembleSnapshot>
EnsembleSnapshot read_ensemble(const nanobind::dict& arrays,
                               const riparian::TreeSettings& of_tree) {
    EnsembleSnapshot s;
    ArrayReader reader(arrays, "");
    EnsembleSnapshot::each(s, reader);
    if constexpr (requires { s.is_last; }) {
        if (reader.has("is_last")) EnsembleSnapshot::each_of_kinds(s, reader);
    }
    std::size_t read = reader.read();
    for (std::size_t t = 0;; ++t) {
        ArrayReader tree(arrays, "tree" + std::to_string(t) + ".");
        if (!tree.has("test")) break;
        s.trees.push_back(read_snapshot(tree, of_tree));
        read += tree.read();
    }
    if (read != nanobind::len(arrays)) throw std::invalid_argument("an unknown array");
    return s;
}
