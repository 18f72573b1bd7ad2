// An example with uncertain values goes down every branch that it may take, with the probability of that
// branch and with its distributions conditioned on it [liang2010].
#pragma once

#include <cstddef>
#include <cstdint>

#include "../data/uncertain.hpp"
#include "nodes.hpp"

namespace riparian {

// Goes on to one of two children, while the other share waits; false: both shares are too small.
bool halve(const Nodes&, Spread&, std::size_t value, Spread::Waiting& here);

// Lets a share wait at the child of each category. Returns the share that has no branch to go to.
template <class Way>
double fan_out(const Nodes& nodes, Spread& spread, std::size_t v, const Spread::Waiting& here,
               Way&& way) {
    const Uncertain whole = spread.values[v];
    const double all = whole.weight(spread.points);
    auto& children = spread.room.children;
    children.clear();
    double staying = 0.0;
    for (std::size_t p = 0; p < whole.count; ++p) {
        const Point point = spread.points[whole.first + p];
        const double share = here.share * (point.weight / all);
        std::int32_t child = none;
        if (share >= least_share) {
            const auto code = static_cast<std::int32_t>(point.value);
            child = nodes.branches(nodes.at(here.node)).find(code);
            child = way(here.node, child, code);
            if (child == none) staying += share;
        }
        children.push_back({child, share});
    }
    for (std::size_t p = whole.count; p-- > 0;) {
        if (children[p].node == none) continue;
        spread.values[v].first = whole.first + p;
        spread.values[v].count = 1;
        spread.wait(children[p].node, children[p].share);
    }
    return staying;
}

// Sends an example down from the nodes where it waits. Calls pass(node, share) for every node with a test;
// false: the share goes no further. Calls way(node, child, code) with the child for a value and the code of
// that value, which returns the child to go to; both may be none. Calls arrive(node, share) for every leaf,
// or deepest node, that a share comes to.
template <class Pass, class Way, class Arrive>
void scatter(const Nodes& nodes, Spread& spread, Pass&& pass, Way&& way, Arrive&& arrive) {
    Spread::Waiting here;
    while (spread.next(here)) {
        while (nodes.at(here.node).test != Test::leaf) {
            if (!pass(here.node, here.share)) {
                here.share = 0.0;
                break;
            }
            const Node& node = nodes.at(here.node);
            const std::int32_t value = spread.find(static_cast<std::size_t>(node.feature));
            if (value < 0) {
                std::int32_t child = nodes.step(here.node, spread.row());
                const std::int32_t code =
                    child == none ? spread.row().codes[nodes.slot(node)] : missing_code;
                child = way(here.node, child, code);
                if (child == none) break;
                here.node = child;
            } else if (node.test == Test::every_value) {
                here.share = fan_out(nodes, spread, static_cast<std::size_t>(value), here, way);
                break;
            } else if (!halve(nodes, spread, static_cast<std::size_t>(value), here)) {
                here.share = 0.0;
                break;
            }
        }
        if (here.share > 0.0) arrive(here.node, here.share);
    }
}

}  // namespace riparian
