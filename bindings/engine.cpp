// The tree, as Python holds it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../core/tree/description.hpp"
#include "../core/growth/seed.hpp"
#include "../core/growth/snapshot.hpp"
#include "../core/tree/tree.hpp"
#include "arrays.hpp"
#include "batch.hpp"
#include "learner.hpp"
#include "parts.hpp"
#include "settings.hpp"
#include "snapshots.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

// Calls the tree without the interpreter: the thread that learns the tree may be waiting for the
// interpreter, to call a function of the user.
template <class Call>
auto without_interpreter(Call&& call) {
    const nb::gil_scoped_release free;
    return call();
}

template <class Enum>
auto numbers_of(const std::vector<Enum>& values) {
    std::vector<std::uint8_t> out;
    for (const Enum value : values) out.push_back(static_cast<std::uint8_t>(value));
    return owned(std::move(out));
}

// None for an empty name.
nb::list names_of(const std::vector<std::string_view>& names) {
    nb::list out;
    for (const std::string_view name : names) {
        out.append(name.empty() ? nb::none() : nb::object(nb::str(name.data(), name.size())));
    }
    return out;
}

const char* link_of(Formula::Link link) {
    switch (link) {
        case Formula::Link::softmax: return "softmax";
        case Formula::Link::clipped: return "clipped";
        default: return "unknown";
    }
}

// The formula of each node; None if it predicts its class weights.
nb::list formulas(std::vector<Formula> of_nodes) {
    nb::list out;
    for (Formula& f : of_nodes) {
        if (f.link == Formula::Link::none) {
            out.append(nb::none());
            continue;
        }
        const std::size_t classes = f.constant.size(), width = f.numeric.size();
        nb::dict of_leaf;
        of_leaf["link"] = link_of(f.link);
        of_leaf["constant"] = owned(std::move(f.constant));
        of_leaf["numeric"] = owned(std::move(f.numeric));
        const bool lines = !f.lines.spread.empty();
        if (lines) {
            of_leaf["spread"] = owned(std::move(f.lines.spread));
            of_leaf["centre"] = owned(std::move(f.lines.centre));
            of_leaf["weight"] = owned<Matrix<double>>(std::move(f.lines.weight), {classes, width});
        } else {
            Formula::Squares& s = f.squares;
            of_leaf["centre"] = owned<Matrix<double>>(std::move(s.centre), {classes, width});
            of_leaf["precision"] = owned<Matrix<double>>(std::move(s.precision), {classes, width});
            of_leaf["offset"] = owned<Matrix<double>>(std::move(s.offset), {classes, width});
        }
        nb::dict categorical;
        for (Formula::Categories& c : f.categorical) {
            const std::size_t rows = c.terms.size() / classes;
            categorical[nb::int_(c.feature)] =
                owned<Matrix<double>>(std::move(c.terms), {rows, classes});
        }
        of_leaf["categorical"] = categorical;
        out.append(of_leaf);
    }
    return out;
}

nb::dict nodes(const Tree& tree, const PyBatch* rows, bool with_formulas) {
    Description d = without_interpreter(
        [&] { return tree.describe(rows ? &rows->batch : nullptr, with_formulas); });
    const std::initializer_list<std::size_t> shape{d.test.size(), d.classes};
    nb::dict out;
    if (rows) out["ends"] = owned(std::move(d.ends));
    out["test"] = numbers_of(d.test);
    out["feature"] = owned(std::move(d.feature));
    out["threshold"] = owned(std::move(d.threshold));
    out["category"] = owned(std::move(d.category));
    out["parent"] = owned(std::move(d.parent));
    out["branch"] = owned(std::move(d.branch));
    if (!d.option.empty()) out["option"] = owned(std::move(d.option));
    if (d.inner_nodes_learn) out["reached"] = owned<Matrix<double>>(d.counts, shape);
    out["heavy"] = owned(std::move(d.heavy));
    out["depth"] = owned(std::move(d.depth));
    out["counts"] = owned<Matrix<double>>(std::move(d.counts), shape);
    out["inherited"] = owned<Matrix<double>>(std::move(d.inherited), shape);
    out["estimated"] = owned<Matrix<double>>(std::move(d.estimated), shape);
    out["predicted_by"] = names_of(d.predictor);
    if (with_formulas) out["formulas"] = formulas(std::move(d.formula));
    out["answer"] = owned<Matrix<double>>(std::move(d.majority), shape);
    return out;
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
        case Verdict::better: return "better";
        case Verdict::within: return "within";
        case Verdict::round: return "round";
        default: return "wait";
    }
}

nb::list listed(const std::vector<Certificate>& certificates) {
    nb::list out;
    for (const Certificate& c : certificates) {
        const Decision& d = c.decision;
        out.append(nb::make_tuple(
            c.node, c.depth, c.seen, d.evidence.n, candidate(d.best), candidate(d.second),
            d.evidence.gain_range, d.epsilon, reason(d.verdict), d.evidence.delta, c.spent,
            d.criterion, ranking(d.ranking), c.pass, c.branches, d.evidence.log_evidence, c.until));
    }
    return out;
}

nb::list certificates(const Tree& tree, std::optional<std::uint64_t> since) {
    return listed(without_interpreter([&] { return tree.certificates(since); }));
}

nb::list former_certificates(const Tree& tree, std::optional<std::uint64_t> since) {
    return listed(without_interpreter([&] { return tree.former_certificates(since); }));
}

nb::list leaf_states(const Tree& tree) {
    nb::list out;
    for (const LeafState& l : without_interpreter([&] { return tree.leaf_states(); })) {
        const Decision& d = l.decision;
        out.append(nb::make_tuple(l.node, l.depth, l.classes, l.weight, l.until_check, d.evidence.n,
                                  candidate(d.best), candidate(d.second), d.gain_error, d.epsilon,
                                  l.still_needed, l.may_split, d.evidence.delta, d.criterion,
                                  l.dropped, l.active, l.room, d.evidence.log_evidence,
                                  d.evidence.log_threshold, l.ledger));
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

nb::list changes(const Tree& tree, std::uint64_t since) {
    const auto cut = [](const Cut& c) {
        return nb::make_tuple(c.feature, static_cast<int>(c.test), c.threshold, c.category);
    };
    nb::list out;
    for (const Change& c : without_interpreter([&] { return tree.changes(since); })) {
        out.append(nb::make_tuple(c.seen, kind_of(c.kind), c.depth, cut(c.above), c.branch,
                                  cut(c.before), cut(c.after), c.leaves_before, c.leaves_after,
                                  c.ours.value, c.ours.weight, c.theirs.value, c.theirs.weight,
                                  c.bound));
    }
    return out;
}

nb::dict change_totals(const Tree& tree) {
    const auto totals = without_interpreter([&] { return tree.facts().change_totals; });
    nb::dict d;
    for (std::size_t i = 0; i < n_change_kinds; ++i) {
        d[kind_of(static_cast<ChangeKind>(i))] = totals[i];
    }
    return d;
}

nb::dict snapshot(const Tree& tree) {
    nb::dict d;
    write_snapshot(without_interpreter([&] { return tree.snapshot(); }), "", d);
    return d;
}

std::unique_ptr<Tree> restore(const nb::dict& settings, const nb::dict& arrays) {
    const TreeSettings made = settings_of(settings);
    ArrayReader reader(arrays, "");
    const Snapshot s = read_snapshot(reader, made);
    if (reader.read() != nb::len(arrays)) throw std::invalid_argument("an unknown array");
    return Tree::restore(made, s);
}

}  // namespace

void bind_engine(nb::module_& m) {
    nb::exception<LimitTooLow>(m, "LimitTooLow", PyExc_ValueError);
    m.attr("MAX_HOOKED_WINDOW") = Window::most_hooked;

    const nb::call_guard<nb::gil_scoped_release> released;
    nb::class_<Tree> engine(m, "Engine");
    bind_learner(engine);
    engine
        .def(
            "__init__",
            [](Tree* self, const nb::dict& settings) { new (self) Tree(settings_of(settings)); },
            "settings"_a, nb::sig("def __init__(self, settings: dict[str, object]) -> None"))
        .def(
            "seed",
            [](Tree& t, const VectorIn<std::int32_t>& left, const VectorIn<std::int32_t>& right,
               const VectorIn<std::int32_t>& feature, const VectorIn<double>& threshold,
               const VectorIn<std::int32_t>& category, const VectorIn<std::uint8_t>& missing_left,
               const VectorIn<double>& weight, const VectorIn<double>& gain,
               const VectorIn<double>& counts, const VectorIn<std::int32_t>& categories) {
                const std::size_t n = left.shape(0);
                const Facts facts = without_interpreter([&] { return t.facts(); });
                if (right.shape(0) != n || feature.shape(0) != n || threshold.shape(0) != n ||
                    category.shape(0) != n || categories.shape(0) != facts.n_features ||
                    missing_left.shape(0) != n || weight.shape(0) != n || gain.shape(0) != n ||
                    counts.shape(0) != n * facts.n_classes) {
                    throw std::invalid_argument("all arrays must have one entry per node");
                }
                const nb::gil_scoped_release free;
                t.seed({n, left.data(), right.data(), feature.data(), threshold.data(),
                        category.data(), missing_left.data(), weight.data(), gain.data(),
                        counts.data(), categories.data()});
            },
            "left"_a, "right"_a, "feature"_a, "threshold"_a, "category"_a, "missing_left"_a,
            "weight"_a, "gain"_a, "counts"_a, "categories"_a)
        .def(
            "demand_weights",
            [](const Tree& t, const VectorIn<double>& w) {
                t.demand_weights(w.data(), w.shape(0));
            },
            "w"_a)
        .def("begin_pass", &Tree::begin_pass, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro(
            "n_nodes", [](const Tree& t) { return t.size().n_nodes; }, released)
        .def_prop_ro(
            "n_leaves", [](const Tree& t) { return t.facts().n_leaves; }, released)
        .def_prop_ro(
            "n_active_leaves", [](const Tree& t) { return t.size().n_active_leaves; }, released)
        .def_prop_ro(
            "depth", [](const Tree& t) { return t.size().depth; }, released)
        .def_prop_ro(
            "delta_spent", [](const Tree& t) { return t.facts().delta_spent; }, released)
        .def_prop_ro(
            "passes", [](const Tree& t) { return t.facts().passes; }, released)
        .def("nodes", nodes, "rows"_a.none() = nb::none(), "formulas"_a = false,
             nb::sig("def nodes(self, rows: Batch | None = None, formulas: bool = False) -> "
                     "dict[str, typing.Any]"))
        .def("certificates", certificates, "since"_a.none() = nb::none(),
             nb::sig("def certificates(self, since: int | None = None) -> "
                     "list[tuple[typing.Any, ...]]"))
        .def("former_certificates", former_certificates, "since"_a.none() = nb::none(),
             nb::sig("def former_certificates(self, since: int | None = None) -> "
                     "list[tuple[typing.Any, ...]]"))
        .def("changes", changes, "since"_a = 0,
             nb::sig("def changes(self, since: int = 0) -> list[tuple[typing.Any, ...]]"))
        .def("change_totals", change_totals, nb::sig("def change_totals(self) -> dict[str, int]"))
        .def("leaf_states", leaf_states,
             nb::sig("def leaf_states(self) -> list[tuple[typing.Any, ...]]"))
        .def("snapshot", snapshot,
             nb::sig("def snapshot(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"))
        .def_static("restore", restore, "settings"_a, "arrays"_a,
                    nb::sig("def restore(settings: dict[str, object], "
                            "arrays: dict[str, numpy.typing.NDArray[typing.Any]]) -> Engine"));
}
