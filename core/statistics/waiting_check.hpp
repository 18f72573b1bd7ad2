// A check after which a leaf waits, as the policies see it that keep more at leaves.
#pragma once

#include <cstddef>
#include <vector>

#include "../cuts/candidate.hpp"
#include "../data/feature.hpp"
#include "../impurity/measure.hpp"

namespace riparian {

// What they allocate is charged to the leaf; what the check works with is not.
class WaitingCheck {
public:
    const Candidate& best;     // no feature: there was no cut
    const Candidate& second;
    const Features& features;  // of the tree, which names the cuts
    Measure measure;
    double epsilon;
    std::size_t n_classes;
    bool knows_gains;  // false: the impurity is a function of the user

    // The class weights of each branch of a cut, [branch][n_classes], up to the last branch
    // that has any.
    [[nodiscard]] virtual std::vector<double> branches(const Candidate&) = 0;
    // The gain of a cut with these class weights beside it; `known` is the weight of the examples
    // whose value is known. 0 if a side is empty.
    [[nodiscard]] virtual double gain(const double* left, const double* right, double known) = 0;

protected:
    WaitingCheck(const Candidate& best_cut, const Candidate& second_cut, const Features& of_tree)
        : best(best_cut), second(second_cut), features(of_tree) {}
    ~WaitingCheck() = default;
};

}  // namespace riparian
