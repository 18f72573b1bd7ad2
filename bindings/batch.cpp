// Rows from Python.
#include "batch.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "../core/data/limits.hpp"
#include "../core/data/uncertain_table.hpp"
#include "../core/tree/tree.hpp"
#include "arrays.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

Column column_of(const AnyArray& a, std::size_t axis) {
    Column c;
    c.data = a.data();
    if (a.dtype() == nb::dtype<double>()) {
        c.type = Column::Type::f64;
    } else if (a.dtype() == nb::dtype<float>()) {
        c.type = Column::Type::f32;
    } else if (a.dtype() == nb::dtype<std::int32_t>()) {
        c.type = Column::Type::code;
    } else if (a.dtype() == nb::dtype<std::int8_t>()) {
        c.type = Column::Type::code8;
    } else {
        throw std::invalid_argument("a column must be float64, float32 or codes");
    }
    c.stride = a.stride(axis) * static_cast<std::ptrdiff_t>(a.itemsize());
    return c;
}

PyBatch batch_of_matrix(const AnyArray& matrix) {
    if (matrix.ndim() != 2) throw std::invalid_argument("a matrix must have two dimensions");
    PyBatch out;
    out.batch.rows = matrix.shape(0);
    const Column first = column_of(matrix, 0);
    const std::ptrdiff_t step = matrix.stride(1) * static_cast<std::ptrdiff_t>(matrix.itemsize());
    for (std::size_t f = 0; f < matrix.shape(1); ++f) {
        Column c = first;
        c.data = static_cast<const char*>(first.data) + static_cast<std::ptrdiff_t>(f) * step;
        out.batch.columns.push_back(c);
    }
    out.arrays.push_back(matrix);
    return out;
}

PyBatch batch_of_columns(std::size_t rows, const nb::list& columns) {
    PyBatch out;
    out.batch.rows = rows;
    for (const nb::handle given : columns) {
        if (given.is_none()) {
            out.batch.columns.emplace_back();
            continue;
        }
        const auto column = nb::cast<AnyArray>(given);
        if (column.ndim() != 1 || column.shape(0) != rows) {
            throw std::invalid_argument("columns must have one dimension and one length");
        }
        out.batch.columns.push_back(column_of(column, 0));
        out.arrays.push_back(column);
    }
    return out;
}

// The batch, or its first fault: ("starts" | "column" | "unsorted", row, value). The places are copied,
// because a thread that changes them meanwhile would lead the reader out of its memory.
nb::object batch_of_sparse(const VectorIn<std::int64_t>& starts,
                           const VectorIn<std::int32_t>& columns, const AnyArray& values,
                           std::size_t width) {
    if (starts.shape(0) == 0 || values.ndim() != 1 || values.shape(0) != columns.shape(0)) {
        throw std::invalid_argument("one column a value, and one start a row");
    }
    PyBatch out;
    out.arrays.push_back(values);
    out.starts.assign(starts.data(), starts.data() + starts.shape(0));
    out.columns.assign(columns.data(), columns.data() + columns.shape(0));
    out.batch.rows = starts.shape(0) - 1;
    SparseRows& rows = out.batch.sparse;
    rows.starts = out.starts.data();
    rows.columns = out.columns.data();
    rows.values = column_of(values, 0);
    if (rows.values.type != Column::Type::f64 && rows.values.type != Column::Type::f32) {
        throw std::invalid_argument("sparse values must be float64 or float32");
    }
    rows.width = width;
    std::optional<SparseFault> fault;
    {
        const nb::gil_scoped_release free;
        fault = find_fault(rows, out.batch.rows, out.columns.size());
    }
    if (!fault) return nb::cast(std::move(out));
    static constexpr const char* names[] = {"starts", "column", "unsorted"};
    return nb::make_tuple(names[static_cast<std::size_t>(fault->kind)], fault->row, fault->value);
}

void set_uncertain_of(PyBatch& b, const VectorIn<std::int64_t>& rows,
                      const VectorIn<std::int32_t>& features, const VectorIn<std::uint8_t>& types,
                      const VectorIn<double>& numbers, const VectorIn<std::int64_t>& starts,
                      const VectorIn<double>& points, const VectorIn<double>& weights) {
    const std::size_t n = rows.shape(0);
    if (features.shape(0) != n || types.shape(0) != n || numbers.shape(0) != 4 * n ||
        starts.shape(0) != n + 1 || weights.shape(0) != points.shape(0)) {
        throw std::invalid_argument("one entry a value");
    }
    set_uncertain(b.batch, {n, points.shape(0), rows.data(), features.data(), types.data(),
                            numbers.data(), starts.data(), points.data(), weights.data()});
}

// The same rows with these columns only, without uncertain values; those it lacks are missing.
PyBatch only_columns(const PyBatch& b, const std::vector<std::size_t>& features) {
    PyBatch out = b;
    out.batch.uncertain.clear();
    out.batch.columns.clear();
    for (const std::size_t f : features) {
        out.batch.columns.push_back(f < b.batch.columns.size() ? b.batch.columns[f] : Column{});
    }
    return out;
}

}  // namespace

void bind_batch(nb::module_& m) {
    m.attr("MAX_FEATURES") = max_features;
    m.attr("MAX_CLASSES") = max_classes;
    m.attr("MAX_CATEGORIES") = max_categories;

    nb::class_<PyBatch>(m, "Batch")
        .def_static("of_matrix", batch_of_matrix, "matrix"_a.noconvert(),
                    nb::sig("def of_matrix(matrix: numpy.typing.NDArray[typing.Any]) -> Batch"))
        .def_static("of_columns", batch_of_columns, "rows"_a, "columns"_a,
                    nb::sig("def of_columns(rows: int, columns: typing.Sequence["
                            "numpy.typing.NDArray[typing.Any] | None]) -> Batch"))
        .def_static("of_sparse", batch_of_sparse, "starts"_a.noconvert(), "columns"_a.noconvert(),
                    "values"_a.noconvert(), "width"_a,
                    nb::sig("def of_sparse(starts: numpy.typing.NDArray[numpy.int64], "
                            "columns: numpy.typing.NDArray[numpy.int32], "
                            "values: numpy.typing.NDArray[typing.Any], width: int) -> "
                            "Batch | tuple[str, int, int]"))
        .def("set_uncertain", set_uncertain_of, "rows"_a, "features"_a, "types"_a, "numbers"_a,
             "starts"_a, "points"_a, "weights"_a)
        .def_prop_ro("rows", [](const PyBatch& b) { return b.batch.rows; })
        .def("select", only_columns, "features"_a)
        .def(
            "find_infinite",
            [](const PyBatch& b) -> nb::object {
                std::optional<Place> place;
                {
                    const nb::gil_scoped_release free;
                    place = find_infinite(b.batch);
                }
                if (!place) return nb::none();
                return nb::make_tuple(place->row, place->column);
            },
            nb::sig("def find_infinite(self) -> tuple[int, int] | None"));
}
