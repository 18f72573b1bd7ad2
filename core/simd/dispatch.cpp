// Chooses the instruction set once, when the library is loaded.
#include <cstring>

#include "kernels.hpp"
#include "scalar.hpp"

namespace riparian {
namespace {

const Kernels& best() noexcept {
#ifdef RIPARIAN_HAS_AVX2
    if (__builtin_cpu_supports("avx2")) return avx2::table;
#endif
    return baseline::table;
}

}  // namespace

std::atomic<const Kernels*> chosen_kernels{nullptr};

const Kernels& choose_kernels() noexcept {
    chosen_kernels.store(&best(), std::memory_order_relaxed);
    return best();
}

const Kernels* kernels_named(const char* name) noexcept {
    if (std::strcmp(name, baseline::table.name) == 0) return &baseline::table;
    if (std::strcmp(name, best().name) == 0) return &best();
    return nullptr;
}

void use_kernels(const Kernels& k) noexcept {
    chosen_kernels.store(&k, std::memory_order_relaxed);
}

double ln(double x) noexcept {
    double y;
    baseline::table.logarithm(&x, 1, &y);
    return y;
}

double log2(double x) noexcept {
    double y;
    baseline::table.xlog2x(&x, 1, &y);
    return y / x;
}

}  // namespace riparian
