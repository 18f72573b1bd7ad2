// Class weights for each value of a categorical feature, at one node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "../memory/account.hpp"

namespace riparian::restructuring {

// The values that were seen, ascending; a missing value counts as one of them. Sums of weights are
// exact because weights are multiples of a step, so removing weights leaves nothing behind.
class ValueCounts {
public:
    void add(std::int32_t value, std::size_t label, double w);
    void remove(std::int32_t value, std::size_t label, double w);
    // Adds several class weights, and returns how many of them are not 0.
    std::size_t add(std::int32_t value, std::span<const double> weights);
    std::size_t add(const ValueCounts&);

    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
    [[nodiscard]] std::int32_t value(std::size_t i) const noexcept { return values_[i]; }
    // The weights of the i-th value by class; later classes have weight 0.
    [[nodiscard]] std::span<const double> weights(std::size_t i) const noexcept {
        return {counts_.data() + i * classes_, classes_};
    }

private:
    std::size_t found(std::int32_t value, std::size_t classes);
    void widen(std::size_t classes);

    std::size_t classes_ = 0;
    Held<std::int32_t> values_;
    Held<double> counts_;  // [value][class]
};

}  // namespace riparian::restructuring
