// Class weights in the branches of one cut, and the gain of such weights.
#include <algorithm>
#include <limits>

#include "check.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

double Checker::gain_of_branches(const LeafCase& leaf, const std::vector<double>& table) {
    const std::size_t n = leaf.n_classes, row = table.size() / n, branches = row - 3;
    known_.assign(n, 0.0);
    cells_.clear();
    codes_.clear();
    double total = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        cells_.push_back(table.data() + k * row);
        codes_.push_back(k);
        for (std::size_t b = 0; b < branches; ++b) known_[k] += table[k * row + b];
        total += known_[k];
    }
    if (!(total > 0.0)) return 0.0;
    if (const ImpurityFunction* const function = function_of(leaf.settings.impurity)) {
        std::vector<double> tables(2 * branches * n, 0.0), impurities(2 * branches);
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t b = 0; b < branches; ++b) tables[b * n + k] = table[k * row + b];
            tables[branches * n + k] = known_[k];
        }
        function->impurities(tables.data(), 2, branches, n, impurities.data());
        double mass = 0.0;
        for (std::size_t b = 0; b < branches; ++b) {
            double weight = 0.0;
            for (std::size_t k = 0; k < n; ++k) weight += tables[b * n + k];
            if (weight > 0.0) mass += weight * impurities[b];
        }
        return impurities[branches] - mass / total;
    }
    mass_.resize(row);
    rest_.resize(row);
    weight_.resize(row);
    scratch_.resize(std::max(scratch_.size(), 4 * 2 * n));
    const CategoricalCheck check{cells_.data(), branches,        n,
                                 known_.data(), scratch_.data(), mass_.data(),
                                 rest_.data(),  weight_.data()};
    const AnyImpurity here = over(leaf.settings.impurity, codes_);
    double parts = std::visit(
        [&](const auto& i) { return kernels().categorical_masses[here.index()](&i, check); }, here);
    for (std::size_t b = 0; b < branches; ++b) parts -= mass_[b];
    return parts / total;
}

double Checker::gain_of_threshold(const LeafCase& leaf, const Candidate& c) {
    const std::vector<double> table = this->table(leaf, c);
    const std::size_t width = leaf.shape.class_stride, n = leaf.n_classes;
    double gains[4];
    if (const ImpurityFunction* const function = function_of(leaf.settings.impurity)) {
        std::vector<double> tables(4 * n, 0.0);  // both branches; all, and an empty one
        double weights[2] = {}, all = 0.0;
        for (std::size_t i = 0; i < 2 * n; ++i) {
            const double w = table[i / n * width + i % n];
            tables[i] = w;
            tables[2 * n + i % n] += w;
            weights[i / n] += w;
            all += w;
        }
        function->impurities(tables.data(), 2, 2, n, gains);
        const double mass = (weights[0] > 0.0 ? weights[0] * gains[0] : 0.0) +
                            (weights[1] > 0.0 ? weights[1] * gains[1] : 0.0);
        return (all * gains[2] - mass) / leaf.weight;
    }
    known_.resize(n);
    for (std::size_t k = 0; k < n; ++k) known_[k] = table[k] + table[width + k];
    scratch_.resize(std::max(scratch_.size(), numeric_scratch(n)));
    const ListCheck check{table.data(),    1,    n, known_.data(), leaf.weight, 0.0,
                          scratch_.data(), gains};
    const AnyImpurity& impurity = leaf.settings.impurity;
    std::visit([&](const auto& i) { kernels().list_gains[impurity.index()](&i, check); }, impurity);
    return gains[0] == -infinity ? 0.0 : gains[0];
}

double Checker::gain_of_sides(const LeafCase& leaf, const double* left, const double* right,
                              double known) {
    const AnyImpurity& impurity = leaf.settings.impurity;
    const std::size_t n_classes = leaf.n_classes;
    known_.resize(n_classes);
    scratch_.resize(std::max(scratch_.size(), numeric_scratch(n_classes)));
    double n = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k) n += known_[k] = left[k] + right[k];
    if (!(n > 0.0)) return 0.0;
    double gains[4];
    const ListCheck check{
        left, 1, n_classes, known_.data(), n * (leaf.weight / known), 0.0, scratch_.data(), gains};
    std::visit([&](const auto& i) { kernels().list_gains[impurity.index()](&i, check); }, impurity);
    return gains[0] == -infinity ? 0.0 : gains[0];
}

std::vector<double> Checker::branches(const LeafCase& leaf, const Candidate& c) {
    Candidate here = c;
    if (leaf.kept) here.feature = leaf.kept->place_of(c.feature);
    return table(leaf, here);
}

std::vector<double> Checker::table(const LeafCase& leaf, const Candidate& c) {
    const std::size_t width = leaf.shape.class_stride;
    const std::size_t slot = leaf.features[static_cast<std::size_t>(c.feature)].slot;
    if (c.test == Test::threshold && leaf.values) {
        std::vector<double> out(2 * width, 0.0);
        left_mass(*leaf.values, slot, c.threshold, width, out.data());
        left_mass(*leaf.values, slot, infinity, width, out.data() + width);
        for (std::size_t k = 0; k < width; ++k) {
            out[width + k] = std::max(out[width + k] - out[k], 0.0);
        }
        return out;
    }
    if (c.test == Test::threshold && leaf.hits) {
        std::vector<double> out(2 * width, 0.0);
        for (std::size_t i = 0; i < 2 * width; ++i) {
            out[i] = leaf.hits->side_weight(slot, i / width, i % width);
        }
        return out;
    }
    if (c.test == Test::threshold) {
        std::vector<double> out(2 * width, 0.0);
        const NumericCheck check = numeric_check(leaf);
        std::vector<double> left(classes_.size());
        kernels().left_masses(check, slot, c.threshold, left.data());
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            const double all = classes_[i].known ? classes_[i].known[slot] : classes_[i].weight;
            out[codes_[i]] = left[i];
            out[width + codes_[i]] = all - left[i];
        }
        return out;
    }
    const std::uint32_t* const starts = leaf.statistics.starts(leaf.shape) + slot;
    const double* const known = leaf.statistics.known_categories(slot);
    const bool every = c.test == Test::every_value;
    std::vector<double> out((every ? starts[1] - starts[0] : 2) * width, 0.0);
    for (std::size_t k = 0; k < width; ++k) {
        if (!leaf.statistics.classes()[k]) continue;
        const double* const cells = leaf.statistics.cells(leaf.shape, k) + starts[0];
        if (every) {
            for (std::size_t v = 0; v < starts[1] - starts[0]; ++v) out[v * width + k] = cells[v];
        } else {
            out[k] = cells[c.category];
            out[width + k] = (known ? known[k] : leaf.counts[k]) - cells[c.category];
        }
    }
    return out;
}

}  // namespace riparian
