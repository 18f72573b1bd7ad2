// Values to codes: labels and categories, in the order of their first appearance.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "../core/tree/row.hpp"
#include "arrays.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

// A table for small integers, a hash map for the rest.
class IntegerCodes {
public:
    std::int32_t* find(std::int64_t value) {
        if (value >= 0 && value < small) return &direct_[static_cast<std::size_t>(value)];
        return &others_.try_emplace(value, unseen_code).first->second;
    }

private:
    static constexpr std::int64_t small = 4096;
    std::vector<std::int32_t> direct_ = std::vector<std::int32_t>(small, unseen_code);
    std::unordered_map<std::int64_t, std::int32_t> others_;
};

nb::tuple encode_integers(const VectorIn<std::int64_t>& values, const nb::dict& known, bool grow) {
    IntegerCodes table;
    for (const auto& [label, code] : known) {
        int overflow = 0;
        if (!PyLong_Check(label.ptr())) continue;
        const long long value = PyLong_AsLongLongAndOverflow(label.ptr(), &overflow);
        if (overflow == 0) *table.find(value) = nb::cast<std::int32_t>(code);
    }
    std::vector<std::int32_t> codes(values.shape(0));
    std::vector<std::int64_t> added;
    auto next = static_cast<std::int32_t>(nb::len(known));
    {
        const nb::gil_scoped_release free;
        for (std::size_t i = 0; i < codes.size(); ++i) {
            std::int32_t* const code = table.find(values.data()[i]);
            if (*code == unseen_code && grow) {
                *code = next++;
                added.push_back(values.data()[i]);
            }
            codes[i] = *code;
        }
    }
    nb::list labels;
    for (const std::int64_t value : added) labels.append(value);
    return nb::make_tuple(owned(std::move(codes)), labels);
}

bool is_missing(PyObject* value) {
    return value == Py_None || (PyFloat_Check(value) && PyFloat_AS_DOUBLE(value) !=
                                                            PyFloat_AS_DOUBLE(value));
}

// Any hashable objects; None and NaN are missing.
nb::tuple encode_objects(const nb::list& values, const nb::dict& known, bool grow) {
    const std::size_t n = nb::len(values);
    std::vector<std::int32_t> codes(n);
    nb::dict fresh;
    nb::list added;
    auto next = static_cast<std::int32_t>(nb::len(known));
    for (std::size_t i = 0; i < n; ++i) {
        PyObject* const value = PyList_GET_ITEM(values.ptr(), static_cast<Py_ssize_t>(i));
        if (is_missing(value)) {
            codes[i] = missing_code;
            continue;
        }
        PyObject* code = PyDict_GetItemWithError(known.ptr(), value);
        if (!code && !PyErr_Occurred() && grow) code = PyDict_GetItemWithError(fresh.ptr(), value);
        if (PyErr_Occurred()) throw nb::python_error();
        if (code) {
            codes[i] = static_cast<std::int32_t>(PyLong_AsLong(code));
        } else if (grow) {
            codes[i] = next;
            fresh[nb::handle(value)] = next++;
            added.append(nb::handle(value));
        } else {
            codes[i] = unseen_code;
        }
    }
    return nb::make_tuple(owned(std::move(codes)), added);
}

}  // namespace

void bind_encoding(nb::module_& m) {
    m.def("encode_integers", encode_integers, "values"_a.noconvert(), "known"_a, "grow"_a);
    m.def("encode_objects", encode_objects, "values"_a, "known"_a, "grow"_a);
}
