// A tree as arrays, to be shown or exported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../cuts/candidate.hpp"
#include "../leaf/formula.hpp"

namespace riparian {

// The nodes that predict, parents before their children. Alternates are not among them.
struct Description {
    std::size_t classes = 0;
    std::vector<Test> test;
    std::vector<std::int32_t> feature, category, parent, branch, heavy, depth;
    std::vector<double> threshold;
    // Which test of its parent a node begins, from 2 on; 0: it is a child. Empty without options.
    std::vector<std::int32_t> option;
    std::vector<double> counts;     // [node][class]: weight seen
    std::vector<double> inherited;  // [node][class]: weight that the node began with
    std::vector<double> estimated;  // [node][class]: the part of it that the split estimated
    std::vector<double> majority;   // [node][class]: what a majority leaf there predicts by
    std::vector<std::string_view> predictor;  // [node]: its name; empty for a split
    bool inner_nodes_learn = false;           // inner nodes count examples after their split, too
    std::vector<Formula> formula;             // [node]: how a leaf predicts, if asked for
    std::vector<std::int32_t> ends;           // [row]: where its path ends, if rows were given
};

}  // namespace riparian
