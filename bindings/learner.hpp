// The functions that Python finds on every engine (src/riparian/engine.py, `Engine`).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../core/tree/tree.hpp"
#include "arrays.hpp"
#include "batch.hpp"
#include "interrupt.hpp"
#include "names.hpp"
#include "one_row.hpp"

inline const double* weights_of(const std::optional<VectorIn<double>>& w, std::size_t rows) {
    if (!w) return nullptr;
    if (w->shape(0) != rows) throw std::invalid_argument("w must have one weight per row");
    return w->data();
}

inline void demand_rows(const VectorIn<std::int32_t>& y, const PyBatch& b) {
    if (y.shape(0) != b.batch.rows) throw std::invalid_argument("y must have one label per row");
}

// Room for the predictions of a batch, filled without the interpreter.
struct PredictionArrays {
    std::vector<std::int32_t> classes;
    std::vector<double> probabilities;
    riparian::Predictions predictions;

    PredictionArrays(std::size_t rows, std::size_t width)
        : classes(rows), probabilities(rows * width) {
        predictions = {classes.data(), width ? probabilities.data() : nullptr, width};
    }
    template <class... More>
    nanobind::tuple release(std::size_t width, const More&... more) {
        const std::size_t rows = classes.size();
        nanobind::object p = nanobind::none();
        if (width)
            p = nanobind::cast(owned<Matrix<double>>(std::move(probabilities), {rows, width}));
        return nanobind::make_tuple(owned(std::move(classes)), p, more...);
    }
};

// Whether a single row may take so long that the call can be stopped in the middle of it.
template <class Engine>
inline constexpr bool long_rows = requires { Engine::long_rows; };

template <class Engine>
bool may_take_long(const PyBatch& b) {
    return b.batch.rows > 1 || long_rows<Engine>;
}

// Every call that waits for a lock releases the interpreter first: the thread that holds the lock may be
// waiting for the interpreter, to call a function of the user.
template <class Engine>
void bind_learner(nanobind::class_<Engine>& engine) {
    namespace nb = nanobind;
    using namespace nb::literals;
    using namespace riparian;
    engine
        .def(
            "add_features",
            [](Engine& t, const std::vector<bool>& categorical) {
                std::vector<Kind> kinds;
                for (const bool c : categorical)
                    kinds.push_back(c ? Kind::categorical : Kind::numeric);
                const nb::gil_scoped_release free;
                t.add_features(kinds);
            },
            "categorical"_a)
        .def("add_names", &Engine::add_names, "bytes"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("expect_classes", &Engine::expect_classes, "bytes"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def("expect_categories", &Engine::expect_categories, "feature"_a, "bytes"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def("watch", &Engine::watch, "feature"_a, "on"_a, nb::call_guard<nb::gil_scoped_release>())
        .def(
            "set_max_bytes",
            [](Engine& t, std::optional<std::size_t> limit) {
                const nb::gil_scoped_release free;
                t.set_max_bytes(limit.value_or(SIZE_MAX));
            },
            "limit"_a.none())
        .def("surely_fits", &Engine::surely_fits, "names"_a, "numbers"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("max_bytes",
                     [](const Engine& t) -> std::optional<std::size_t> {
                         const std::size_t limit = t.max_bytes();
                         if (limit == SIZE_MAX) return std::nullopt;
                         return limit;
                     })
        .def_prop_ro("least_bytes", &Engine::least_bytes, nb::call_guard<nb::gil_scoped_release>())
        .def("declare_classes", &Engine::declare_classes, "count"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def(
            "set_costs",
            [](Engine& t, const nb::ndarray<const double, nb::ndim<2>, nb::c_contig,
                                            nb::device::cpu>& matrix) {
                if (matrix.shape(0) != matrix.shape(1))
                    throw std::invalid_argument("matrix must be square");
                const nb::gil_scoped_release free;
                t.set_costs(matrix.data(), matrix.shape(0));
            },
            "matrix"_a)
        .def(
            "learn",
            [](Engine& t, const PyBatch& b, const VectorIn<std::int32_t>& y,
               const std::optional<VectorIn<double>>& w, const nb::object& names,
               const nb::object& grow) {
                demand_rows(y, b);
                const double* const weights = weights_of(w, b.batch.rows);
                const auto learn = [&](const Batch& rows, std::size_t first) {
                    without_interpreter_until_signal(may_take_long<Engine>(b), [&](Stop* stop) {
                        t.learn(rows, y.data() + first, weights ? weights + first : nullptr, stop);
                    });
                };
                grow_and_learn(t, names, grow, [&](NewNames* growth) {
                    const std::size_t all = b.batch.rows;
                    learn_with_verdicts(t, growth, all, [&](std::size_t first, std::size_t n) {
                        n == all ? learn(b.batch, 0) : learn(b.batch.part(first, n), first);
                    });
                });
            },
            "batch"_a, "y"_a, "w"_a.none(), "names"_a.none() = nb::none(),
            "grow"_a.none() = nb::none())
        .def(
            "prequential",
            [](Engine& t, const PyBatch& b, const VectorIn<std::int32_t>& y,
               const std::optional<VectorIn<double>>& w, std::size_t width, const nb::object& names,
               const nb::object& grow, const nb::object& pauses, const nb::object& paused) {
                // Once the schema has grown the batch may be read again, with other rows than b.
                const double* const weights = weights_of(w, y.shape(0));
                PredictionArrays room(y.shape(0), width);
                Pauses between(pauses, paused);
                grow_and_learn(t, names, grow, [&](NewNames* growth) {
                    const PyBatch& whole = !growth || growth->batch.is_none()
                                               ? b
                                               : nb::cast<const PyBatch&>(growth->batch);
                    demand_rows(y, whole);
                    const auto learn = [&](const Batch& rows, std::size_t first) {
                        without_interpreter_until_signal(
                            may_take_long<Engine>(whole), [&](Stop* stop) {
                                t.prequential(rows, y.data() + first,
                                              weights ? weights + first : nullptr,
                                              room.predictions.from(first), stop);
                            });
                    };
                    const std::size_t all = whole.batch.rows;
                    const auto part = [&](std::size_t first, std::size_t n) {
                        n == all ? learn(whole.batch, 0) : learn(whole.batch.part(first, n), first);
                    };
                    learn_with_verdicts(t, growth, all, [&](std::size_t first, std::size_t n) {
                        between.learn(first, n, part);
                    });
                });
                return room.release(width);
            },
            "batch"_a, "y"_a, "w"_a.none(), "width"_a, "names"_a.none() = nb::none(),
            "grow"_a.none() = nb::none(), "pauses"_a.none() = nb::none(),
            "paused"_a.none() = nb::none(),
            nb::sig("def prequential(self, batch: Batch, y: numpy.typing.NDArray[numpy.int32], "
                    "w: numpy.typing.NDArray[numpy.float64] | None, width: int, "
                    "names: tuple[typing.Any, ...] | None = None, "
                    "grow: typing.Callable[[], tuple[typing.Any, ...]] | None = None, "
                    "pauses: list[int] | None = None, "
                    "paused: typing.Callable[[], None] | None = None) -> "
                    "tuple[numpy.typing.NDArray[numpy.int32], "
                    "numpy.typing.NDArray[numpy.float64] | None]"))
        // Cuts off the names of a schema that the engine does not know.
        .def(
            "cut_names",
            [](const Engine& t, const nb::tuple& names) { NameLists(names).cut_to(t, nullptr); },
            "names"_a, nb::sig("def cut_names(self, names: tuple[typing.Any, ...]) -> None"))
        .def_prop_ro("unfinished", &Engine::unfinished)
        .def(
            "predict",
            [](const Engine& t, const PyBatch& b, std::size_t width) {
                PredictionArrays room(b.batch.rows, width);
                without_interpreter_until_signal(may_take_long<Engine>(b), [&](Stop* stop) {
                    t.predict(b.batch, room.predictions, stop);
                });
                return room.release(width);
            },
            "batch"_a, "width"_a,
            nb::sig("def predict(self, batch: Batch, width: int) -> "
                    "tuple[numpy.typing.NDArray[numpy.int32], "
                    "numpy.typing.NDArray[numpy.float64] | None]"))
        // One state predicts all rows: (codes, probabilities, examples it had learned, classes it knew).
        .def(
            "predict_at_once",
            [](const Engine& t, const PyBatch& b, std::size_t width) {
                PredictionArrays room(b.batch.rows, width);
                Moment moment;
                without_interpreter_until_signal(may_take_long<Engine>(b), [&](Stop* stop) {
                    t.predict(b.batch, room.predictions, stop, &moment);
                });
                return room.release(width, moment.seen, moment.classes);
            },
            "batch"_a, "width"_a,
            nb::sig("def predict_at_once(self, batch: Batch, width: int) -> "
                    "tuple[numpy.typing.NDArray[numpy.int32], "
                    "numpy.typing.NDArray[numpy.float64] | None, int, int]"))
        .def(
            "learn_one",
            [](Engine& t, const nb::dict& x, const nb::dict& index, const nb::list& categories,
               std::int32_t y, double w) {
                OneRow& row = one_row();
                if (!row.read(x, index, categories, true)) return false;
                without_interpreter_until_signal(
                    long_rows<Engine>, [&](Stop* stop) { t.learn(row.batch(), &y, &w, stop); });
                return true;
            },
            "x"_a, "index"_a, "categories"_a, "y"_a, "w"_a,
            nb::sig("def learn_one(self, x: dict[typing.Any, typing.Any], "
                    "index: typing.Mapping[typing.Any, int], "
                    "categories: typing.Sequence[typing.Any], y: int, w: float) -> bool"))
        .def(
            "predict_one",
            [](const Engine& t, const nb::dict& x, const nb::dict& index,
               const nb::list& categories, bool return_seen) -> nb::object {
                OneRow& row = one_row();
                if (!row.read(x, index, categories, false)) return nb::none();
                std::int32_t prediction = no_prediction;
                Moment moment;
                {
                    const nb::gil_scoped_release free;
                    t.predict(row.batch(), {&prediction, nullptr, 0}, nullptr,
                              return_seen ? &moment : nullptr);
                }
                if (!return_seen) return nb::int_(prediction);
                if (!row.reads_the_same(x, index, categories)) return nb::none();
                return nb::make_tuple(prediction, moment.seen);
            },
            "x"_a, "index"_a, "categories"_a, "return_seen"_a,
            nb::sig("def predict_one(self, x: dict[typing.Any, typing.Any], "
                    "index: typing.Mapping[typing.Any, int], "
                    "categories: typing.Sequence[typing.Any], return_seen: bool) -> typing.Any"))
        .def(
            "predict_proba_one",
            [](const Engine& t, const nb::dict& x, const nb::dict& index,
               const nb::list& categories, const nb::list& classes,
               bool return_seen) -> nb::object {
                OneRow& row = one_row();
                if (!row.read(x, index, categories, false)) return nb::none();
                std::vector<double>& shares = row.shares(nb::len(classes));
                Moment moment;
                {
                    const nb::gil_scoped_release free;
                    t.predict(row.batch(), {nullptr, shares.data(), shares.size()}, nullptr,
                              &moment);
                }
                // Another thread has added a class or, after an error, removed one.
                if (moment.classes > shares.size() || moment.classes > nb::len(classes))
                    return nb::none();
                nb::dict prediction = by_label(classes, shares, moment.classes);
                if (!return_seen) return prediction;
                if (!row.reads_the_same(x, index, categories)) return nb::none();
                return nb::make_tuple(prediction, moment.seen);
            },
            "x"_a, "index"_a, "categories"_a, "classes"_a, "return_seen"_a,
            nb::sig("def predict_proba_one(self, x: dict[typing.Any, typing.Any], "
                    "index: typing.Mapping[typing.Any, int], "
                    "categories: typing.Sequence[typing.Any], classes: list[typing.Any], "
                    "return_seen: bool) -> typing.Any"))
        .def_prop_ro(
            "n_features", [](const Engine& t) { return t.facts().n_features; },
            nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro(
            "n_classes", [](const Engine& t) { return t.facts().n_classes; },
            nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro(
            "seen", [](const Engine& t) { return t.facts().seen; },
            nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("memory_bytes", &Engine::memory_bytes,
                     nb::call_guard<nb::gil_scoped_release>());
}
