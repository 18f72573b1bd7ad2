// A tree that only grows.
#include "fixed.hpp"

#include <algorithm>

#include "../growth/scatter.hpp"
#include "contract.hpp"

namespace riparian {
namespace {

class FixedTree : public Adaptation {
public:
    explicit FixedTree(Growth& growth) : Adaptation(growth, {}) {}

    std::int32_t learn(std::int32_t start, const Row&, std::size_t y, double w) override;
    void learn(Spread&, std::size_t y, double w) override;
};

std::int32_t FixedTree::learn(std::int32_t start, const Row& row, std::size_t y, double w) {
    const std::int32_t leaf = growth_.route_on(start, row);
    const std::int32_t predicted = growth_.observe(leaf, row, y, std::min(w, 1.0));
    growth_.arrive(row, y);
    growth_.learn_at(leaf, row, y, w);
    if (growth_.limited() && working_.held) growth_.leave_room();
    return predicted;
}

void FixedTree::learn(Spread& spread, std::size_t y, double w) {
    growth_.arrive(spread, y);
    const bool observes = growth_.observes();
    spread.wait(0, 1.0);
    scatter(
        nodes_, spread, [](std::int32_t, double) { return true; },
        [&](std::int32_t node, std::int32_t child, std::int32_t code) {
            return child == none ? growth_.add_branch(node, code) : child;
        },
        [&](std::int32_t leaf, double share) {
            if (observes) growth_.observe(leaf, spread, y, share * std::min(w, 1.0));
            growth_.learn_parts(leaf, spread, y, share * w);
            growth_.observe_again(leaf, spread, y, share, w);
        });
    if (growth_.limited() && working_.held) growth_.leave_room();
}

}  // namespace

std::unique_ptr<Adaptation> Fixed::begin(Growth& growth) const {
    return std::make_unique<FixedTree>(growth);
}

}  // namespace riparian
