// A tree that only grows.
#include "fixed.hpp"

#include <algorithm>

#include "contract.hpp"

namespace riparian {
namespace {

class FixedTree : public Adaptation {
public:
    FixedTree(RowLearner& rows) : Adaptation(rows, {}) {}

    std::int32_t learn(const Example&, std::size_t y, double w) override;
};

// Certain rows are learned by the row loop itself.
std::int32_t FixedTree::learn(const Example& example, std::size_t y, double w) {
    Spread& spread = *example.spread;
    arrive(example, y);
    const bool observes = rows_.observes();
    each_leaf(spread, 0, 1.0, [&](std::int32_t leaf, double share) {
        if (observes) rows_.observe(leaf, spread, y, share * std::min(w, 1.0));
        learn_at(example, {leaf, share, true}, y, w);
    });
    if (state_.limited() && working_.held) checks_.release();
    return no_prediction;
}

}  // namespace

std::unique_ptr<Adaptation> Fixed::begin(RowLearner& rows) const {
    return std::make_unique<FixedTree>(rows);
}

}  // namespace riparian
