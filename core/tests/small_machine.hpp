// Allocation as on a machine with little memory, for the one program that includes it.
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>

namespace {

// A machine with little memory: from one allocation on, only freed memory is available.
struct Machine {
    std::size_t allocations = 0;
    std::size_t last = SIZE_MAX;       // number of the allocation that fails first
    std::size_t available = SIZE_MAX;  // bytes; SIZE_MAX means unlimited

    void arm(std::size_t n) {
        allocations = 0;
        last = n;
    }
    void heal() {
        last = SIZE_MAX;
        available = SIZE_MAX;
    }
};

Machine machine;

constexpr std::size_t least_room = 32;  // in front of a block, to store its size

void* allocate(std::size_t bytes, std::size_t alignment) {
    if (++machine.allocations >= machine.last && machine.available == SIZE_MAX)
        machine.available = 0;
    while (machine.available != SIZE_MAX && machine.available < bytes) {
        const std::new_handler handler = std::get_new_handler();
        if (!handler) throw std::bad_alloc();
        handler();
    }
    if (machine.available != SIZE_MAX) machine.available -= bytes;
    const std::size_t room = alignment > least_room ? alignment : least_room;
    const std::size_t all = (bytes + room + room - 1) / room * room;
    auto* const block = static_cast<unsigned char*>(std::aligned_alloc(room, all));
    if (!block) std::abort();
    unsigned char* const p = block + room;
    std::memcpy(p - sizeof(std::size_t), &bytes, sizeof bytes);
    std::memcpy(p - 2 * sizeof(std::size_t), &room, sizeof room);
    return p;
}

[[gnu::noinline]] void release(void* pointer) noexcept {
    if (!pointer) return;
    auto* const p = static_cast<unsigned char*>(pointer);
    std::size_t bytes, room;
    std::memcpy(&bytes, p - sizeof(std::size_t), sizeof bytes);
    std::memcpy(&room, p - 2 * sizeof(std::size_t), sizeof room);
    if (machine.available != SIZE_MAX) machine.available += bytes;
    std::free(p - room);
}

}  // namespace

void* operator new(std::size_t n) { return allocate(n, alignof(std::max_align_t)); }
void* operator new[](std::size_t n) { return allocate(n, alignof(std::max_align_t)); }
void* operator new(std::size_t n, std::align_val_t a) {
    return allocate(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
    return allocate(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    try {
        return allocate(n, alignof(std::max_align_t));
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void* operator new[](std::size_t n, const std::nothrow_t& no) noexcept {
    return ::operator new(n, no);
}
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }
