// Counts the bytes that a program holds from operator new, including the overhead of the system.
// May be included in one file of a program.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#include "../memory/account.hpp"

namespace held {

inline std::size_t bytes = 0;

inline std::size_t most = 0;

inline constexpr std::size_t room = 32;  // stores the size in front of each block

inline void* allocate(std::size_t n) {
    auto* const p = static_cast<std::byte*>(std::aligned_alloc(room, (n + 2 * room) / room * room));
    if (!p) std::abort();
    ::new (p) std::size_t(n);
    bytes += riparian::taken(n);
    if (bytes > most) most = bytes;
    return p + room;
}

// The standard library rounds such sizes up.
inline void* allocate(std::size_t n, std::align_val_t a) {
    const auto step = static_cast<std::size_t>(a);
    if (step > room) std::abort();
    return allocate((n + step - 1) / step * step);
}

// Not inlined, because the compiler would not find the matching new.
[[gnu::noinline]] inline void release(void* block) noexcept {
    if (!block) return;
    auto* const p = static_cast<std::byte*>(block) - room;
    bytes -= riparian::taken(*reinterpret_cast<const std::size_t*>(p));
    std::free(p);
}

}  // namespace held

void* operator new(std::size_t n) { return held::allocate(n); }
void* operator new[](std::size_t n) { return held::allocate(n); }
void* operator new(std::size_t n, std::align_val_t a) { return held::allocate(n, a); }
void* operator new[](std::size_t n, std::align_val_t a) { return held::allocate(n, a); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return held::allocate(n); }
void operator delete(void* p) noexcept { held::release(p); }
void operator delete[](void* p) noexcept { held::release(p); }
void operator delete(void* p, std::size_t) noexcept { held::release(p); }
void operator delete[](void* p, std::size_t) noexcept { held::release(p); }
void operator delete(void* p, std::align_val_t) noexcept { held::release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { held::release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { held::release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { held::release(p); }
