#include "scatter.hpp"

namespace riparian {

bool halve(const Nodes& nodes, Spread& spread, std::size_t v, Spread::Waiting& here) {
    const Node& node = nodes.at(here.node);
    const bool number = node.test == Test::threshold;
    const double threshold = nodes.threshold(here.node);
    const std::int32_t first = node.place;
    Uncertain& value = spread.values[v];
    const Uncertain whole = value;
    const double p =
        number ? whole.below(threshold, spread.points) : whole.of(node.category, spread.points);
    const auto keep = [&](bool yes) {
        value = whole;
        if (number && yes) value.keep_below(threshold, spread.points);
        else if (number) value.keep_above(threshold, spread.points);
        else if (yes) value.keep_only(node.category, spread.points);
        else value.leave_out(node.category, spread.points);
    };
    const double left = here.share * p;
    const double right = here.share * (1.0 - p);
    if (right >= least_share) {
        keep(false);
        if (left >= least_share) {
            spread.wait(first + 1, right);
        } else {
            here = {first + 1, right};
            return true;
        }
    }
    if (left < least_share) return false;
    keep(true);
    here = {first, left};
    return true;
}

}  // namespace riparian
