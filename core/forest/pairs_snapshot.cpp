// Saves and restores a forest of pairs as flat arrays. Their meaning is validated here only.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "../demand.hpp"
#include "../simd/kernels.hpp"
#include "pairs.hpp"

namespace riparian {

PairSnapshot PairForest::snapshot() const {
    const auto lock = turnstile_.reading();
    PairSnapshot s;
    save(s);
    s.order = order_;
    history_.save(s.memory_values, s.memory_codes, s.memory_labels, s.memory_weights);
    for (const Pair& pair : pairs_) {
        s.drifts.push_back(pair.drifts);
        const std::size_t before = s.detectors.size();
        if (pair.drift) std::visit([&](const auto& d) { d.save(s.detectors); }, *pair.drift);
        s.detector_sizes.push_back(s.detectors.size() - before);
        s.trees.push_back(pair.tree->snapshot());
    }
    return s;
}

std::unique_ptr<PairForest> PairForest::restore(const PairSettings& settings,
                                                const PairSnapshot& s) {
    auto forest = std::make_unique<PairForest>(settings);
    forest->restore_schema(s);
    const std::size_t n_classes = s.classes[0];
    const Shape& shape = forest->shape_;

    forest->known_.assign(n_classes, 0);
    std::size_t highest = s.declared[0];
    for (const std::uint32_t y : s.order) {
        demand(y < n_classes && !forest->known_[y], "order holds no class, or one twice");
        forest->known_[y] = 1;
        highest = std::max<std::size_t>(highest, y + 1);
    }
    demand(highest == n_classes, "classes that were neither seen nor declared");
    demand(s.order.empty() == (s.seen[0] == 0) && s.order.size() <= s.seen[0],
           "order does not go with the rows seen");
    forest->order_ = s.order;

    const std::size_t held = s.memory_labels.size();
    demand(held == std::min<std::uint64_t>(settings.tree.short_memory, s.seen[0]),
           "memory_labels has the wrong size");
    demand_size(s.memory_weights, held, "memory_weights");
    demand_size(s.memory_values, held * shape.numeric, "memory_values");
    demand_size(s.memory_codes, held * shape.categorical, "memory_codes");
    forest->history_.begin_at(s.seen[0] - held + 1);
    AlignedDoubles x(shape.stride, 0.0);
    for (std::size_t i = 0; i < held; ++i) {
        const Where where = at_row("memory_labels", i);
        const std::int32_t label = s.memory_labels[i];
        demand(label >= 0 && static_cast<std::size_t>(label) < n_classes &&
                   forest->known_[static_cast<std::size_t>(label)],
               where + "no such class");
        demand(s.memory_weights[i] > 0.0 && s.memory_weights[i] <= heaviest,
               where + "not a weight");
        std::copy_n(s.memory_values.data() + i * shape.numeric, shape.numeric, x.data());
        const Row row{x.data(), s.memory_codes.data() + i * shape.categorical,
                      std::any_of(x.begin(), x.end(), [](double v) { return v != v; })};
        for (std::size_t f = 0; f < shape.numeric; ++f) {
            demand(x[f] != x[f] || std::abs(x[f]) <= largest_value,
                   where + "a value is out of range");
        }
        for (std::size_t c = 0; c < shape.categorical; ++c) {
            demand(row.codes[c] >= missing_code &&
                       row.codes[c] < static_cast<std::int32_t>(s.categories[c]),
                   where + "no such category");
        }
        forest->history_.keep(row, static_cast<std::size_t>(label), s.memory_weights[i]);
    }

    const std::size_t n = s.order.empty() ? 0 : s.order.size() * (s.order.size() - 1) / 2;
    demand(s.trees.size() == n, "a tree is absent");
    demand_size(s.drifts, n, "drifts");
    demand_size(s.detector_sizes, n, "detector_sizes");
    forest->tree_bytes_ = forest->bytes_of_a_tree(settings.max_bytes, n);
    for (std::size_t i = 1; i < s.order.size(); ++i) {
        for (std::size_t before = 0; before < i; ++before) {
            forest->add_pair(s.order[before], s.order[i]);
        }
    }
    std::span<const double> rest(s.detectors);
    for (std::size_t p = 0; p < n; ++p) {
        Pair& pair = forest->pairs_[p];
        pair.drifts = s.drifts[p];
        const std::uint64_t size = s.detector_sizes[p];
        demand(size <= rest.size(), "detectors ends too early");
        demand((size > 0) == pair.drift.has_value(), "a detector too many or too few");
        demand(pair.drifts <= (pair.drift ? s.seen[0] : 0), "drifts that nobody found");
        std::span<const double> own = rest.first(size);
        rest = rest.subspan(size);
        if (pair.drift) {
            pair.drift = riparian::restore(*pair.drift, own);
            demand(own.empty(), "detectors is too long");
        }
        pair.tree =
            forest->restore_tree(forest->settings_of_a_tree(), s.trees[p], forest->all_features());
        demand(pair.tree->facts().n_classes == 2, "a tree that is not of two classes");
        demand(pair.tree->facts().seen <= s.seen[0], "a tree that has seen more than its forest");
    }
    demand(rest.empty(), "detectors is too long");
    return forest;
}

}  // namespace riparian
