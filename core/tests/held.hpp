// Counts the bytes that a program holds from operator new. For one file a program.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace held {

inline std::size_t bytes = 0;

inline constexpr std::size_t room = alignof(std::max_align_t);  // the size, before each block

inline void* take(std::size_t n) {
    auto* const p = static_cast<std::byte*>(std::malloc(n + room));
    if (!p) std::abort();
    ::new (p) std::size_t(n);
    bytes += n;
    return p + room;
}

// Not inlined: the compiler would miss the matching new.
[[gnu::noinline]] inline void give(void* block) noexcept {
    if (!block) return;
    auto* const p = static_cast<std::byte*>(block) - room;
    bytes -= *reinterpret_cast<const std::size_t*>(p);
    std::free(p);
}

}  // namespace held

void* operator new(std::size_t n) { return held::take(n); }
void* operator new[](std::size_t n) { return held::take(n); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return held::take(n); }
void operator delete(void* p) noexcept { held::give(p); }
void operator delete[](void* p) noexcept { held::give(p); }
void operator delete(void* p, std::size_t) noexcept { held::give(p); }
void operator delete[](void* p, std::size_t) noexcept { held::give(p); }
