// A check after which a leaf waits, for the policies that keep more at leaves.
#pragma once

#include "../statistics/waiting_check.hpp"
#include "check.hpp"

namespace riparian {

// What it works with is on the account of the check.
class WaitingLeaf final : public WaitingCheck {
public:
    WaitingLeaf(Checker& checker, const LeafCase& leaf, const Decision& d, const Features& of_tree,
                Account& working)
        : WaitingCheck(d.best, d.second, of_tree),
          checker_(checker),
          leaf_(leaf),
          working_(working) {
        measure = d.evidence.measure;
        epsilon = d.epsilon;
        evidence = d.evidence.log_evidence;
        n_classes = leaf.n_classes;
        weight = leaf.weight;
        depth = leaf.depth;
        node = leaf.node;
        knows_gains = kernels().list_gains[leaf.settings.impurity.index()] != nullptr;
    }

    [[nodiscard]] std::vector<double> branches(const Candidate&) override;
    [[nodiscard]] std::vector<Candidate> nominees() override;
    [[nodiscard]] double gain(const double* left, const double* right, double known) override {
        const Charge charge(working_);
        return checker_.gain_of_sides(leaf_, left, right, known);
    }

private:
    Checker& checker_;
    const LeafCase& leaf_;
    Account& working_;
};

}  // namespace riparian
