#include "saved_numbers.hpp"

#include "../simd/kernels.hpp"

namespace riparian {

void demand_values(const std::vector<double>& values) {
    for (const double x : values) {
        if (!(std::fabs(x) <= largest_value)) {
            throw std::invalid_argument("watch: a value is out of range");
        }
    }
}

void SeenWeights::demand(const std::vector<std::int32_t>& codes,
                         const std::vector<double>& weights) {
    const auto of = [](std::int32_t code) { return static_cast<std::size_t>(code); };
    for (std::size_t i = 0; i < codes.size(); ++i) known_[of(codes[i])] += weights[i];
    for (const std::int32_t y : codes) {
        if (!(known_[of(y)] <= counts_[of(y)] * (1.0 + 1e-6))) {
            throw std::invalid_argument("watch: more values than the leaf has seen");
        }
    }
    for (const std::int32_t y : codes) known_[of(y)] = 0.0;
}

}  // namespace riparian
