// The kernel behind Hits::judge. Labels are found anew for each row, four features at
// once: nothing but the class weights is kept, so that a tree that was saved goes on with
// the same bits.
#include "functions.hpp"
#include "judging.hpp"

namespace riparian::RIPARIAN_ISA {
namespace {

// 1 where class y leads the others, once `done` more of it are counted.
struct RightOrWrong {
    Lanes own = 0.0;
    Lanes before = -__builtin_inf();  // the largest of the classes before y
    Lanes after = -__builtin_inf();   // and of those after it

    template <class Weights>
    RIPARIAN_INLINE RightOrWrong(const JudgedRow& row, const Weights& weights) {
        for (std::size_t k = 0; k < row.y; ++k) before = max(before, weights(k));
        own = weights(row.y);
        for (std::size_t k = row.y + 1; k < row.n_classes; ++k) after = max(after, weights(k));
    }
    RIPARIAN_INLINE Lanes score(double done) const {
        const Lanes weight = own + done;
        return select((weight > before) & (weight >= after), 1.0, 0.0);
    }
};

// 1 - the cost of the label of least cost; 0 outside the matrix.
struct ByCost {
    const JudgedRow& row;
    std::size_t known;
    Lanes* counts;
    Lanes own = 0.0;

    template <class Weights>
    RIPARIAN_INLINE ByCost(const JudgedRow& judged, const Weights& weights)
        : row(judged),
          known(judged.n_classes < judged.known_classes ? judged.n_classes : judged.known_classes),
          counts(reinterpret_cast<Lanes*>(judged.scratch)) {
        for (std::size_t k = 0; k < known; ++k) counts[k] = weights(k);
        if (row.y < known) own = counts[row.y];
    }
    RIPARIAN_INLINE Lanes score(double done) const {
        if (row.y < known) counts[row.y] = own + done;
        Lanes least = __builtin_inf();
        Lanes score = 0.0;
        const double* costs = row.costs;
        for (std::size_t l = 0; l < row.n_labels; ++l, costs += row.known_classes) {
            Lanes cost = 0.0;
            for (std::size_t k = 0; k < known; ++k) cost += counts[k] * costs[k];
            const bool inside = l < row.known_classes && row.y < row.known_classes;
            score = select(cost < least, inside ? 1.0 - costs[row.y] : 0.0, score);
            least = min(least, cost);
        }
        return score;
    }
};

template <class Judge>
RIPARIAN_INLINE void judge_by(const JudgedRow& row) {
    for (std::size_t f = 0; f < row.stride; f += width) {
        const Lanes x = Lanes::load(row.x + f);
        const Lanes t = Lanes::load(row.thresholds + f);
        const Mask below = x <= t;
        const Mask above = x > t;
        double* const left = row.sides + f;
        double* const right = left + row.class_stride * row.stride;
        const auto weights = [&](std::size_t k) __attribute__((always_inline)) {
            return select(below, Lanes::load(left + k * row.stride),
                          Lanes::load(right + k * row.stride));
        };
        const Judge judge(row, weights);
        Lanes sum = 0.0;
        double done = 0.0;
        for (int i = 0; i < most_units && done < row.w; ++i) {
            const double rest = row.w - done;
            const double unit = i + 1 < most_units && rest > 1.0 ? 1.0 : rest;
            sum += judge.score(done) * unit;
            done += unit;
        }
        const Lanes before = Lanes::load(row.sums + f);
        select(below | above, before + (sum - row.leaf), before).store(row.sums + f);
        const std::size_t place = row.y * row.stride;
        (Lanes::load(left + place) + select(below, row.w, 0.0)).store(left + place);
        (Lanes::load(right + place) + select(above, row.w, 0.0)).store(right + place);
    }
}

void judge(const JudgedRow& row) {
    if (row.costs) {
        judge_by<ByCost>(row);
    } else {
        judge_by<RightOrWrong>(row);
    }
}

}  // namespace
}  // namespace riparian::RIPARIAN_ISA
