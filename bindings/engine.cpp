// The tree, as Python holds it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "../core/named.hpp"
#include "../core/simd/scalar.hpp"
#include "../core/tree/seed.hpp"
#include "../core/tree/snapshot.hpp"
#include "../core/tree/tree.hpp"
#include "arrays.hpp"
#include "batch.hpp"
#include "functions.hpp"
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

PyBatch batch_of_columns(std::size_t rows, const std::vector<std::optional<AnyArray>>& columns) {
    PyBatch out;
    out.batch.rows = rows;
    for (const auto& column : columns) {
        if (!column) {
            out.batch.columns.emplace_back();
            continue;
        }
        if (column->ndim() != 1 || column->shape(0) != rows) {
            throw std::invalid_argument("columns must have one dimension and one length");
        }
        out.batch.columns.push_back(column_of(*column, 0));
        out.arrays.push_back(*column);
    }
    return out;
}

// `numbers`: low, high, mean and deviation of each value; `starts`: where its points begin.
void set_uncertain(PyBatch& b, const VectorIn<std::int64_t>& rows,
                   const VectorIn<std::int32_t>& features, const VectorIn<std::uint8_t>& types,
                   const VectorIn<double>& numbers, const VectorIn<std::int64_t>& starts,
                   const VectorIn<double>& points, const VectorIn<double>& weights) {
    const std::size_t n = rows.shape(0);
    const std::size_t n_points = points.shape(0);
    if (features.shape(0) != n || types.shape(0) != n || numbers.shape(0) != 4 * n ||
        starts.shape(0) != n + 1 || weights.shape(0) != n_points) {
        throw std::invalid_argument("one entry a value");
    }
    const auto settled = [](double x) { return std::clamp(x, -largest_value, largest_value); };
    std::vector<Uncertain> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto row = static_cast<std::size_t>(rows.data()[i]);
        const auto feature = static_cast<std::size_t>(features.data()[i]);
        const auto first = static_cast<std::size_t>(starts.data()[i]);
        const auto end = static_cast<std::size_t>(starts.data()[i + 1]);
        const bool listed = types.data()[i] >= static_cast<std::uint8_t>(Uncertain::Type::numbers);
        if (row >= b.batch.rows || feature >= b.batch.columns.size() || types.data()[i] > 3 ||
            first > end || end > n_points || (listed && first == end) ||
            (i > 0 && row < values[i - 1].row)) {
            throw std::invalid_argument("an uncertain value that cannot be");
        }
        const double* const d = numbers.data() + 4 * i;
        values[i] = {row,  feature,    static_cast<Uncertain::Type>(types.data()[i]),
                     d[0], d[1],       settled(d[2]),
                     settled(d[3]), first, end - first};
        if (values[i].type == Uncertain::Type::interval) {
            values[i].low = settled(d[0]);
            values[i].high = settled(d[1]);
        }
    }
    b.batch.points.clear();
    for (std::size_t i = 0; i < n_points; ++i) {
        b.batch.points.push_back({settled(points.data()[i]), weights.data()[i]});
    }
    b.batch.uncertain = std::move(values);
}

template <class Variant>
Variant policy(const nb::dict& d, const char* key) {
    return by_name<Variant>(nb::cast<std::string>(d[key])).value();
}

bool is(const nb::dict& d, const char* key, const char* name) {
    return nb::cast<std::string>(d[key]) == name;
}

void set_impurity(Settings& s, const nb::dict& d) {
    if (!nb::isinstance<nb::str>(d["impurity"])) {
        s.impurity = CustomImpurity{impurity_function(d["impurity"])};
        return;
    }
    if (is(d, "impurity", "hybrid")) {
        s.impurity = Misclassification{};
        s.second_impurity = Gini{};
    } else {
        s.impurity = policy<AnyImpurity>(d, "impurity");
    }
    if (auto* const m = std::get_if<Misclassification>(&s.impurity)) {
        m->legacy = nb::cast<bool>(d["legacy_gain"]);
    }
    if (is(d, "evaluator", "prequential")) s.judging.evaluator = Evaluator::prequential;
    if (is(d, "evaluator", "holdout")) s.judging.evaluator = Evaluator::holdout;
    s.judging.holdout_examples = nb::cast<double>(d["holdout_examples"]);
}

void set_bound(Settings& s, const nb::dict& d) {
    if (!nb::isinstance<nb::str>(d["bound"])) {
        s.bound = CustomBound{bound_function(d["bound"])};
        return;
    }
    s.bound = policy<AnyBound>(d, "bound");
    if (auto* const practical = std::get_if<ConfidencePractical>(&s.bound)) {
        practical->c = nb::cast<double>(d["confidence_c"]);
        if (is(d, "confidence_form", "derived")) practical->form = ConfidenceForm::derived;
    }
    if (auto* const method = std::get_if<DeltaMethod>(&s.bound)) {
        if (is(d, "pairing", "conservative")) method->pairing = Pairing::conservative;
        if (is(d, "pairing", "paired")) method->pairing = Pairing::paired;
    }
}

void set_cuts(Settings& s, const nb::dict& d) {
    s.cuts = policy<AnyCuts>(d, "cuts");
    const EqualVariance equal =
        is(d, "equal_variance", "skip") ? EqualVariance::skip : EqualVariance::linear;
    const auto count = nb::cast<std::size_t>(d["n_cuts"]);
    std::visit([&]<class C>(C& cuts) {
        if constexpr (requires { cuts.count; }) cuts.count = count;
        if constexpr (requires { cuts.bins; }) cuts.bins.count = count;
        if constexpr (requires { cuts.equal_variance; }) cuts.equal_variance = equal;
    }, s.cuts);
}

void set_adaptation(Settings& s, const nb::dict& d) {
    s.adaptation = policy<AnyAdaptation>(d, "adaptation");
    if (auto* const how = std::get_if<Alternates>(&s.adaptation)) {
        how->drift_delta = nb::cast<double>(d["drift_delta"]);
        how->switch_delta = nb::cast<double>(d["switch_delta"]);
        how->switch_after = nb::cast<double>(d["switch_after"]);
        how->bootstrap = nb::cast<bool>(d["bootstrap"]);
        how->seed = nb::cast<std::uint64_t>(d["random_state"]);
    }
    if (auto* const how = std::get_if<Reevaluation>(&s.adaptation)) {
        how->every = nb::cast<double>(d["reevaluate_every"]);
    }
    if (auto* const how = std::get_if<Options>(&s.adaptation)) {
        how->delta = nb::cast<double>(d["option_delta"]);
        how->most = nb::cast<std::size_t>(d["max_options"]);
    }
    if (auto* const how = std::get_if<Window>(&s.adaptation)) {
        how->window = nb::cast<std::size_t>(d["window"]);
        how->validity_period = nb::cast<std::uint64_t>(d["validity_period"]);
        how->alt_test_period = nb::cast<double>(d["alt_test_period"]);
        how->alt_test_size = nb::cast<double>(d["alt_test_size"]);
        how->alt_prune_margin = nb::cast<double>(d["alt_prune_margin"]);
        how->archive_size = nb::cast<std::size_t>(d["archive_size"]);
        how->dynamic_window = nb::cast<bool>(d["dynamic_window"]);
        how->max_window = nb::cast<std::size_t>(d["max_window"]);
        if (!d["window_hook"].is_none()) how->hook = window_function(d["window_hook"]);
    }
}

Settings settings_of(const nb::dict& d) {
    Settings s;
    set_impurity(s, d);
    set_bound(s, d);
    set_cuts(s, d);
    if (is(d, "statistics", "exhaustive")) s.values = Values::exhaustive;
    if (is(d, "statistics", "intervals")) s.values = Values::intervals;
    s.n_intervals = nb::cast<std::size_t>(d["n_intervals"]);
    if (is(d, "variance", "population")) s.variance = Variance::population;
    if (is(d, "missing_second", "-inf")) s.missing_second = MissingSecond::minus_infinity;
    s.spend_delta = nb::cast<bool>(d["spend_delta"]);
    s.leaf = best_of(nb::cast<std::vector<std::string>>(d["leaf"])).value();
    s.idbd = {nb::cast<double>(d["idbd_theta"]), ln(nb::cast<double>(d["idbd_alpha"]))};
    const auto categorical = nb::cast<std::string>(d["categorical_cuts"]);
    s.categorical_cuts = categorical == "multiway"           ? CategoricalCuts::multiway
                         : categorical == "one-against-rest" ? CategoricalCuts::one_against_rest
                                                             : CategoricalCuts::both;
    if (is(d, "runner_up", "cut")) s.runner_up = RunnerUp::cut;
    if (is(d, "runner_up", "none")) s.runner_up = RunnerUp::nothing;
    const auto inherit = nb::cast<std::string>(d["inherit_counts"]);
    s.inherit_counts = inherit == "none"      ? InheritCounts::none
                       : inherit == "predict" ? InheritCounts::predict
                                              : InheritCounts::count;
    set_adaptation(s, d);
    s.grace_period = nb::cast<double>(d["grace_period"]);
    s.adaptive_grace = nb::cast<bool>(d["adaptive_grace"]);
    s.delta = nb::cast<double>(d["delta"]);
    s.tau = nb::cast<double>(d["tau"]);
    s.epsilons = nb::cast<int>(d["epsilons"]);
    s.drop_poor_features = nb::cast<bool>(d["drop_poor_features"]);
    s.short_memory = nb::cast<std::size_t>(d["short_memory"]);
    s.short_memory_in_bound = nb::cast<bool>(d["short_memory_in_bound"]);
    s.min_gain = nb::cast<double>(d["min_gain"]);
    s.min_branch_fraction = nb::cast<double>(d["min_branch_fraction"]);
    s.clip_to_range = nb::cast<bool>(d["clip_to_range"]);
    if (!d["max_depth"].is_none()) s.max_depth = nb::cast<std::size_t>(d["max_depth"]);
    if (!d["max_leaves"].is_none()) s.max_leaves = nb::cast<std::size_t>(d["max_leaves"]);
    if (!d["max_bytes"].is_none()) s.max_bytes = nb::cast<std::size_t>(d["max_bytes"]);
    return s;
}

const double* weights_of(const std::optional<VectorIn<double>>& w, std::size_t rows) {
    if (!w) return nullptr;
    if (w->shape(0) != rows) throw std::invalid_argument("one weight a row");
    return w->data();
}

void demand_rows(const VectorIn<std::int32_t>& y, const PyBatch& b) {
    if (y.shape(0) != b.batch.rows) throw std::invalid_argument("one label a row");
}

// Room for the answers to a batch, filled without the interpreter.
struct Asked {
    std::vector<std::int32_t> classes;
    std::vector<double> probabilities;
    Answers answers;

    Asked(std::size_t rows, std::size_t width) : classes(rows), probabilities(rows * width) {
        answers = {classes.data(), width ? probabilities.data() : nullptr, width};
    }
    nb::tuple taken(std::size_t width) {
        const std::size_t rows = classes.size();
        nb::object p = nb::none();
        if (width) p = nb::cast(owned<Matrix<double>>(std::move(probabilities), {rows, width}));
        return nb::make_tuple(owned(std::move(classes)), p);
    }
};

// One example given as a dict. The usual values are read here; anything else
// (a new key, a new category, another type, an infinity) is for the slow way.
class OneRow {
public:
    // `index`: name -> place; `categories`: for each place a dict value -> code, or None.
    bool read(const nb::dict& x, const nb::dict& index, const nb::list& categories, bool learning) {
        const std::size_t n = nb::len(categories);
        numbers_.assign(n, std::numeric_limits<double>::quiet_NaN());
        codes_.assign(n, missing_code);
        PyObject* key;
        PyObject* value;
        Py_ssize_t at = 0;
        while (PyDict_Next(x.ptr(), &at, &key, &value)) {
            PyObject* const place = PyDict_GetItemWithError(index.ptr(), key);
            if (!place) {
                if (PyErr_Occurred()) throw nb::python_error();
                if (learning) return false;
                continue;
            }
            const auto f = static_cast<std::size_t>(PyLong_AsSsize_t(place));
            if (f >= n) continue;  // added by a learner since the row was begun
            PyObject* const codes = PyList_GET_ITEM(categories.ptr(), static_cast<Py_ssize_t>(f));
            if (value == Py_None) continue;
            if (codes == Py_None) {
                if (PyFloat_Check(value)) {
                    numbers_[f] = PyFloat_AS_DOUBLE(value);
                } else if (PyLong_Check(value)) {
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
            if (PyFloat_Check(value) && std::isnan(PyFloat_AS_DOUBLE(value))) continue;
            PyObject* const code = PyDict_GetItemWithError(codes, value);
            if (!code) {
                if (PyErr_Occurred()) PyErr_Clear();
                if (learning || !PyUnicode_Check(value)) return false;
                codes_[f] = unseen_code;
                continue;
            }
            codes_[f] = static_cast<std::int32_t>(PyLong_AsLong(code));
        }
        batch_.rows = 1;
        batch_.columns.resize(n);
        for (std::size_t f = 0; f < n; ++f) {
            const bool numeric =
                PyList_GET_ITEM(categories.ptr(), static_cast<Py_ssize_t>(f)) == Py_None;
            if (numeric) {
                batch_.columns[f] = {&numbers_[f], sizeof(double), Column::Type::f64};
            } else {
                batch_.columns[f] = {&codes_[f], sizeof(std::int32_t), Column::Type::code};
            }
        }
        return true;
    }

    [[nodiscard]] const Batch& batch() const { return batch_; }

private:
    std::vector<double> numbers_;
    std::vector<std::int32_t> codes_;
    Batch batch_;
};

OneRow& one_row() {
    thread_local OneRow row;
    return row;
}

// What grows beside another node is not shown.
void answering_only(Snapshot& s, const std::vector<std::int32_t>& numbers, std::size_t k) {
    const auto keep = [&](auto& values, std::size_t width) {
        std::size_t to = 0;
        for (std::size_t i = 0; i < numbers.size() && !values.empty(); ++i) {
            if (numbers[i] == none) continue;
            for (std::size_t j = 0; j < width; ++j) values[to++] = values[i * width + j];
        }
        values.resize(to);
    };
    for (auto* const ids : {&s.parent, &s.heavy}) {
        for (std::int32_t& id : *ids) id = id == none ? none : numbers[static_cast<std::size_t>(id)];
    }
    keep(s.test, 1);
    for (auto* const column : {&s.parent, &s.branch, &s.feature, &s.category, &s.heavy}) {
        keep(*column, 1);
    }
    keep(s.threshold, 1);
    for (auto* const column : {&s.counts, &s.inherited, &s.estimated}) keep(*column, k);
}

nb::dict nodes(const Tree& tree) {
    std::vector<Speaker> speakers;
    Snapshot s = [&] {
        const nb::gil_scoped_release free;
        return tree.snapshot(&speakers);
    }();
    const std::size_t k = s.classes[0];
    const auto numbers = numbers_of_answering(s.parent, s.role);
    answering_only(s, numbers, k);
    const std::size_t n = s.test.size();
    // Which test of its parent's a further one is, from 2 on; 0: it is none.
    std::vector<std::int32_t> options(n, 0), tests(n, 1);
    for (std::size_t i = 0; i < n && tree.settings().has_options(); ++i) {
        if (s.role[i]) options[i] = ++tests[static_cast<std::size_t>(s.parent[i])];
    }
    std::vector<std::int32_t> depth(n, 0);
    std::vector<double> answer(n * k);
    for (std::size_t i = 0; i < n; ++i) {
        const auto parent = static_cast<std::size_t>(s.parent[i]);
        if (i > 0) depth[i] = depth[parent] + 1;
        double total = 0.0;
        for (std::size_t c = 0; c < k; ++c) {
            total += answer[i * k + c] = s.counts[i * k + c] + s.inherited[i * k + c];
        }
        for (std::size_t c = 0; c < k && i > 0 && total == 0.0; ++c) {
            answer[i * k + c] = answer[parent * k + c];
        }
    }
    nb::dict d;
    d["test"] = owned(s.test);
    d["feature"] = owned(s.feature);
    d["threshold"] = owned(s.threshold);
    d["category"] = owned(s.category);
    d["parent"] = owned(s.parent);
    d["branch"] = owned(s.branch);
    if (tree.settings().has_options()) d["option"] = owned(std::move(options));
    const auto* const how = std::get_if<Options>(&tree.settings().adaptation);
    const bool inner_nodes_learn = tree.settings().keeps() && !(how && how->most == 1);
    if (inner_nodes_learn) d["reached"] = owned<Matrix<double>>(s.counts, {n, k});
    d["heavy"] = owned(s.heavy);
    d["depth"] = owned(std::move(depth));
    d["counts"] = owned<Matrix<double>>(s.counts, {n, k});
    d["inherited"] = owned<Matrix<double>>(s.inherited, {n, k});
    d["estimated"] = owned<Matrix<double>>(s.estimated.empty() ? s.inherited : s.estimated, {n, k});
    std::vector<std::uint8_t> answered_by;
    for (std::size_t i = 0; i < speakers.size(); ++i) {
        if (numbers[i] != none) answered_by.push_back(static_cast<std::uint8_t>(speakers[i]));
    }
    d["answered_by"] = owned(std::move(answered_by));
    d["answer"] = owned<Matrix<double>>(std::move(answer), {n, k});
    return d;
}

nb::tuple candidate(const Candidate& c) {
    return nb::make_tuple(c.feature, static_cast<int>(c.test), c.threshold, c.category, c.gain);
}

nb::list ranking(const Ranking& ranked) {
    nb::list out;
    for (std::size_t i = 0; i < ranked.size(); ++i) out.append(candidate(ranked[i]));
    return out;
}

const char* reason(Verdict verdict) {
    switch (verdict) {
        case Verdict::bound: return "bound";
        case Verdict::tie: return "tie";
        case Verdict::forced: return "forced";
        case Verdict::seeded: return "seeded";
        default: return "wait";
    }
}

// Asks the tree without the interpreter: a learner that holds the tree may be waiting
// for the interpreter to ask a function of the user.
template <class Ask>
auto without_interpreter(Ask&& ask) {
    const nb::gil_scoped_release free;
    return ask();
}

nb::list certificates(const Tree& tree) {
    nb::list out;
    for (const Certificate& c : without_interpreter([&] { return tree.certificates(); })) {
        const Decision& d = c.decision;
        out.append(nb::make_tuple(c.node, c.depth, c.seen, d.evidence.n, candidate(d.best),
                                  candidate(d.second), d.evidence.gain_range, d.epsilon,
                                  reason(d.verdict), d.evidence.delta, c.spent, d.criterion,
                                  ranking(d.ranking), c.pass));
    }
    return out;
}

nb::list leaf_states(const Tree& tree) {
    nb::list out;
    for (const LeafState& l : without_interpreter([&] { return tree.leaf_states(); })) {
        const Decision& d = l.decision;
        out.append(nb::make_tuple(l.node, l.depth, l.classes, l.weight, l.until_check,
                                  candidate(d.best), candidate(d.second), d.epsilon,
                                  l.still_needed, l.may_split, d.evidence.delta, d.criterion,
                                  ranking(d.ranking), l.dropped, l.active, l.room));
    }
    return out;
}

const char* kind_of(ChangeKind kind) {
    switch (kind) {
        case ChangeKind::started: return "started";
        case ChangeKind::dropped: return "dropped";
        case ChangeKind::replaced: return "replaced";
        case ChangeKind::pruned: return "pruned";
        case ChangeKind::resplit: return "resplit";
        case ChangeKind::moved: return "moved";
        default: return "recalled";
    }
}

nb::list changes(const Tree& tree) {
    const auto cut = [](const Cut& c) {
        return nb::make_tuple(c.feature, static_cast<int>(c.test), c.threshold, c.category);
    };
    nb::list out;
    for (const Change& c : without_interpreter([&] { return tree.changes(); })) {
        out.append(nb::make_tuple(c.seen, kind_of(c.kind), c.depth, cut(c.above), c.branch,
                                  cut(c.before), cut(c.after), c.leaves_before, c.leaves_after,
                                  c.ours.value, c.ours.weight, c.theirs.value, c.theirs.weight,
                                  c.bound));
    }
    return out;
}

nb::dict change_totals(const Tree& tree) {
    const auto totals = without_interpreter([&] { return tree.change_totals(); });
    nb::dict d;
    for (std::size_t i = 0; i < n_change_kinds; ++i) {
        d[kind_of(static_cast<ChangeKind>(i))] = totals[i];
    }
    return d;
}

nb::dict snapshot(const Tree& tree) {
    const Snapshot s = without_interpreter([&] { return tree.snapshot(); });
    nb::dict d;
    const auto put = [&](const char* name, const auto& values) { d[name] = owned(values); };
    Snapshot::each_of_all(s, put);
    return d;
}

std::unique_ptr<Tree> restore(const nb::dict& settings, const nb::dict& arrays) {
    Snapshot s;
    std::size_t read = 0;
    const auto take = [&]<class T>(const char* name, std::vector<T>& values) {
        if (!arrays.contains(name)) {
            throw std::invalid_argument(std::string("the array ") + name + " is absent");
        }
        VectorIn<T> array;
        if (!nb::try_cast(arrays[name], array, false)) {
            throw std::invalid_argument(std::string("the array ") + name + " has another type");
        }
        values.assign(array.data(), array.data() + array.shape(0));
        ++read;
    };
    const Settings made = settings_of(settings);
    Snapshot::each(s, take);
    if (arrays.contains("spent")) {
        Snapshot::each_later(s, take);
    } else {
        fill_later_arrays(made, s);
    }
    if (arrays.contains("passes")) {
        Snapshot::each_of_passes(s, take);
    } else {
        fill_passes(s);
    }
    Snapshot::each_of_units(s, [&](const char* name, auto& values) {
        if (arrays.contains(name)) take(name, values);
    });
    if (arrays.contains("delay")) Snapshot::each_of_growth(s, take);
    fill_arrays_since_3(s);
    if (arrays.contains("inactive")) Snapshot::each_since_3(s, take);
    if (arrays.contains("role")) Snapshot::each_of_adaptation(s, take);
    if (arrays.contains("archive")) Snapshot::each_of_archive(s, take);
    if (read != nb::len(arrays)) throw std::invalid_argument("an unknown array");
    return Tree::restore(made, s);
}

}  // namespace

void bind_engine(nb::module_& m) {
    nb::exception<LimitTooLow>(m, "LimitTooLow", PyExc_ValueError);
    m.attr("MAX_FEATURES") = max_features;
    m.attr("MAX_CLASSES") = max_classes;
    m.attr("MAX_CATEGORIES") = max_categories;

    nb::class_<PyBatch>(m, "Batch")
        .def_static("of_matrix", batch_of_matrix, "matrix"_a.noconvert(),
                    nb::sig("def of_matrix(matrix: numpy.typing.NDArray[typing.Any]) -> Batch"))
        .def_static("of_columns", batch_of_columns, "rows"_a, "columns"_a,
                    nb::sig("def of_columns(rows: int, columns: typing.Sequence["
                            "numpy.typing.NDArray[typing.Any] | None]) -> Batch"))
        .def("set_uncertain", set_uncertain, "rows"_a, "features"_a, "types"_a, "numbers"_a,
             "starts"_a, "points"_a, "weights"_a)
        .def_prop_ro("rows", [](const PyBatch& b) { return b.batch.rows; })
        .def("find_infinite", [](const PyBatch& b) -> nb::object {
            std::optional<Place> place;
            {
                const nb::gil_scoped_release free;
                place = find_infinite(b.batch);
            }
            if (!place) return nb::none();
            return nb::make_tuple(place->row, place->column);
        }, nb::sig("def find_infinite(self) -> tuple[int, int] | None"));

    nb::class_<Tree>(m, "Engine")
        .def("__init__", [](Tree* self, const nb::dict& settings) {
            new (self) Tree(settings_of(settings));
        }, "settings"_a, nb::sig("def __init__(self, settings: dict[str, object]) -> None"))
        .def("add_features", [](Tree& t, const std::vector<bool>& categorical) {
            std::vector<Kind> kinds;
            for (const bool c : categorical) kinds.push_back(c ? Kind::categorical : Kind::numeric);
            const nb::gil_scoped_release free;
            t.add_features(kinds);
        }, "categorical"_a)
        .def("add_names", &Tree::add_names, "bytes"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("expect_classes", &Tree::expect_classes, "bytes"_a)
        .def("expect_categories", &Tree::expect_categories, "feature"_a, "bytes"_a)
        .def("set_max_bytes", [](Tree& t, std::optional<std::size_t> limit) {
            const nb::gil_scoped_release free;
            t.set_max_bytes(limit.value_or(SIZE_MAX));
        }, "limit"_a.none())
        .def("surely_fits", &Tree::surely_fits, "names"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("max_bytes", [](const Tree& t) -> std::optional<std::size_t> {
            const std::size_t limit = t.settings().max_bytes;
            if (limit == SIZE_MAX) return std::nullopt;
            return limit;
        })
        .def_prop_ro("least_bytes", &Tree::least_bytes, nb::call_guard<nb::gil_scoped_release>())
        .def("declare_classes", &Tree::declare_classes, "count"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def("set_costs", [](Tree& t, const nb::ndarray<const double, nb::ndim<2>, nb::c_contig,
                                                       nb::device::cpu>& matrix) {
            if (matrix.shape(0) != matrix.shape(1)) throw std::invalid_argument("not a square");
            const nb::gil_scoped_release free;
            t.set_costs(matrix.data(), matrix.shape(0));
        }, "matrix"_a)
        .def("seed", [](Tree& t, const VectorIn<std::int32_t>& left,
                        const VectorIn<std::int32_t>& right,
                        const VectorIn<std::int32_t>& feature,
                        const VectorIn<double>& threshold,
                        const VectorIn<std::uint8_t>& missing_left, const VectorIn<double>& weight,
                        const VectorIn<double>& gain, const VectorIn<double>& counts) {
            const std::size_t n = left.shape(0);
            if (right.shape(0) != n || feature.shape(0) != n || threshold.shape(0) != n ||
                missing_left.shape(0) != n || weight.shape(0) != n || gain.shape(0) != n ||
                counts.shape(0) != n * t.n_classes()) {
                throw std::invalid_argument("one entry a node");
            }
            const nb::gil_scoped_release free;
            t.seed({n, left.data(), right.data(), feature.data(), threshold.data(),
                    missing_left.data(), weight.data(), gain.data(), counts.data()});
        }, "left"_a, "right"_a, "feature"_a, "threshold"_a, "missing_left"_a, "weight"_a, "gain"_a,
           "counts"_a)
        .def("begin_pass", &Tree::begin_pass, nb::call_guard<nb::gil_scoped_release>())
        .def("learn", [](Tree& t, const PyBatch& b, const VectorIn<std::int32_t>& y,
                         const std::optional<VectorIn<double>>& w) {
            demand_rows(y, b);
            const double* const weights = weights_of(w, b.batch.rows);
            const nb::gil_scoped_release free;
            t.learn(b.batch, y.data(), weights);
        }, "batch"_a, "y"_a, "w"_a.none())
        .def("prequential", [](Tree& t, const PyBatch& b, const VectorIn<std::int32_t>& y,
                               const std::optional<VectorIn<double>>& w, std::size_t width) {
            demand_rows(y, b);
            const double* const weights = weights_of(w, b.batch.rows);
            Asked asked(b.batch.rows, width);
            {
                const nb::gil_scoped_release free;
                t.prequential(b.batch, y.data(), weights, asked.answers);
            }
            return asked.taken(width);
        }, "batch"_a, "y"_a, "w"_a.none(), "width"_a,
           nb::sig("def prequential(self, batch: Batch, y: numpy.typing.NDArray[numpy.int32], "
                   "w: numpy.typing.NDArray[numpy.float64] | None, width: int) -> "
                   "tuple[numpy.typing.NDArray[numpy.int32], "
                   "numpy.typing.NDArray[numpy.float64] | None]"))
        .def("predict", [](const Tree& t, const PyBatch& b, std::size_t width) {
            Asked asked(b.batch.rows, width);
            {
                const nb::gil_scoped_release free;
                t.predict(b.batch, asked.answers);
            }
            return asked.taken(width);
        }, "batch"_a, "width"_a,
           nb::sig("def predict(self, batch: Batch, width: int) -> "
                   "tuple[numpy.typing.NDArray[numpy.int32], "
                   "numpy.typing.NDArray[numpy.float64] | None]"))
        .def("learn_one", [](Tree& t, const nb::dict& x, const nb::dict& index,
                             const nb::list& categories, std::int32_t y, double w) {
            OneRow& row = one_row();
            if (!row.read(x, index, categories, true)) return false;
            const nb::gil_scoped_release free;
            t.learn(row.batch(), &y, &w);
            return true;
        }, "x"_a, "index"_a, "categories"_a, "y"_a, "w"_a,
           nb::sig("def learn_one(self, x: dict[typing.Any, typing.Any], "
                   "index: typing.Mapping[typing.Any, int], "
                   "categories: typing.Sequence[typing.Any], y: int, w: float) -> bool"))
        .def("predict_one", [](const Tree& t, const nb::dict& x, const nb::dict& index,
                               const nb::list& categories) -> std::optional<std::int32_t> {
            OneRow& row = one_row();
            if (!row.read(x, index, categories, false)) return std::nullopt;
            std::int32_t answer = no_answer;
            const nb::gil_scoped_release free;
            t.predict(row.batch(), {&answer, nullptr, 0});
            return answer;
        }, "x"_a, "index"_a, "categories"_a,
           nb::sig("def predict_one(self, x: dict[typing.Any, typing.Any], "
                   "index: typing.Mapping[typing.Any, int], "
                   "categories: typing.Sequence[typing.Any]) -> int | None"))
        .def("path", [](const Tree& t, const PyBatch& b) {
            const nb::gil_scoped_release free;
            return t.path(b.batch);
        }, "batch"_a)
        .def_prop_ro("n_features", &Tree::n_features, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("n_classes", &Tree::n_classes, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("n_nodes", &Tree::n_nodes, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("n_leaves", &Tree::n_leaves, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("n_active_leaves", &Tree::n_active_leaves,
                     nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("depth", &Tree::depth, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("seen", &Tree::seen, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("memory_bytes", &Tree::memory_bytes, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("delta_spent", &Tree::delta_spent, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("passes", &Tree::passes, nb::call_guard<nb::gil_scoped_release>())
        .def("nodes", nodes,
             nb::sig("def nodes(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"))
        .def("certificates", certificates,
             nb::sig("def certificates(self) -> list[tuple[typing.Any, ...]]"))
        .def("changes", changes, nb::sig("def changes(self) -> list[tuple[typing.Any, ...]]"))
        .def("change_totals", change_totals,
             nb::sig("def change_totals(self) -> dict[str, int]"))
        .def("leaf_states", leaf_states,
             nb::sig("def leaf_states(self) -> list[tuple[typing.Any, ...]]"))
        .def("snapshot", snapshot,
             nb::sig("def snapshot(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"))
        .def_static("restore", restore, "settings"_a, "arrays"_a,
                    nb::sig("def restore(settings: dict[str, object], "
                            "arrays: dict[str, numpy.typing.NDArray[typing.Any]]) -> Engine"));
}
