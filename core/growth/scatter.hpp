// The ways of an example with uncertain values: down every branch that it may take, with the
// probability of that branch and its distributions conditioned on it [liang2010].
#pragma once

#include <cstddef>
#include <cstdint>

#include "../data/uncertain.hpp"
#include "nodes.hpp"

namespace riparian {

// Of two children one is next and the other waits; false if too little goes to either.
bool halve(const Nodes&, Spread&, std::size_t value, Spread::Waiting& here);

// One child a category, the first of them next; returns what stays for want of a branch.
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

// `pass` is told every node with a test and the share of the example that comes there; false:
// it goes no further. `way` is given a node, the child for its value and the code of that, and
// says the child, which may be none where there is none; `arrive` is told every leaf, or
// deepest node, and the share.
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
