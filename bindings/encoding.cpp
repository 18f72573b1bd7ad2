// Values to codes: labels and categories, in the order of their first appearance.
#include <nanobind/nanobind.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "../core/encoding/codes.hpp"
#include "../core/encoding/flat_json.hpp"
#include "../core/encoding/json_depth.hpp"
#include "../core/encoding/labelled_rows.hpp"
#include "arrays.hpp"
#include "batch.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

nb::tuple encode_integers(const VectorIn<std::int64_t>& values, const nb::dict& known, bool grow) {
    CodeTable<std::int64_t> table(static_cast<std::int32_t>(nb::len(known)));
    for (const auto& [label, code] : known) {
        int overflow = 0;
        if (!PyLong_Check(label.ptr())) continue;
        const long long value = PyLong_AsLongLongAndOverflow(label.ptr(), &overflow);
        if (overflow == 0) table.know(value, nb::cast<std::int32_t>(code));
    }
    std::vector<std::int32_t> codes(values.shape(0));
    {
        const nb::gil_scoped_release free;
        encode(values.data(), codes.size(), table, grow, codes.data());
    }
    nb::list labels;
    for (const std::int64_t value : table.added()) labels.append(value);
    return nb::make_tuple(owned(std::move(codes)), labels);
}

// The category that all values beyond the limit of a feature share, as a key of a schema's codes
// (OTHER in src/riparian/data/values.py).
PyObject* other() { return Py_Ellipsis; }

std::int32_t code_of_other(const nb::dict& known) {
    PyObject* const code = PyDict_GetItemWithError(known.ptr(), other());
    if (!code && PyErr_Occurred()) throw nb::python_error();
    return code ? static_cast<std::int32_t>(PyLong_AsLong(code)) : unseen_code;
}

CodeTable<double> table_of(const nb::dict& known, std::size_t room) {
    CodeTable<double> table(static_cast<std::int32_t>(nb::len(known)), room, code_of_other(known));
    for (const auto& [value, code] : known) {
        double number = std::nan("");
        if (PyFloat_Check(value.ptr())) number = PyFloat_AsDouble(value.ptr());
        if (PyLong_Check(value.ptr())) number = PyLong_AsDouble(value.ptr());
        if (PyErr_Occurred()) PyErr_Clear();  // an integer beyond any double
        else if (number == number) table.know(number, nb::cast<std::int32_t>(code));
    }
    return table;
}

// A whole number is the integer of its value, so that 1.0 and 1 are one category.
nb::list values_of(const CodeTable<double>& table) {
    nb::list out;
    for (const double value : table.added()) {
        if (value == std::floor(value) && std::abs(value) < 0x1p63) {
            out.append(static_cast<std::int64_t>(value));
        } else {
            out.append(value);
        }
    }
    if (table.added_other()) out.append(nb::handle(other()));
    return out;
}

// Codes of all columns in type `Code`, or nothing if that is too narrow for them.
template <class Code>
std::optional<nb::tuple> encode_as(const PyBatch& columns, const std::vector<nb::dict>& known,
                                   bool grow, const std::vector<std::size_t>& rooms) {
    const std::size_t n = columns.batch.columns.size();
    const std::size_t rows = columns.batch.rows;
    std::vector<CodeTable<double>> tables;
    for (std::size_t c = 0; c < n; ++c) tables.push_back(table_of(known[c], rooms.at(c)));
    // Not zeroed first: every code is written.
    Code* const codes = new Code[rows * n];
    const nb::capsule owner(codes, [](void* p) noexcept { delete[] static_cast<Code*>(p); });
    std::optional<Place> infinite;
    {
        const nb::gil_scoped_release free;
        infinite = encode(columns.batch, tables, grow, codes);
    }
    nb::list added;
    for (const CodeTable<double>& table : tables) {
        if (table.next() > std::numeric_limits<Code>::max()) return std::nullopt;
        added.append(values_of(table));
    }
    nb::object place = nb::none();
    if (infinite) place = nb::make_tuple(infinite->row, infinite->column);
    return nb::make_tuple(Matrix<Code>(codes, {rows, n}, owner), added, place);
}

// Columns of float64 or float32; codes as [row][column], the new categories of each
// column, and the place of an infinite value or None. Narrow codes save the system
// from clearing three quarters of the memory.
nb::tuple encode_numbers(const PyBatch& columns, const nb::list& dicts, bool grow,
                         const nb::list& of_columns) {
    const auto known = vector_of<nb::dict>(dicts);
    const auto rooms = vector_of<std::size_t>(of_columns);
    auto narrow = encode_as<std::int8_t>(columns, known, grow, rooms);
    return narrow ? *narrow : encode_as<std::int32_t>(columns, known, grow, rooms).value();
}

bool is_missing(PyObject* value) {
    return value == Py_None || (PyFloat_Check(value) && std::isnan(PyFloat_AsDouble(value)));
}

// Any hashable objects; None and NaN are missing. `room`: how many new ones get a code of their own.
nb::tuple encode_objects(const nb::list& values, const nb::dict& known, bool grow,
                         std::size_t room) {
    const std::size_t n = nb::len(values);
    std::vector<std::int32_t> codes(n);
    nb::dict fresh;
    nb::list added;
    auto next = static_cast<std::int32_t>(nb::len(known));
    std::int32_t shared = code_of_other(known);
    for (std::size_t i = 0; i < n; ++i) {
        PyObject* const value = PyList_GetItem(values.ptr(), static_cast<Py_ssize_t>(i));
        if (is_missing(value)) {
            codes[i] = missing_code;
            continue;
        }
        PyObject* code = PyDict_GetItemWithError(known.ptr(), value);
        if (!code && !PyErr_Occurred() && grow) code = PyDict_GetItemWithError(fresh.ptr(), value);
        if (PyErr_Occurred()) throw nb::python_error();
        if (code) {
            codes[i] = static_cast<std::int32_t>(PyLong_AsLong(code));
        } else if (shared != unseen_code || !grow) {
            codes[i] = shared;
        } else if (nb::len(fresh) < room) {
            codes[i] = next;
            fresh[nb::handle(value)] = next++;
            added.append(nb::handle(value));
        } else {
            codes[i] = shared = next++;
            added.append(nb::handle(other()));
        }
    }
    return nb::make_tuple(owned(std::move(codes)), added);
}

// The text and how many of its bytes count; None if the lines have not this shape.
nb::object lay_out_json(const nb::bytes& lines, const nb::list& keys, const nb::list& kinds) {
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < nb::len(keys); ++i) {
        const auto key = nb::cast<nb::bytes>(keys[i]);
        cells.push_back({std::string(key.c_str(), key.size()),
                         static_cast<CellKind>(nb::cast<std::uint8_t>(kinds[i]))});
    }
    nb::object out =
        nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(lines.size())));
    if (!out.is_valid()) nb::raise_python_error();
    char* const to = PyBytes_AsString(out.ptr());
    std::optional<std::size_t> used;
    {
        const nb::gil_scoped_release free;  // nobody else has the text yet
        used = lay_out({lines.c_str(), lines.size()}, cells, to);
    }
    return used ? nb::object(nb::make_tuple(out, *used)) : nb::none();
}

// The features as lines with the ends of them, the labels as they are written, and their codes.
nb::object split_labelled_rows(const nb::bytes& text, bool lines) {
    std::optional<LabelledRows> found;
    {
        const nb::gil_scoped_release free;
        found = split_labelled(text.c_str(), text.size(), lines ? RowsIn::lines : RowsIn::object);
    }
    if (!found) return nb::none();
    nb::list labels;
    for (const std::string& label : found->labels)
        labels.append(nb::bytes(label.data(), label.size()));
    const nb::bytes features(found->features.data(), found->features.size());
    return nb::make_tuple(features, owned(std::move(found->ends)), labels,
                          owned(std::move(found->codes)));
}

}  // namespace

void bind_encoding(nb::module_& m) {
    m.def(
        "first_seen",
        [](const VectorIn<std::int32_t>& codes, std::size_t values) {
            return owned(first_seen(codes.data(), codes.shape(0), values));
        },
        "codes"_a.noconvert(), "values"_a);
    m.def("lay_out_json", lay_out_json, "lines"_a, "keys"_a, "kinds"_a,
          nb::sig("def lay_out_json(lines: bytes, keys: list[bytes], kinds: list[int]) -> "
                  "tuple[bytes, int] | None"));
    m.def(
        "json_depth",
        [](const nb::bytes& text) {
            const nb::gil_scoped_release free;
            return json_depth({text.c_str(), text.size()});
        },
        "text"_a);
    m.def("split_labelled_rows", split_labelled_rows, "text"_a, "lines"_a,
          nb::sig("def split_labelled_rows(text: bytes, lines: bool) -> "
                  "tuple[bytes, numpy.typing.NDArray[numpy.uint64], list[bytes], "
                  "numpy.typing.NDArray[numpy.uint32]] | None"));
    m.def("encode_integers", encode_integers, "values"_a.noconvert(), "known"_a, "grow"_a,
          nb::sig("def encode_integers(values: numpy.typing.NDArray[numpy.int64], "
                  "known: dict[typing.Any, int], grow: bool) -> "
                  "tuple[numpy.typing.NDArray[numpy.int32], list[typing.Any]]"));
    m.def("encode_numbers", encode_numbers, "columns"_a, "known"_a, "grow"_a, "rooms"_a,
          nb::sig("def encode_numbers(columns: Batch, known: list[dict[typing.Any, int]], "
                  "grow: bool, rooms: list[int]) -> tuple[numpy.typing.NDArray[typing.Any], "
                  "list[list[typing.Any]], tuple[int, int] | None]"));
    m.def(
        "encode_objects", encode_objects, "values"_a, "known"_a, "grow"_a, "room"_a = SIZE_MAX,
        nb::sig(
            "def encode_objects(values: list[typing.Any], known: dict[typing.Any, int], "
            "grow: bool, room: int = ...) -> tuple[numpy.typing.NDArray[numpy.int32], list[typing.Any]]"));
}
