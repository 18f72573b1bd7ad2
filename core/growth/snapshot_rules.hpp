// What arrays from outside must be before they can mean a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../demand.hpp"
#include "snapshot.hpp"
#include "growth.hpp"

namespace riparian {

inline std::string at_row(const char* array, std::size_t i) {
    return std::string(array) + ", row " + std::to_string(i) + ": ";
}

// Equal but for rounding.
[[nodiscard]] bool nearly(double a, double b);

struct Sizes {
    std::size_t n_nodes, n_classes, n_leaves,  // n_leaves: all that keep statistics
        n_numeric, n_categorical;
    std::size_t numeric, categorical;  // over all leaves, of features not dropped
    std::size_t n_anew;                // leaves whose statistics started over
};

// Whether the arrays are as long as each other says, and their weights are weights; those of the
// adaptation are its own.
[[nodiscard]] Sizes check_sizes(const GrowthHooks::Traits&, const Snapshot&);

void demand_weights(const std::vector<double>&, const char* name);

// A cut is possible with these features and categories.
[[nodiscard]] bool possible(const Snapshot&, const Features&, std::uint8_t test,
                            std::int32_t feature, double threshold, std::int32_t category);

// One plane of a class: what Welford's update can have left behind.
void check_planes(const double* planes, const double* known, double weight, std::size_t n,
                  const std::string& where);

// Takes doubles off the front of an array.
class NumberReader {
public:
    NumberReader(const std::vector<double>& v, const char* name) : v_(v), name_(name) {}
    const double* take(std::size_t n) {
        demand(n <= v_.size() - used_, std::string(name_) + " ends too early");
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
