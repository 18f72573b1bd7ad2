// The state of a gradient tree, as arrays that can be saved.
#pragma once

#include <cstdint>
#include <vector>

#include "inputs.hpp"

namespace riparian {

struct GradientSnapshot {
    Inputs::State inputs;
    std::vector<std::uint32_t> classes;  // [1]
    std::vector<std::uint64_t> seen;     // [1]
    std::vector<double> weights;         // [tree][node][input]: numeric features, then categories
    std::vector<double> biases;          // [tree][node]

    template <class Self, class Visit>
    static void each(Self& s, Visit&& visit) {
        visit("kinds", s.inputs.kinds);
        visit("met", s.inputs.met);
        visit("categories", s.inputs.categories);
        visit("known", s.inputs.known);
        visit("mean", s.inputs.mean);
        visit("squares", s.inputs.squares);
        visit("classes", s.classes);
        visit("seen", s.seen);
        visit("weights", s.weights);
        visit("biases", s.biases);
    }
};

}  // namespace riparian
