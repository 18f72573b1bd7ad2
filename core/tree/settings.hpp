// One value on each axis: all that tells one streaming tree from another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../bound/any.hpp"
#include "../cuts/any.hpp"
#include "../impurity/any.hpp"
#include "../leaf/any.hpp"

namespace riparian {

enum class RunnerUp : std::uint8_t {
    attribute,  // the best cut of another attribute
    cut,        // the best of all other cuts
};

// What a new leaf does with the class weights that its parent's split estimated.
enum class InheritCounts : std::uint8_t {
    none,     // nothing: an empty leaf answers like its parent
    predict,  // answers with them, besides its own
    count,    // and takes them for examples seen, as MOA does: n in the bound is larger
};

struct Settings {
    AnyImpurity impurity;
    AnyBound bound;
    AnyCuts cuts;
    CategoricalCuts categorical_cuts = CategoricalCuts::multiway;
    AnyLeaf leaf;

    double grace_period = 200;
    double delta = 1e-7;
    double tau = 0.05;
    int epsilons = 1;
    RunnerUp runner_up = RunnerUp::attribute;
    InheritCounts inherit_counts = InheritCounts::predict;
    double min_gain = 1e-9;
    double min_branch_fraction = 0.01;
    bool clip_to_range = true;
    std::size_t max_depth = SIZE_MAX;
    std::size_t max_leaves = SIZE_MAX;
};

}  // namespace riparian
