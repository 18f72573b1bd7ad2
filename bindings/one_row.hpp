// One example given as a dict.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../core/data/batch.hpp"

// The usual values are read here; anything else (a new key, a new category, another type, an
// infinity) is for the slow way. Only exact built-in types are looked up: a subclass may compare and
// hash by Python code, which could change the dict while it is read.
class OneRow {
public:
    // `index`: name -> place; `categories`: for each place a dict value -> code, None for a numeric
    // feature, or False for one that is left out.
    bool read(const nanobind::dict& x, const nanobind::dict& index,
              const nanobind::list& categories, bool learning) {
        const std::size_t n = nanobind::len(categories);
        unknown_ = 0;
        numbers_.assign(n, std::numeric_limits<double>::quiet_NaN());
        codes_.assign(n, riparian::missing_code);
        PyObject* key;
        PyObject* value;
        Py_ssize_t at = 0;
        while (PyDict_Next(x.ptr(), &at, &key, &value)) {
            if (!PyUnicode_CheckExact(key) && !PyLong_CheckExact(key)) return false;
            PyObject* const place = PyDict_GetItemWithError(index.ptr(), key);
            if (!place) {
                if (PyErr_Occurred()) throw nanobind::python_error();
                if (learning) return false;
                ++unknown_;
                continue;
            }
            const auto f = static_cast<std::size_t>(PyLong_AsSsize_t(place));
            if (f >= n) {  // added by a learner since the row was begun
                ++unknown_;
                continue;
            }
            PyObject* const codes = NB_LIST_GET_ITEM(categories.ptr(), static_cast<Py_ssize_t>(f));
            if (value == Py_None || codes == Py_False) continue;  // missing, or left out
            if (codes == Py_None) {
                if (PyFloat_CheckExact(value)) {
                    numbers_[f] = PyFloat_AsDouble(value);
                } else if (PyLong_CheckExact(value) || PyBool_Check(value)) {
                    numbers_[f] = PyLong_AsDouble(value);
                    if (PyErr_Occurred()) {
                        PyErr_Clear();
                        return false;
                    }
                } else {
                    return false;
                }
                if (std::isinf(numbers_[f])) return false;
                continue;
            }
            if (!is_built_in(value)) return false;
            if (PyFloat_Check(value) && std::isnan(PyFloat_AsDouble(value))) continue;
            PyObject* code = PyDict_GetItemWithError(codes, value);
            // A new category where the feature has no room for more: see OTHER in data/values.py.
            if (!code && !PyErr_Occurred() && PyUnicode_Check(value)) {
                code = PyDict_GetItemWithError(codes, Py_Ellipsis);
            }
            if (!code) {
                if (PyErr_Occurred()) PyErr_Clear();
                if (learning || !PyUnicode_Check(value)) return false;
                codes_[f] = riparian::unseen_code;
                ++unknown_;
                continue;
            }
            codes_[f] = static_cast<std::int32_t>(PyLong_AsLong(code));
        }
        batch_.rows = 1;
        batch_.columns.resize(n);
        for (std::size_t f = 0; f < n; ++f) {
            const bool numeric =
                NB_LIST_GET_ITEM(categories.ptr(), static_cast<Py_ssize_t>(f)) == Py_None;
            if (numeric) {
                batch_.columns[f] = {&numbers_[f], sizeof(double), riparian::Column::Type::f64};
            } else {
                batch_.columns[f] = {&codes_[f], sizeof(std::int32_t),
                                     riparian::Column::Type::code};
            }
        }
        return true;
    }

    // Whether the example that was read would be read the same way now: no other thread has brought
    // a name since then that was unknown.
    bool reads_the_same(const nanobind::dict& x, const nanobind::dict& index,
                        const nanobind::list& categories) {
        const std::size_t before = unknown_;
        return before == 0 || (read(x, index, categories, false) && unknown_ == before);
    }

    [[nodiscard]] const riparian::Batch& batch() const { return batch_; }
    // Room for the probabilities of this many classes.
    [[nodiscard]] std::vector<double>& shares(std::size_t classes) {
        shares_.resize(classes);
        return shares_;
    }

private:
    static bool is_built_in(PyObject* value) noexcept {
        return PyUnicode_CheckExact(value) || PyFloat_CheckExact(value) ||
               PyLong_CheckExact(value) || PyBool_Check(value) || PyBytes_CheckExact(value);
    }

    std::vector<double> numbers_;
    std::vector<std::int32_t> codes_;
    std::vector<double> shares_;
    std::size_t unknown_ = 0;  // names and categories of the last example
    riparian::Batch batch_;
};

// Labels are built-in values, whose hash runs no code of the user.
inline nanobind::dict by_label(const nanobind::list& labels, const std::vector<double>& shares,
                               std::size_t n) {
    nanobind::dict out;
    for (std::size_t k = 0; k < n; ++k) {
        const auto share = nanobind::steal(PyFloat_FromDouble(shares[k]));
        PyObject* const label = NB_LIST_GET_ITEM(labels.ptr(), static_cast<Py_ssize_t>(k));
        if (!share || PyDict_SetItem(out.ptr(), label, share.ptr()) != 0) {
            throw nanobind::python_error();
        }
    }
    return out;
}

inline OneRow& one_row() {
    thread_local OneRow row;
    return row;
}
