// Arrays of doubles that are aligned to a vector.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace riparian {

template <class T>
struct Aligned {
    using value_type = T;
    static constexpr std::align_val_t alignment{32};

    Aligned() = default;
    template <class U>
    Aligned(const Aligned<U>&) noexcept {}

    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
    void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, alignment); }
    bool operator==(const Aligned&) const = default;
};

using AlignedDoubles = std::vector<double, Aligned<double>>;

}  // namespace riparian
