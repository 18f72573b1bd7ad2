// Hits, compared with labels that are computed again for every unit of every row, in every
// instruction set.
#include "../impurity/hits.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "checking.hpp"
#include "examples.hpp"

using namespace riparian;
using examples::Dice;

namespace {

// The slow way, from the specification: only weights are stored.
struct Plain {
    std::vector<double> counts;  // [class]
    double sum = 0.0;

    [[nodiscard]] double score(const Judging& judging, const std::vector<double>& c, std::size_t y,
                               double extra) const {
        std::vector<double> weights = c;
        weights[y] += extra;
        std::size_t best = 0;
        if (!judging.costs.classes) {
            best = static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) -
                                            weights.begin());
            return best == y ? 1.0 : 0.0;
        }
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t l = 0; l < judging.costs.labels; ++l) {
            double cost = 0.0;
            for (std::size_t k = 0; k < judging.costs.classes; ++k) {
                cost += weights[k] * judging.costs(l, k);
            }
            if (cost < least) {
                least = cost;
                best = l;
            }
        }
        return 1.0 - judging.costs(best, y);
    }

    double learn(const Judging& judging, std::size_t y, double w) {
        double total = 0.0;
        double done = 0.0;
        for (int i = 0; i < 64 && done < w; ++i) {
            const double unit = i < 63 ? std::min(1.0, w - done) : w - done;
            total += unit * score(judging, counts, y, done);
            done += unit;
        }
        counts[y] += w;
        return total;
    }
};

Costs some_costs(Dice& dice, std::size_t classes) {
    std::vector<double> matrix(classes * classes);
    // There are few different numbers, so many labels have the same cost.
    for (double& c : matrix) c = static_cast<double>(dice.below(4)) / 3.0;
    for (std::size_t k = 0; k < classes; ++k)
        matrix[k * classes + k] = dice.chance(0.2) ? 0.25 : 0.0;
    matrix[1] = 1.0;
    return costs_of(matrix.data(), classes);
}

void labels_are_those_of_the_weights(std::uint64_t seed) {
    Dice dice(seed);
    Shape s;
    s.numeric = 1 + dice.below(9);
    s.stride = (s.numeric + 3) / 4 * 4;
    s.class_stride = 8;
    std::size_t classes = 2 + dice.below(5);
    Judging judging;
    judging.evaluator = Evaluator::prequential;
    const bool by_cost = dice.chance(0.6);
    if (by_cost) judging.costs = some_costs(dice, 8);
    judging.costs.labels = by_cost ? classes : 0;

    const LeafStatistics statistics;
    Hits hits;
    hits.fit(s, judging.evaluator);
    std::vector<double> thresholds(s.numeric);
    for (double& t : thresholds) t = dice.chance(0.1) ? examples::nan : dice.normal();
    const std::vector<double> none(s.numeric * 2 * s.class_stride, 0.0);
    std::vector<double> counts(s.class_stride, 0.0);
    hits.fix(judging, s, statistics, counts.data(), classes, 0.0, thresholds.data(), none.data());

    Plain leaf{counts};
    std::vector<Plain> sides(s.numeric * 2, Plain{counts});
    std::vector<double> sums(s.numeric, 0.0);
    double weight = 0.0;
    const int kind = static_cast<int>(dice.below(3));
    for (int row = 0; row < 600; ++row) {
        if (row == 300 && classes < 8) {
            ++classes;
            if (by_cost) judging.costs.labels = classes;
            hits.doubt_labels(judging.evaluator);
        }
        const std::size_t y = dice.chance(0.4) ? 0 : dice.below(classes);
        const double w = kind == 0   ? 1.0
                         : kind == 1 ? dice.uniform() * 3.0 + 1e-3
                                     : static_cast<double>(1 + dice.below(100));
        std::vector<double> x(s.stride, 0.0);
        for (std::size_t f = 0; f < s.numeric; ++f) {
            x[f] = dice.chance(0.1) ? examples::nan : dice.normal() + 0.3 * static_cast<double>(y);
        }
        hits.judge(judging, s, statistics, {x.data(), nullptr, false}, y, w, counts.data(),
                   classes);
        counts[y] += w;
        weight += w;
        const double at_leaf = leaf.learn(judging, y, w);
        for (std::size_t f = 0; f < s.numeric; ++f) {
            if (thresholds[f] != thresholds[f] || x[f] != x[f]) continue;
            sums[f] +=
                sides[2 * f + (x[f] <= thresholds[f] ? 0 : 1)].learn(judging, y, w) - at_leaf;
        }
        if (row % 150 == 77) {
            std::vector<double> numbers;
            hits.save(classes, numbers);
            Hits again;
            CHECK(again.restore(s, judging.evaluator, numbers.data(), numbers.size(), counts.data(),
                                classes, weight) == numbers.size());
            hits = again;
        }
    }
    for (std::size_t f = 0; f < s.numeric; ++f) {
        if (thresholds[f] != thresholds[f]) {
            CHECK(hits.numeric(f, weight).weight == 0.0);
            continue;
        }
        CHECK(hits.numeric(f, weight).gain == sums[f] / weight);
        for (std::size_t i = 0; i < 2 * classes; ++i) {
            CHECK(hits.side_weight(f, i / classes, i % classes) ==
                  sides[2 * f + i / classes].counts[i % classes]);
        }
    }
}

CASE(labels_are_those_of_the_weights_in_every_instruction_set) {
    for (const char* const name : kernel_names) {
        const Kernels* const set = kernels_named(name);
        if (!set) continue;
        use_kernels(*set);
        for (std::uint64_t seed = 0; seed < 300; ++seed) labels_are_those_of_the_weights(seed);
    }
}

}  // namespace
