#include "naive_bayes.hpp"

#include <algorithm>
#include <limits>
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

}  // namespace riparian
