// Summaries of rows, merged and taken apart.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>

#include "../core/tree/summary.hpp"
#include "arrays.hpp"
#include "batch.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

// [class][numeric] of each plane, and of the weight of known values.
nb::dict arrays(const Summary& summary) {
    const Shape& s = summary.shape();
    const LeafStatistics& statistics = summary.statistics();
    const std::vector<double>& counts = summary.counts();
    const std::size_t classes = s.class_stride, n = s.numeric;
    nb::dict d;
    d["counts"] = owned(counts);
    const auto put = [&](const char* name, double empty, auto&& value) {
        std::vector<double> out(classes * n, empty);
        for (std::size_t k = 0; k < classes; ++k) {
            for (std::size_t f = 0; f < n && counts[k] > 0.0; ++f) {
                out[k * n + f] = value(statistics.gaussian(k, counts.data()), f);
            }
        }
        d[name] = owned<Matrix<double>>(std::move(out), {classes, n});
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    put("known", 0.0, [](const GaussianClass& c, std::size_t f) {
        return c.known ? c.known[f] : c.weight;
    });
    put("mean", 0.0, [&](const GaussianClass& c, std::size_t f) { return c.planes[mean * n + f]; });
    put("squares", 0.0,
        [&](const GaussianClass& c, std::size_t f) { return c.planes[squares * n + f]; });
    put("low", infinity, [&](const GaussianClass& c, std::size_t f) { return c.planes[low * n + f]; });
    put("high", -infinity,
        [&](const GaussianClass& c, std::size_t f) { return c.planes[high * n + f]; });
    nb::list cells;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        const std::uint32_t* const starts = statistics.starts(s) + c;
        const std::size_t values = starts[1] - starts[0];
        std::vector<double> out(classes * values, 0.0);
        for (std::size_t k = 0; k < classes; ++k) {
            if (!statistics.classes()[k]) continue;
            const double* const from = statistics.cells(s, k) + starts[0];
            std::copy_n(from, values, out.data() + k * values);
        }
        cells.append(owned<Matrix<double>>(std::move(out), {classes, values}));
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
