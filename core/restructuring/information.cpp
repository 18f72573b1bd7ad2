#include "information.hpp"

#include <memory>

#include "../simd/scalar.hpp"

namespace riparian::restructuring {
namespace {

const double* filled() {
    static const auto table = [] {
        auto made = std::make_unique<double[]>(tabled_counts);
        for (std::size_t n = 1; n < tabled_counts; ++n)
            made[n] = n_log_n_of(static_cast<double>(n));
        return made;
    }();
    return table.get();
}

}  // namespace

double n_log_n_of(double n) noexcept { return n > 0.0 ? n * log2(n) : 0.0; }

const double* const n_log_n_table = filled();

}  // namespace riparian::restructuring
