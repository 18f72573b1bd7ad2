#include "contract.hpp"

#include <algorithm>

#include "sizes.hpp"

namespace riparian {

Adaptation::Adaptation(RowLearner& rows, Traits traits)
    : GrowthHooks(traits),
      growth_(rows),
      state_(rows.state),
      room_(rows.room),
      checks_(rows.checks),
      rows_(rows),
      nodes_(state_.nodes),
      leaves_(state_.leaves),
      settings_(state_.settings),
      structure_(state_.structure),
      working_(state_.working) {}

void Adaptation::check_sizes(const Snapshot& s, const Sizes& z) const {
    demand_sizes_of_subtrees(s, 0);
    demand_sizes_of_window(s, z, 0, 0);
}

bool Adaptation::learn_share(Spread& spread, const Visit& here, std::size_t y, double w) {
    const bool active = rows_.learn_parts(here.node, spread, y, rows_.part_of(here.share, w));
    if (here.ends) rows_.observe_again(here.node, spread, y, here.share, w);
    return active;
}

void Adaptation::explore(Spread& spread, std::int32_t root, double share, std::size_t y, double w,
                         bool judged) {
    const std::size_t first = spread.visits.size();
    std::vector<double>& below = spread.room.below;       // [visit after this one][class]
    std::vector<std::size_t>& above = spread.room.above;  // visits on the path to this one
    below.clear();
    above.clear();
    const bool observes = rows_.observes();
    const std::size_t n_classes = state_.known.n_classes;
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
                growth_.predictor.probabilities(node, spread, state_.scratch, n_classes,
                                                shares.data());
                for (const std::size_t v : above) {
                    double* const sum = below.data() + (v - first) * n_classes;
                    for (std::size_t k = 0; k < n_classes; ++k) sum[k] += share * shares[k];
                }
            }
            if (observes) rows_.observe(node, spread, y, rows_.part_of(share, std::min(w, 1.0)));
        });
    for (std::size_t v = first; judged && v < spread.visits.size(); ++v) {
        const double* const sum = below.data() + (v - first) * n_classes;
        spread.visits[v].wrong = largest_class(sum, n_classes) != static_cast<std::int32_t>(y);
    }
}

}  // namespace riparian
