// The loops of batch trees: bins, tables of counts, sorted lists, streaming histograms.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "../core/batch/list_scan.hpp"
#include "../core/batch/row_bins.hpp"
#include "../core/named.hpp"
#include "../core/statistics/streaming_histogram.hpp"
#include "arrays.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

template <class T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using BinsIn = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using BinsOut = nb::ndarray<std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void check(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// The rows of a worker. It refers to arrays, which the caller keeps.
RowBins rows_of(const BinsIn& bins, const VectorIn<std::uint16_t>& labels,
                const VectorIn<std::uint8_t>& weights, std::size_t width, std::size_t classes) {
    const std::size_t n = bins.shape(0);
    check(labels.shape(0) == n, "there must be one label per row");
    check(weights.shape(0) == 0 || weights.shape(0) == n, "there must be one weight per row");
    return {bins.data(),   bins.shape(1), width,
            labels.data(), classes,       weights.shape(0) ? weights.data() : nullptr};
}

void check_rows(const std::uint32_t* rows, std::size_t count, std::size_t n) {
    for (std::size_t i = 0; i < count; ++i) check(rows[i] < n, "a row does not exist");
}

std::vector<double> list_of(std::span<const double> x) { return {x.begin(), x.end()}; }

// A histogram with its limit.
struct Histogram {
    StreamingHistogram bins;
    std::size_t limit;
};

}  // namespace

void bind_batch_trees(nb::module_& m) {
    m.def(
        "bin_numbers",
        [](const nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>& x,
           const VectorIn<double>& cuts, BinsOut& out, std::size_t feature) {
            check(cuts.shape(0) <= 254, "there are at most 254 cuts");
            check(x.shape(0) == out.shape(0) && feature < out.shape(1), "no such column");
            const nb::gil_scoped_release free;
            bin_numbers(x.data(), x.stride(0), x.shape(0), {cuts.data(), cuts.shape(0)},
                        out.data() + feature, out.shape(1));
        },
        "x"_a, "cuts"_a, "out"_a, "feature"_a);
    m.def(
        "count_rows",
        [](const BinsIn& bins, const VectorIn<std::uint16_t>& labels,
           const VectorIn<std::uint8_t>& weights, std::size_t width, std::size_t classes,
           const VectorIn<std::uint32_t>& rows, Out<std::uint64_t>& table) {
            const RowBins all = rows_of(bins, labels, weights, width, classes);
            check(table.shape(0) == all.features * width * classes, "the table has another size");
            const nb::gil_scoped_release free;
            check_rows(rows.data(), rows.shape(0), bins.shape(0));
            count_rows(all, {rows.data(), rows.shape(0)}, table.data());
        },
        "bins"_a, "labels"_a, "weights"_a, "width"_a, "classes"_a, "rows"_a, "table"_a);
    m.def(
        "divide_rows",
        [](const BinsIn& bins, Out<std::uint32_t>& rows, std::size_t feature,
           const VectorIn<std::uint8_t>& goes_left) {
            check(feature < bins.shape(1) && goes_left.shape(0) == 256, "no such feature");
            for (std::size_t i = 0; i < 256; ++i) check(goes_left.data()[i] <= 1, "0 or 1");
            const RowBins all{bins.data(), bins.shape(1), 0, nullptr, 0, nullptr};
            const nb::gil_scoped_release free;
            check_rows(rows.data(), rows.shape(0), bins.shape(0));
            return divide_rows(all, {rows.data(), rows.shape(0)}, feature, goes_left.data());
        },
        "bins"_a, "rows"_a, "feature"_a, "goes_left"_a);
    m.def(
        "draw_weights",
        [](std::uint64_t seed, std::uint64_t tree, std::uint64_t first_row, std::size_t rows) {
            std::vector<std::uint8_t> weights(rows);
            draw_weights(seed, tree, first_row, weights);
            return owned(std::move(weights));
        },
        "seed"_a, "tree"_a, "first_row"_a, "rows"_a,
        nb::sig("def draw_weights(seed: int, tree: int, first_row: int, rows: int) -> "
                "numpy.typing.NDArray[numpy.uint8]"));
    // The best cut of each node by its table, as (feature, bin, gain).
    m.def(
        "best_cuts",
        [](const std::string& impurity, const VectorIn<std::uint64_t>& tables,
           const VectorIn<std::uint8_t>& categorical, const VectorIn<std::uint32_t>& n_bins,
           std::size_t width, std::size_t classes, double least) {
            const std::size_t features = n_bins.shape(0), size = features * width * classes;
            check(categorical.shape(0) == features && size > 0 && tables.shape(0) % size == 0,
                  "the tables have another size");
            for (std::size_t f = 0; f < features; ++f) {
                check(n_bins.data()[f] < width, "a feature has too many bins");
            }
            const std::size_t nodes = tables.shape(0) / size;
            std::vector<std::int32_t> feature(nodes), bin(nodes);
            std::vector<double> gain(nodes);
            {
                const nb::gil_scoped_release free;
                CutGains gains(by_name<AnyImpurity>(impurity).value(), classes, least);
                for (std::size_t i = 0; i < nodes; ++i) {
                    const BatchCut cut =
                        best_cut(gains, tables.data() + i * size, categorical.data(), n_bins.data(),
                                 features, width, classes);
                    feature[i] = cut.feature;
                    bin[i] = cut.bin;
                    gain[i] = cut.gain;
                }
            }
            return nb::make_tuple(owned(std::move(feature)), owned(std::move(bin)),
                                  owned(std::move(gain)));
        },
        "impurity"_a, "tables"_a, "categorical"_a, "n_bins"_a, "width"_a, "classes"_a, "least"_a,
        nb::sig("def best_cuts(impurity: str, tables: numpy.typing.NDArray[numpy.uint64], "
                "categorical: numpy.typing.NDArray[numpy.uint8], "
                "n_bins: numpy.typing.NDArray[numpy.uint32], width: int, classes: int, "
                "least: float) -> tuple[numpy.typing.NDArray[numpy.int32], "
                "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]"));
    // The best cut of each node in a section of a sorted list, as (threshold, gain).
    m.def(
        "scan_lists",
        [](const std::string& impurity, const VectorIn<double>& values,
           const VectorIn<std::uint16_t>& labels, const VectorIn<std::int64_t>& starts,
           const VectorIn<double>& before, const VectorIn<double>& last,
           const VectorIn<double>& known, const VectorIn<double>& weight, std::size_t classes,
           double least) {
            const std::size_t nodes = weight.shape(0), n = values.shape(0);
            check(labels.shape(0) == n && starts.shape(0) == nodes + 1 &&
                      before.shape(0) == nodes * classes && known.shape(0) == nodes * classes &&
                      last.shape(0) == nodes,
                  "the arrays of a section have other sizes");
            check(starts.data()[0] == 0 && starts.data()[nodes] == static_cast<std::int64_t>(n),
                  "the nodes do not cover the section");
            for (std::size_t i = 0; i < nodes; ++i) {
                check(starts.data()[i] <= starts.data()[i + 1], "the nodes are not in order");
            }
            for (std::size_t i = 0; i < n; ++i) {
                check(labels.data()[i] < classes, "a class does not exist");
            }
            std::vector<double> thresholds(nodes), gains(nodes);
            {
                const nb::gil_scoped_release free;
                scan_lists({values.data(), labels.data(), starts.data(), nodes, before.data(),
                            last.data(), known.data(), weight.data(), classes},
                           by_name<AnyImpurity>(impurity).value(), least, thresholds.data(),
                           gains.data());
            }
            return nb::make_tuple(owned(std::move(thresholds)), owned(std::move(gains)));
        },
        "impurity"_a, "values"_a, "labels"_a, "starts"_a, "before"_a, "last"_a, "known"_a,
        "weight"_a, "classes"_a, "least"_a,
        nb::sig("def scan_lists(impurity: str, values: numpy.typing.NDArray[numpy.float64], "
                "labels: numpy.typing.NDArray[numpy.uint16], "
                "starts: numpy.typing.NDArray[numpy.int64], "
                "before: numpy.typing.NDArray[numpy.float64], "
                "last: numpy.typing.NDArray[numpy.float64], "
                "known: numpy.typing.NDArray[numpy.float64], "
                "weight: numpy.typing.NDArray[numpy.float64], classes: int, least: float) -> "
                "tuple[numpy.typing.NDArray[numpy.float64], "
                "numpy.typing.NDArray[numpy.float64]]"));

    nb::class_<Histogram>(m, "StreamingHistogram")
        .def(
            "__init__",
            [](Histogram* self, std::size_t n_bins) {
                check(n_bins >= 2, "n_bins must be at least 2");
                new (self) Histogram{{}, n_bins};
            },
            "n_bins"_a)
        .def(
            "update",
            [](Histogram& h, const VectorIn<double>& x, const VectorIn<double>& w) {
                check(w.shape(0) == x.shape(0), "there must be one weight per value");
                const nb::gil_scoped_release free;
                for (std::size_t i = 0; i < x.shape(0); ++i) {
                    h.bins.update(x.data()[i], w.data()[i], h.limit);
                }
            },
            "x"_a, "w"_a)
        .def(
            "merge",
            [](Histogram& h, const Histogram& other) { h.bins.merge(other.bins, h.limit); },
            "other"_a)
        .def(
            "restore",
            [](Histogram& h, const VectorIn<double>& places, const VectorIn<double>& weights,
               double low, double high, double total, bool exact) {
                h.bins = StreamingHistogram::restore({places.data(), places.shape(0)},
                                                     {weights.data(), weights.shape(0)}, low, high,
                                                     total, exact, h.limit);
            },
            "places"_a, "weights"_a, "low"_a, "high"_a, "total"_a, "exact"_a)
        .def(
            "sum", [](const Histogram& h, double b) { return h.bins.sum(b); }, "b"_a)
        .def(
            "at_or_below", [](const Histogram& h, double b) { return h.bins.at_or_below(b); },
            "b"_a)
        .def(
            "uniform",
            [](const Histogram& h, std::size_t parts) {
                return owned(uniform({list_of(h.bins.places()), list_of(h.bins.weights())},
                                     h.bins.low(), h.bins.high(), parts));
            },
            "parts"_a,
            nb::sig("def uniform(self, parts: int) -> "
                    "numpy.typing.NDArray[numpy.float64]"))
        .def_prop_ro(
            "places", [](const Histogram& h) { return owned(list_of(h.bins.places())); },
            nb::rv_policy::automatic,
            nb::sig("def places(self) -> numpy.typing.NDArray[numpy.float64]"))
        .def_prop_ro(
            "weights", [](const Histogram& h) { return owned(list_of(h.bins.weights())); },
            nb::rv_policy::automatic,
            nb::sig("def weights(self) -> numpy.typing.NDArray[numpy.float64]"))
        .def_prop_ro("low", [](const Histogram& h) { return h.bins.low(); })
        .def_prop_ro("high", [](const Histogram& h) { return h.bins.high(); })
        .def_prop_ro("total", [](const Histogram& h) { return h.bins.total(); })
        .def_prop_ro("exact", [](const Histogram& h) { return h.bins.is_exact(); });
}
