#include "naive_bayes.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace riparian {

std::int32_t NaiveBayes::class_by_score(const LeafView& leaf, Spread& spread,
                                        PredictorScratch& scratch) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::size_t n = leaf.n_classes;
    Spread::Room& room = spread.room;
    const auto add_scores = [&](const Row& row, std::vector<double>& out) {
        if (class_by_score(leaf, row, scratch) == no_prediction) return false;
        out.insert(out.end(), scratch.scores.begin(),
                   scratch.scores.begin() + static_cast<std::ptrdiff_t>(n));
        return true;
    };
    room.sum.clear();
    room.nothing.clear();
    if (!add_scores(spread.certain_part(), room.sum)) return no_prediction;
    add_scores(spread.nothing(), room.nothing);
    const auto& points = spread.draw();
    for (std::size_t v = 0; v < spread.values.size(); ++v) {
        room.scores.clear();
        for (const Point& p : points[v]) add_scores(spread.alone(v, p.value), room.scores);
        const std::size_t m = points[v].size();
        room.likelihoods.resize(m);
        for (std::size_t k = 0; k < n; ++k) {
            if (room.nothing[k] == -infinity) continue;
            double top = -infinity;
            for (std::size_t p = 0; p < m; ++p) top = std::max(top, room.scores[p * n + k]);
            for (std::size_t p = 0; p < m; ++p) room.likelihoods[p] = room.scores[p * n + k] - top;
            kernels().exponential(room.likelihoods.data(), m, room.likelihoods.data());
            double mean = 0.0;
            for (std::size_t p = 0; p < m; ++p) mean += points[v][p].weight * room.likelihoods[p];
            room.sum[k] += top + ln(mean) - room.nothing[k];
        }
    }
    std::copy(room.sum.begin(), room.sum.end(), scratch.scores.begin());
    return largest_class(room.sum.data(), n);
}

Formula NaiveBayes::describe(const LeafView& leaf, PredictorScratch& scratch) {
    Formula out;
    if (!knows(leaf)) return out;
    out.link = Formula::Link::softmax;
    const std::size_t n = leaf.shape.numeric;
    const std::size_t classes = leaf.n_classes;
    const auto seen = [&](std::size_t k) { return leaf.counts[k] > 0.0; };
    for (std::size_t k = 0; k < classes; ++k) {
        out.constant.push_back(seen(k) ? ln(leaf.counts[k])
                                       : -std::numeric_limits<double>::infinity());
    }
    std::vector<double> precisions(classes * n, 0.0);
    if (n > 0) {
        prepare(leaf, nullptr, scratch);
        const double* const planes = range(leaf, scratch);
        for (std::size_t k = 0; k < classes; ++k) {
            if (!seen(k)) continue;
            kernels().full_precisions(leaf.statistics.gaussian(k, leaf.counts), planes,
                                      scratch.usable.data(), scratch.pooled.data(), n,
                                      precisions.data() + k * n);
        }
    }
    // A feature is used for all classes of the leaf or for none.
    for (std::size_t f = 0; f < n; ++f) {
        double used = 0.0;
        for (std::size_t k = 0; k < classes; ++k) used += precisions[k * n + f];
        if (used > 0.0) out.numeric.push_back(static_cast<std::int32_t>(f));
    }
    for (std::size_t k = 0; k < classes; ++k) {
        for (const std::int32_t place : out.numeric) {
            const auto f = static_cast<std::size_t>(place);
            const double precision = precisions[k * n + f];
            out.squares.precision.push_back(precision);
            out.squares.centre.push_back(seen(k) ? leaf.statistics.classes()[k][mean * n + f]
                                                 : 0.0);
            out.squares.offset.push_back(seen(k) ? 0.5 * ln(precision) : 0.0);
        }
    }
    for (std::size_t c = 0; c < leaf.shape.categorical; ++c) {
        const std::uint32_t* const starts = leaf.statistics.starts(leaf.shape);
        const double* const known = leaf.statistics.known_categories(c);
        const auto values = static_cast<double>(leaf.categories[c]);
        Formula::Categories terms{static_cast<std::int32_t>(c), {}};
        for (std::uint32_t cell = starts[c]; cell <= starts[c + 1]; ++cell) {
            for (std::size_t k = 0; k < classes; ++k) {
                const double here = seen(k) && cell < starts[c + 1]
                                        ? leaf.statistics.cells(leaf.shape, k)[cell]
                                        : 0.0;
                const double all = (known ? known[k] : leaf.counts[k]) + values;
                terms.terms.push_back(seen(k) ? ln(here + 1.0) - ln(all) : 0.0);
            }
        }
        out.categorical.push_back(std::move(terms));
    }
    return out;
}

}  // namespace riparian
