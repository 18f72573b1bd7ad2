// The best cut of a node of a batch tree, from exact class counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../impurity/any.hpp"

namespace riparian {

// A cut of a batch tree. Of equal gains the first feature wins, and in it the first cut.
struct BatchCut {
    std::int32_t feature = -1;  // -1: there is none
    std::int32_t bin = 0;       // the last bin of the left branch, or its only one
    double gain = 0.0;
};

// Computes gains of many cuts with the kernels of the checks.
class CutGains {
public:
    // `least`: both branches must have more weight than this.
    CutGains(const AnyImpurity& impurity, std::size_t classes, double least)
        : impurity_(impurity), classes_(classes), least_(least) {}

    // Begins a list of cuts. `known`: the class weights of all known values; `total`: the weight of
    // the node, with missing values.
    void begin(const double* known, double total);
    // Adds a cut with these class weights in its left branch.
    void add(const double* left) { lefts_.insert(lefts_.end(), left, left + classes_); }
    // The first cut with the largest gain, if that is above 0; its place in the list and its gain.
    struct Best {
        std::size_t place;
        double gain;
    };
    [[nodiscard]] Best best();

private:
    AnyImpurity impurity_;
    std::size_t classes_;
    double least_;
    double total_ = 0.0;
    std::vector<double> known_, lefts_, gains_;
    std::vector<double> scratch_;
};

// The best cut by a table [feature][width][class], where bin 0 counts missing values. A numeric
// feature is cut after a bin. Of a categorical feature each bin but the last, which holds all other
// categories, is a branch against the rest.
[[nodiscard]] BatchCut best_cut(CutGains&, const std::uint64_t* table,
                                const std::uint8_t* categorical, const std::uint32_t* n_bins,
                                std::size_t features, std::size_t width, std::size_t classes);

}  // namespace riparian
