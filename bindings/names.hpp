// Names and their codes, as a schema in Python holds them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "../core/data/facts.hpp"
#include "../core/data/feature.hpp"
#include "arrays.hpp"

// What a batch adds to the schema. Bytes are those of the names.
struct NewNames {
    std::size_t names;  // bytes of all that has no row of its own
    std::vector<riparian::Kind> features;
    std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> categories;  // by feature
    std::vector<std::uint32_t> declared, classes;
    std::size_t n_declared;            // classes that count as known; 0: none were declared
    nanobind::object batch;            // to be learned instead, or None
    std::vector<std::size_t> watched;  // new features that may be identifiers
    // A feature turns out to be an identifier or not, before this row is learned.
    struct Verdict {
        std::size_t row, feature;
        bool identifier;
        std::size_t bytes;  // of its names, which are freed
    };
    std::vector<Verdict> verdicts;  // rows ascend
    nanobind::list passed;          // gets the number of each verdict that has passed

    // As `Schema.grow` in src/riparian/schema.py returns it.
    explicit NewNames(const nanobind::tuple& t)
        : names(nanobind::cast<std::size_t>(t[0])),
          declared(vector_of<std::uint32_t>(t[3])),
          classes(vector_of<std::uint32_t>(t[4])),
          n_declared(nanobind::cast<std::size_t>(t[5])),
          batch(t[8]),
          watched(vector_of<std::size_t>(t[6])),
          passed(nanobind::cast<nanobind::list>(t[9])) {
        for (const nanobind::handle c : nanobind::cast<nanobind::list>(t[1])) {
            const bool categorical = nanobind::cast<bool>(c);
            features.push_back(categorical ? riparian::Kind::categorical : riparian::Kind::numeric);
        }
        for (const nanobind::handle c : nanobind::cast<nanobind::list>(t[2])) {
            categories.emplace_back(nanobind::cast<std::size_t>(c[0]),
                                    vector_of<std::uint32_t>(c[1]));
        }
        for (const nanobind::handle v : nanobind::cast<nanobind::list>(t[7])) {
            verdicts.push_back({nanobind::cast<std::size_t>(v[0]),
                                nanobind::cast<std::size_t>(v[1]), nanobind::cast<bool>(v[2]),
                                nanobind::cast<std::size_t>(v[3])});
        }
    }
};

// The lists of a schema. Cutting off what an engine does not know cannot fail: it runs no Python code and
// allocates nothing.
class NameLists {
public:
    // As `Schema.lists` in src/riparian/schema.py.
    explicit NameLists(const nanobind::tuple& t)
        : features_(nanobind::cast<nanobind::list>(t[0])),
          codes_(nanobind::cast<nanobind::list>(t[1])),
          index_(nanobind::cast<nanobind::dict>(t[2])),
          classes_(nanobind::cast<nanobind::list>(t[3])),
          class_codes_(nanobind::cast<nanobind::dict>(t[4])) {}

    [[nodiscard]] std::size_t n_classes() const { return nanobind::len(classes_); }

    // `growth`: what the engine expects, or null; returns the bytes of what was cut off of it.
    template <class Engine>
    std::size_t cut_to(const Engine& engine, const NewNames* growth) {
        const riparian::Facts facts = without([&]() -> riparian::Facts { return engine.facts(); });
        cut(features_, facts.n_features);
        cut(codes_, facts.n_features);
        cut(index_, facts.n_features);
        std::size_t bytes = 0;
        for (std::size_t f = 0; f < nanobind::len(codes_); ++f) {
            PyObject* const codes = PyList_GetItem(codes_.ptr(), static_cast<Py_ssize_t>(f));
            if (!PyDict_CheckExact(codes)) continue;
            const std::size_t gone = cut(codes, without([&] { return engine.n_categories(f); }));
            for (std::size_t i = 0; gone && growth && i < growth->categories.size(); ++i) {
                const auto& [feature, held] = growth->categories[i];
                if (feature == f) bytes += sum_of_last(held, gone);
            }
        }
        const std::size_t gone = cut(class_codes_, facts.n_classes);
        cut(classes_, facts.n_classes);
        if (growth) bytes += sum_of_last(growth->classes, gone);
        return bytes;
    }

private:
    template <class Call>
    static auto without(const Call& call) {
        const nanobind::gil_scoped_release free;
        return call();
    }
    static std::size_t sum_of_last(const std::vector<std::uint32_t>& held, std::size_t n) {
        n = n < held.size() ? n : held.size();
        return std::accumulate(held.end() - static_cast<std::ptrdiff_t>(n), held.end(),
                               std::size_t{0});
    }
    static void cut(const nanobind::list& list, std::size_t n) {
        // One at a time: for many at once the interpreter allocates.
        for (auto size = PyList_Size(list.ptr()); size > static_cast<Py_ssize_t>(n); --size) {
            PyList_SetSlice(list.ptr(), size - 1, size, nullptr);
        }
    }
    static std::size_t cut(const nanobind::dict& dict, std::size_t n) { return cut(dict.ptr(), n); }
    // A dict keeps its keys in the order in which they came.
    static std::size_t cut(PyObject* dict, std::size_t n) {
        constexpr std::size_t at_once = 64;
        std::size_t gone = 0;
        while (static_cast<std::size_t>(PyDict_Size(dict)) > n) {
            PyObject* keys[at_once];
            std::size_t found = 0, place = 0;
            PyObject* key;
            Py_ssize_t at = 0;
            while (found < at_once && PyDict_Next(dict, &at, &key, nullptr)) {
                if (place++ >= n) keys[found++] = Py_NewRef(key);
            }
            for (std::size_t i = 0; i < found; ++i) {
                if (PyDict_DelItem(dict, keys[i]) != 0) PyErr_Clear();
                Py_DECREF(keys[i]);
            }
            if (found == 0) break;
            gone += found;
        }
        return gone;
    }

    nanobind::list features_, codes_;
    nanobind::dict index_;
    nanobind::list classes_;
    nanobind::dict class_codes_;
};

// Learns the rows of a batch, with the verdicts between them. `learn` gets the first row and the number of
// rows of each part.
template <class Engine, class Learn>
void learn_with_verdicts(Engine& engine, NewNames* growth, std::size_t rows, const Learn& learn) {
    std::size_t first = 0;
    for (std::size_t i = 0; growth && i < growth->verdicts.size(); ++i) {
        const NewNames::Verdict& v = growth->verdicts[i];
        if (v.row > first) learn(first, v.row - first);
        first = v.row;
        {
            const nanobind::gil_scoped_release free;
            if (v.identifier) engine.leave_out(v.feature, v.bytes);
            else engine.watch(v.feature, false);
        }
        growth->passed.append(i);
    }
    if (first < rows) learn(first, rows - first);
}

// Calls a Python function between rows of a batch: after the first `rows[0]` of them, after the first
// `rows[1]`, and so on.
class Pauses {
public:
    // No pauses if `rows` is None.
    Pauses(const nanobind::object& rows, nanobind::object call) : call_(std::move(call)) {
        if (!rows.is_none()) rows_ = vector_of<std::size_t>(rows);
    }

    // `learn` gets the first row and the number of rows of each part.
    template <class Learn>
    void learn(std::size_t first, std::size_t n, const Learn& learn) {
        const std::size_t end = first + n;
        for (; next_ < rows_.size() && rows_[next_] <= end; ++next_) {
            if (rows_[next_] > first) learn(first, rows_[next_] - first);
            first = rows_[next_];
            call_();
        }
        if (first < end) learn(first, end - first);
    }

private:
    std::vector<std::size_t> rows_;
    std::size_t next_ = 0;
    nanobind::object call_;
};

// Schema and engine get new names together, or neither does. `grow` is a Python function that adds them to
// the schema and returns what it added. Whatever is raised, in it or while the rows are learned, the
// schema then has the names that the engine knows, and no others.
template <class Engine, class Learn>
void grow_and_learn(Engine& engine, const nanobind::object& names, const nanobind::object& grow,
                    const Learn& learn) {
    namespace nb = nanobind;
    if (grow.is_none()) {
        learn(nullptr);
        return;
    }
    NameLists held(nb::cast<nb::tuple>(names));
    std::optional<NewNames> growth;
    try {
        NewNames made(nb::cast<nb::tuple>(grow()));
        {
            const nb::gil_scoped_release free;
            engine.add_names(made.names);
            if (!made.features.empty()) engine.add_features(made.features);
            for (const std::size_t feature : made.watched) engine.watch(feature, true);
            growth.emplace(std::move(made));
            for (const auto& [feature, bytes] : growth->categories) {
                engine.expect_categories(feature, bytes);
            }
            if (growth->n_declared) {
                engine.expect_classes(growth->declared);
                engine.declare_classes(growth->n_declared);
            }
            engine.expect_classes(growth->classes);
        }
        learn(&*growth);
    } catch (...) {
        const std::size_t bytes = held.cut_to(engine, growth ? &*growth : nullptr);
        {
            const nb::gil_scoped_release free;
            engine.expect_nothing(bytes);
        }
        throw;
    }
}
