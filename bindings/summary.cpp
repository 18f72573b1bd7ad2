// Summaries of rows, merged and taken apart.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../core/tree/summary.hpp"
#include "arrays.hpp"
#include "batch.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

nb::dict arrays(const Summary& summary) {
    SummaryArrays a = summary.arrays();
    nb::dict d;
    d["counts"] = owned(std::move(a.counts));
    const auto put = [&](const char* name, std::vector<double>& plane) {
        d[name] = owned<Matrix<double>>(std::move(plane), {a.classes, a.numeric});
    };
    put("known", a.known);
    put("mean", a.mean);
    put("squares", a.squares);
    put("low", a.low);
    put("high", a.high);
    nb::list cells;
    for (std::vector<double>& of_feature : a.cells) {
        const std::size_t values = of_feature.size() / a.classes;
        cells.append(owned<Matrix<double>>(std::move(of_feature), {a.classes, values}));
    }
    d["cells"] = cells;
    return d;
}

}  // namespace

void bind_summary(nb::module_& m) {
    nb::class_<Summary>(m, "Summary")
        .def("__init__", [](Summary* self, const std::vector<bool>& categorical) {
            std::vector<Kind> kinds;
            for (const bool c : categorical) kinds.push_back(c ? Kind::categorical : Kind::numeric);
            new (self) Summary(kinds);
        }, "categorical"_a)
        .def("learn", [](Summary& s, const PyBatch& b, const VectorIn<std::int32_t>& y,
                         const std::optional<VectorIn<double>>& w) {
            if (y.shape(0) != b.batch.rows) throw std::invalid_argument("one label a row");
            if (w && w->shape(0) != b.batch.rows) throw std::invalid_argument("one weight a row");
            const nb::gil_scoped_release free;
            s.learn(b.batch, y.data(), w ? w->data() : nullptr);
        }, "batch"_a, "y"_a, "w"_a.none())
        .def("merge", &Summary::merge, "other"_a)
        .def("downdate", &Summary::downdate, "other"_a)
        .def("arrays", arrays,
             nb::sig("def arrays(self) -> dict[str, typing.Any]"));
}
