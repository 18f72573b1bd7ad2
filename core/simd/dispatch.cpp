// Chooses the instruction set once, when the library is loaded.
#include <cstring>

#include "kernels.hpp"
#include "scalar.hpp"

namespace riparian {
namespace {

// The sets that this machine can run, the fastest first.
struct Sets {
    const Kernels* table[3];
    std::size_t n = 0;

    Sets() noexcept {
#ifdef RIPARIAN_HAS_WIDER
        const bool has_avx2 = __builtin_cpu_supports("avx2");
        if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
            table[n++] = &avx512::table;
        }
        if (has_avx2) table[n++] = &avx2::table;
#endif
        table[n++] = &baseline::table;
    }
};

const Sets& sets() noexcept {
    static const Sets of_machine;
    return of_machine;
}

}  // namespace

std::atomic<const Kernels*> chosen_kernels{nullptr};

const Kernels& choose_kernels() noexcept {
    const Kernels& best = *sets().table[0];
    chosen_kernels.store(&best, std::memory_order_relaxed);
    return best;
}

const Kernels* kernels_named(const char* name) noexcept {
    for (std::size_t i = 0; i < sets().n; ++i) {
        if (std::strcmp(name, sets().table[i]->name) == 0) return sets().table[i];
    }
    return nullptr;
}

void use_kernels(const Kernels& k) noexcept { chosen_kernels.store(&k, std::memory_order_relaxed); }

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
