#include "arrow.hpp"

#include <nanobind/ndarray.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "../core/arrow/columns.hpp"

namespace nb = nanobind;
using namespace nb::literals;
namespace arrow = riparian::arrow;

namespace {

// Takes the structure out of a capsule, while the GIL keeps other threads from
// taking it too; the capsule then has nothing left to release.
template <class T>
arrow::Owned<T> take(nb::handle capsule, const char* name) {
    if (PyCapsule_IsValid(capsule.ptr(), name) == 0) {
        const std::string message = std::string("a capsule named '") + name + "' is needed, got " +
                                    nb::repr(capsule).c_str();
        throw nb::type_error(message.c_str());
    }
    return arrow::Owned<T>(*static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name)));
}

template <class T>
nb::object numpy_array(std::unique_ptr<T[]> data, std::size_t rows) {
    nb::capsule owner(data.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data.release(), {rows}, owner));
}

// Producers promise UTF-8; one that does not keep it gets an error, not a guess.
nb::object text(const std::string& utf8, const std::string& column) {
    PyObject* decoded =
        PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), nullptr);
    if (decoded == nullptr) {
        PyErr_Clear();
        const std::string message = "column '" + column + "': a string is not valid UTF-8";
        throw nb::value_error(message.c_str());
    }
    return nb::steal(decoded);
}

nb::object python_value(const arrow::Value& value, const std::string& column) {
    return std::visit(
        [&](const auto& v) -> nb::object {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::string>) {
                return text(v, column);
            } else {
                return nb::cast(v);
            }
        },
        value);
}

nb::list python_columns(std::vector<arrow::Column> columns) {
    static constexpr const char* kinds[] = {"numeric", "categorical", "unknown"};
    nb::list result;
    for (arrow::Column& column : columns) {
        nb::list values;
        for (const arrow::Value& value : column.values) {
            values.append(python_value(value, column.name));
        }
        nb::object data = column.codes ? numpy_array(std::move(column.codes), column.rows)
                                       : numpy_array(std::move(column.numbers), column.rows);
        result.append(nb::make_tuple(text(column.name, column.name),
                                     kinds[static_cast<int>(column.kind)], data, values));
    }
    return result;
}

template <class... T>
nb::list python_read(arrow::Owned<T>... source) {
    std::vector<arrow::Column> columns;
    {
        nb::gil_scoped_release released;
        columns = arrow::read(std::move(source)...);
    }
    return python_columns(std::move(columns));
}

}  // namespace

void bind_arrow(nb::module_& m) {
    m.def(
        "read_arrow",
        [](nb::handle stream) {
            return python_read(take<ArrowArrayStream>(stream, "arrow_array_stream"));
        },
        "stream"_a,
        nb::sig("def read_arrow(stream: object) -> list[tuple[str, str, "
                "numpy.typing.NDArray[numpy.float64] | numpy.typing.NDArray[numpy.int32], "
                "list[str | int | float | bool]]]"));
    m.def(
        "read_arrow_array",
        [](nb::handle schema, nb::handle array) {
            auto owned_schema = take<ArrowSchema>(schema, "arrow_schema");
            return python_read(std::move(owned_schema), take<ArrowArray>(array, "arrow_array"));
        },
        "schema"_a, "array"_a,
        nb::sig("def read_arrow_array(schema: object, array: object) -> list[tuple[str, str, "
                "numpy.typing.NDArray[numpy.float64] | numpy.typing.NDArray[numpy.int32], "
                "list[str | int | float | bool]]]"));
}
