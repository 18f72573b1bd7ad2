// The rules that arrays from outside must follow before they can be a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../demand.hpp"
#include "hooks.hpp"
#include "nodes.hpp"
#include "snapshot.hpp"

namespace riparian {

// Equal, except for rounding.
[[nodiscard]] bool nearly(double a, double b);

struct Sizes {
    std::size_t n_nodes, n_classes, n_leaves,  // n_leaves: all that keep statistics
        n_numeric, n_categorical;
    std::size_t numeric, categorical;  // over all leaves, of features not dropped
    std::size_t n_restarted;           // leaves whose statistics started over
};

// Checks that the lengths of all arrays fit each other, and that weights are weights. The arrays of the
// adaptation are checked by the adaptation.
[[nodiscard]] Sizes check_sizes(const GrowthHooks::Traits&, const Snapshot&);

void demand_weights(const std::vector<double>&, const char* name);

// Whether a cut is possible with these features and categories.
[[nodiscard]] bool possible(const Snapshot&, const Features&, std::uint8_t test,
                            std::int32_t feature, double threshold, std::int32_t category);

// Checks the planes of one class: Welford's update must be able to produce them.
void check_planes(const double* planes, const double* known, double weight, std::size_t n,
                  const Where& where);

// Reads doubles from the front of an array.
class NumberReader {
public:
    NumberReader(const std::vector<double>& v, const char* name) : v_(v), name_(name) {}
    const double* read(std::size_t n) {
        if (n > v_.size() - used_) demand(false, std::string(name_) + " ends too early");
        const double* const p = v_.data() + used_;
        used_ += n;
        return p;
    }
    [[nodiscard]] std::size_t left() const noexcept { return v_.size() - used_; }
    void demand_end() const { demand(used_ == v_.size(), std::string(name_) + " is too long"); }

private:
    const std::vector<double>& v_;
    const char* name_;
    std::size_t used_ = 0;
};

}  // namespace riparian
