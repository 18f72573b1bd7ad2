#include "contract.hpp"

#include "../growth/scatter.hpp"
#include "sizes.hpp"

namespace riparian {

Adaptation::Adaptation(Growth& growth, Traits traits)
    : GrowthHooks(growth, traits),
      growth_(growth),
      nodes_(growth.nodes()),
      leaves_(growth.leaves()),
      settings_(growth.settings()),
      structure_(growth.structure()),
      working_(growth.working()) {}

void Adaptation::check_sizes(const Snapshot& s, const Sizes& z) const {
    demand_sizes_of_subtrees(s, 0);
    demand_sizes_of_window(s, z, 0, 0);
}

void Adaptation::explore(Spread& spread, std::int32_t root, double share, std::size_t y, double w,
                         bool judged) {
    const std::size_t first = spread.visits.size();
    std::vector<double>& below = spread.room.below;  // [visit since][class]
    std::vector<std::size_t>& above = spread.room.above;  // visits on the way here
    below.clear();
    above.clear();
    const bool observes = growth_.observes();
    const std::size_t n_classes = growth_.n_classes();
    const auto enter = [&](std::int32_t node, double share, bool ends) {
        spread.note(node, share, ends);
        if (!judged) return;
        while (!above.empty() && at(spread.visits[above.back()].node).depth >= at(node).depth) {
            above.pop_back();
        }
        above.push_back(spread.visits.size() - 1);
        below.resize(below.size() + n_classes, 0.0);
    };
    spread.wait(root, share);
    scatter(
        nodes_, spread,
        [&](std::int32_t node, double share) {
            enter(node, share, false);
            return true;
        },
        [&](std::int32_t node, std::int32_t child, std::int32_t code) {
            return child == none ? growth_.add_branch(node, code) : child;
        },
        [&](std::int32_t node, double share) {
            enter(node, share, true);
            if (judged) {
                std::vector<double>& shares = spread.room.shares;
                shares.resize(n_classes);
                growth_.probabilities(node, spread, growth_.scratch(), n_classes, shares.data());
                for (const std::size_t v : above) {
                    double* const sum = below.data() + (v - first) * n_classes;
                    for (std::size_t k = 0; k < n_classes; ++k) sum[k] += share * shares[k];
                }
            }
            if (observes) growth_.observe(node, spread, y, growth_.part_of(share, std::min(w, 1.0)));
        });
    for (std::size_t v = first; judged && v < spread.visits.size(); ++v) {
        const double* const sum = below.data() + (v - first) * n_classes;
        spread.visits[v].wrong = largest_class(sum, n_classes) != static_cast<std::int32_t>(y);
    }
}

void Adaptation::learn_below(Spread& spread, std::int32_t node, double share, std::size_t y, double w) {
    spread.wait(node, share);
    scatter(
        nodes_, spread, [](std::int32_t, double) { return true; },
        [&](std::int32_t node, std::int32_t child, std::int32_t code) {
            return child == none ? growth_.add_branch(node, code) : child;
        },
        [&](std::int32_t leaf, double share) { growth_.learn_parts(leaf, spread, y, share * w); });
}

}  // namespace riparian
