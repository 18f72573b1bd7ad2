// What a model holds, to the byte: whoever allocates for it writes it down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace riparian {

// What the system takes for a block of so many bytes: as glibc has it, eight bytes more in
// steps of sixteen, and whole pages from 128 KiB on. A rule and not a question to malloc,
// whose answer hangs on what the program did before: a limit must fall at the same row in
// every run.
[[nodiscard]] constexpr std::size_t taken(std::size_t bytes) noexcept {
    constexpr std::size_t pages = 128 * 1024, page = 4096;
    if (bytes >= pages) return (bytes + 16 + page - 1) / page * page;
    const std::size_t block = (bytes + 8 + 15) / 16 * 16;
    return block < 32 ? 32 : block;
}

// A block would have passed the ceiling of its account.
struct OverLimit : std::bad_alloc {
    [[nodiscard]] const char* what() const noexcept override { return "over the limit of memory"; }
};

struct Account {
    std::size_t held = 0;
    std::size_t ceiling = SIZE_MAX;
};

// While it lives, what this thread allocates through the types below is on this account.
class Charge {
public:
    explicit Charge(Account&) noexcept;
    ~Charge();
    Charge(const Charge&) = delete;
    Charge& operator=(const Charge&) = delete;

private:
    Account* before_;
};

// a - b, or 0 where that is less.
[[nodiscard]] constexpr std::size_t minus(std::size_t a, std::size_t b) noexcept {
    return a > b ? a - b : 0;
}

// Blocks on the account of the thread; on none they are not counted.
[[nodiscard]] void* take(std::size_t bytes);
void give(void*, std::size_t bytes) noexcept;
// The same at the start of a vector of 32 bytes.
[[nodiscard]] void* take_aligned(std::size_t bytes);
void give_aligned(void*, std::size_t bytes) noexcept;

template <class T>
struct Counted {
    using value_type = T;

    Counted() = default;
    template <class U>
    Counted(const Counted<U>&) noexcept {}

    T* allocate(std::size_t n) { return static_cast<T*>(take(n * sizeof(T))); }
    void deallocate(T* p, std::size_t n) noexcept { give(p, n * sizeof(T)); }
    bool operator==(const Counted&) const = default;
};

template <class T>
struct CountedAligned {
    using value_type = T;

    CountedAligned() = default;
    template <class U>
    CountedAligned(const CountedAligned<U>&) noexcept {}

    T* allocate(std::size_t n) { return static_cast<T*>(take_aligned(n * sizeof(T))); }
    void deallocate(T* p, std::size_t n) noexcept { give_aligned(p, n * sizeof(T)); }
    bool operator==(const CountedAligned&) const = default;
};

template <class T>
using Held = std::vector<T, Counted<T>>;
using HeldDoubles = std::vector<double, CountedAligned<double>>;  // in whole vectors

// For what stands alone on the heap.
struct HeldObject {
    static void* operator new(std::size_t n) { return take(n); }
    static void operator delete(void* p, std::size_t n) noexcept { give(p, n); }
};

// Capacities are functions of sizes alone. A tree that was saved and loaded, or that came
// to its size another way, then holds the same bytes.
template <class V>
void set_room(V& v, std::size_t room) {
    if (v.capacity() == room) return;
    V fresh;
    fresh.reserve(room);
    for (auto& x : v) fresh.push_back(std::move(x));
    v = std::move(fresh);
}

// Without room to spare.
template <class V>
void trim(V& v) {
    set_room(v, v.size());
}

// Lists of a model grow by a sixteenth at a time: a model lives long, and doubling would leave up
// to half of them empty. The room is the same however a list came to its size.
[[nodiscard]] constexpr std::size_t more_room(std::size_t room, std::size_t needed) noexcept {
    while (room < needed) room += room / 16 + 4;
    return room;
}

template <class T>
void make_room(Held<T>& v, std::size_t n = 1) {
    if (v.size() + n > v.capacity()) v.reserve(more_room(v.capacity(), v.size() + n));
}

// Only the first ones stay.
template <class T>
void cut_to(Held<T>& v, std::size_t size) {
    if (v.empty()) return;
    v.erase(v.begin() + static_cast<std::ptrdiff_t>(size), v.end());
    set_room(v, more_room(0, size));
}

// By how much a list grows with `n` entries more, whose entries take so many bytes.
template <class T>
[[nodiscard]] std::size_t growth_in_bytes(const Held<T>& v, std::size_t n,
                                          std::size_t bytes) noexcept {
    const std::size_t room = more_room(v.capacity(), v.size() + n);
    return taken(room * bytes) - (v.capacity() ? taken(v.capacity() * bytes) : 0);
}

// What the list takes when it has grown once more: until then the old one is there too.
template <class T>
[[nodiscard]] std::size_t bytes_of_copy(const Held<T>& v, std::size_t bytes) noexcept {
    return taken(more_room(v.capacity(), v.capacity() + 1) * bytes);
}

}  // namespace riparian
