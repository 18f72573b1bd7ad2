// A check that did not split, as policies that store more at leaves read it.
#pragma once

#include <cstddef>
#include <vector>

#include "../cuts/candidate.hpp"
#include "../data/feature.hpp"
#include "../impurity/measure.hpp"

namespace riparian {

// What these policies allocate is charged to the leaf; what the check itself uses is not.
class WaitingCheck {
public:
    const Candidate& best;  // without a feature if there was no cut
    const Candidate& second;
    const Features& features;  // of the tree, which names the cuts
    Measure measure;
    double epsilon;
    std::size_t n_classes;
    bool knows_gains;                              // false if the impurity is a user's function
    std::size_t number = 1;                        // of the check at its leaf
    double weight = 0.0, depth = 0.0, node = 0.0;  // of the leaf
    double evidence = 0.0;                         // of a race, at this check
    double spent = 0.0;                            // delta, by what a policy does after the check

    // The class weights of each branch of a cut, [branch][n_classes], up to the last branch that
    // has any.
    [[nodiscard]] virtual std::vector<double> branches(const Candidate&) = 0;
    // The best cut of each feature by the statistics, where the bound asks for them.
    [[nodiscard]] virtual std::vector<Candidate> nominees() = 0;
    // The gain of a cut with these class weights on its two sides. `known` is the weight of the
    // examples whose value is known. The result is 0 if a side is empty.
    [[nodiscard]] virtual double gain(const double* left, const double* right, double known) = 0;

protected:
    WaitingCheck(const Candidate& best_cut, const Candidate& second_cut, const Features& of_tree)
        : best(best_cut), second(second_cut), features(of_tree) {}
    ~WaitingCheck() = default;
};

}  // namespace riparian
