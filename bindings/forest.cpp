// The forest, as Python holds it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../core/forest/forest.hpp"
#include "ensemble.hpp"
#include "parts.hpp"
#include "settings.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

ForestSettings forest_settings(const nb::dict& d) {
    ForestSettings s;
    s.tree = settings_of(nb::cast<nb::dict>(d["tree"]));
    s.tree.lean = true;
    if (!d["last_tree"].is_none()) {
        TreeSettings last = settings_of(nb::cast<nb::dict>(d["last_tree"]));
        last.lean = true;
        s.last_tree = std::make_shared<const TreeSettings>(std::move(last));
    }
    s.members = nb::cast<std::size_t>(d["members"]);
    s.first_member = nb::cast<std::uint32_t>(d["first_member"]);
    s.keep_votes = nb::cast<bool>(d["keep_votes"]);
    s.rate = nb::cast<double>(d["rate"]);
    s.none = nb::cast<double>(d["none"]);
    if (!d["patch"].is_none()) s.patch = subspace_of(d["patch"]);
    const auto how = nb::cast<std::string>(d["replacement"]);
    s.replacement = how == "none"    ? Replacement::none
                    : how == "worst" ? Replacement::worst
                                     : Replacement::background;
    s.drawn_background = nb::cast<bool>(d["drawn_background"]);
    s.votes.weighted = nb::cast<bool>(d["weighted"]);
    s.votes.power = nb::cast<std::uint32_t>(d["vote_power"]);
    s.votes.keep = nb::cast<double>(d["vote_keep"]);
    // A detector that has seen nothing: each member gets one like it.
    if (!d["warning"].is_none()) s.warning = nb::cast<AnyDetector>(d["warning"]);
    if (!d["drift"].is_none()) s.drift = nb::cast<AnyDetector>(d["drift"]);
    s.seed = nb::cast<std::uint64_t>(d["seed"]);
    s.threads = nb::cast<std::size_t>(d["threads"]);
    if (!d["max_bytes"].is_none()) s.max_bytes = nb::cast<std::size_t>(d["max_bytes"]);
    return s;
}

// The classes that a forest predicts for rows by the votes of its members, which are in the order of
// the forest: [row][member][width] and [row][member]. `known`: how many classes there were before each row.
nb::object combined(
    const nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>& shares,
    const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& weights,
    const VectorIn<std::int32_t>& known,
    const std::optional<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>&
        costs) {
    const std::size_t rows = shares.shape(0), members = shares.shape(1), width = shares.shape(2);
    if (weights.shape(0) != rows || weights.shape(1) != members || known.shape(0) != rows) {
        throw std::invalid_argument("votes of other rows or members");
    }
    Costs matrix;
    if (costs) {
        if (costs->shape(0) != costs->shape(1) || costs->shape(0) < width) {
            throw std::invalid_argument("costs of other classes");
        }
        const std::size_t n = costs->shape(0);
        std::shared_ptr<double[]> entries(new double[n * n]);
        std::copy_n(costs->data(), n * n, entries.get());
        matrix = {std::move(entries), n, n};
    }
    std::vector<std::int32_t> out(rows);
    {
        const nb::gil_scoped_release free;
        std::vector<double> own_weights(members);
        std::vector<Votes> votes(members);
        for (std::size_t r = 0; r < rows; ++r) {
            std::copy_n(weights.data() + r * members, members, own_weights.data());
            for (std::size_t m = 0; m < members; ++m) {
                votes[m] = {const_cast<double*>(shares.data()) + (r * members + m) * width, width,
                            own_weights.data() + m};
            }
            const auto before = static_cast<std::size_t>(
                std::clamp<std::int32_t>(known.data()[r], 0, static_cast<std::int32_t>(width)));
            combine(
                votes, 1, matrix, [&](std::size_t) { return before; },
                Predictions{out.data(), nullptr, 0}, r);
        }
    }
    return nb::cast(owned(std::move(out)));
}

std::unique_ptr<Forest> restored(const nb::dict& settings, const nb::dict& arrays) {
    const ForestSettings made = forest_settings(settings);
    return Forest::restore(made, read_ensemble<ForestSnapshot>(arrays, made.tree));
}

}  // namespace

void bind_forest(nb::module_& m) {
    m.def("combine_votes", combined, "shares"_a, "weights"_a, "known"_a,
          "costs"_a.none() = nb::none(),
          nb::sig("def combine_votes(shares: numpy.typing.NDArray[numpy.float64], "
                  "weights: numpy.typing.NDArray[numpy.float64], "
                  "known: numpy.typing.NDArray[numpy.int32], "
                  "costs: numpy.typing.NDArray[numpy.float64] | None = None) -> "
                  "numpy.typing.NDArray[numpy.int32]"));
    nb::class_<Forest> engine(m, "Forest");
    bind_ensemble(engine);
    engine
        .def(
            "__init__",
            [](Forest* self, const nb::dict& settings) {
                new (self) Forest(forest_settings(settings));
            },
            "settings"_a, nb::sig("def __init__(self, settings: dict[str, object]) -> None"))
        .def(
            "records",
            [](const Forest& f) {
                const auto all = [&] {
                    const nb::gil_scoped_release free;
                    return f.records();
                }();
                nb::list out;
                for (const Record& s : all) {
                    out.append(nb::make_tuple(s.tree, s.features, s.weight, s.accuracy, s.warnings,
                                              s.drifts, s.background, s.is_last));
                }
                return out;
            },
            nb::sig("def records(self) -> "
                    "list[tuple[Engine, list[int] | None, float, float, int, int, bool, bool]]"))
        .def(
            "take_votes",
            [](Forest& f, std::size_t width) {
                Forest::StoredVotes kept;
                {
                    const nb::gil_scoped_release free;
                    kept = f.take_votes();
                }
                const std::size_t n = f.n_members(), rows = kept.weights.size() / n;
                if (kept.shares.size() != rows * n * width) {
                    throw std::invalid_argument("votes of another width");
                }
                return nb::make_tuple(owned(std::move(kept.shares)),
                                      owned(std::move(kept.weights)));
            },
            "width"_a,
            nb::sig("def take_votes(self, width: int) -> "
                    "tuple[numpy.typing.NDArray[numpy.float64], "
                    "numpy.typing.NDArray[numpy.float64]]"))
        .def("snapshot", write_ensemble<Forest>,
             nb::sig("def snapshot(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"))
        .def_static("restore", restored, "settings"_a, "arrays"_a,
                    nb::sig("def restore(settings: dict[str, object], "
                            "arrays: dict[str, numpy.typing.NDArray[typing.Any]]) -> Forest"));
}
