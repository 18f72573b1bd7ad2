#include "count.hpp"

#include <vector>

#include "../simd/kernels.hpp"

namespace riparian {

const double* xlog2x_table() {
    static const std::vector<double> table = [] {
        std::vector<double> n(tabled_counts), out(tabled_counts);
        for (std::size_t i = 0; i < tabled_counts; ++i) n[i] = static_cast<double>(i);
        kernels().xlog2x(n.data(), n.size(), out.data());
        return out;
    }();
    return table.data();
}

double xlog2x_beyond(double n) noexcept {
    double out;
    kernels().xlog2x(&n, 1, &out);
    return out;
}

}  // namespace riparian
