// The memory of a model, counted to the byte when it is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace riparian {

// What the system uses for a block of this many bytes, by the rule of glibc: eight bytes more in
// steps of sixteen, and whole pages from 128 KiB on. malloc itself is not asked, because its answer
// depends on what the program did before, and a limit must be reached at the same row in every run.
[[nodiscard]] constexpr std::size_t taken(std::size_t bytes) noexcept {
    constexpr std::size_t pages = 128 * 1024, page = 4096;
    if (bytes >= pages) return (bytes + 16 + page - 1) / page * page;
    const std::size_t block = (bytes + 8 + 15) / 16 * 16;
    return block < 32 ? 32 : block;
}

// Thrown if a block would exceed the ceiling of its account.
struct OverLimit : std::bad_alloc {
    [[nodiscard]] const char* what() const noexcept override {
        return "the memory limit is exceeded";
    }
};

struct Account {
    std::size_t held = 0;
    std::size_t ceiling = SIZE_MAX;
};

// While this object exists, allocations of this thread through the types below are charged to the
// account.
class Charge {
public:
    explicit Charge(Account&) noexcept;
    ~Charge();
    Charge(const Charge&) = delete;
    Charge& operator=(const Charge&) = delete;

private:
    Account* before_;
};

// a - b, or 0 if that is negative.
[[nodiscard]] constexpr std::size_t minus(std::size_t a, std::size_t b) noexcept {
    return a > b ? a - b : 0;
}

// Allocates and frees blocks on the account of the thread. Without an account they are not counted.
[[nodiscard]] void* allocate_block(std::size_t bytes);
void free_block(void*, std::size_t bytes) noexcept;
// The same for blocks that are aligned to 32 bytes.
[[nodiscard]] void* allocate_aligned(std::size_t bytes);
void free_aligned(void*, std::size_t bytes) noexcept;

template <class T>
struct Counted {
    using value_type = T;

    Counted() = default;
    template <class U>
    Counted(const Counted<U>&) noexcept {}

    T* allocate(std::size_t n) { return static_cast<T*>(allocate_block(n * sizeof(T))); }
    void deallocate(T* p, std::size_t n) noexcept { free_block(p, n * sizeof(T)); }
    bool operator==(const Counted&) const = default;
};

template <class T>
struct CountedAligned {
    using value_type = T;

    CountedAligned() = default;
    template <class U>
    CountedAligned(const CountedAligned<U>&) noexcept {}

    T* allocate(std::size_t n) { return static_cast<T*>(allocate_aligned(n * sizeof(T))); }
    void deallocate(T* p, std::size_t n) noexcept { free_aligned(p, n * sizeof(T)); }
    bool operator==(const CountedAligned&) const = default;
};

template <class T>
using Held = std::vector<T, Counted<T>>;
using HeldDoubles = std::vector<double, CountedAligned<double>>;  // aligned to whole vectors

// Base of objects that are allocated one by one.
struct HeldObject {
    static void* operator new(std::size_t n) { return allocate_block(n); }
    static void operator delete(void* p, std::size_t n) noexcept { free_block(p, n); }
};

// The capacity is a function of the size only. A tree then uses the same bytes when it was saved
// and loaded, or reached its size in another way.
template <class V>
void set_room(V& v, std::size_t room) {
    if (v.capacity() == room) return;
    V fresh;
    fresh.reserve(room);
    for (auto& x : v) fresh.push_back(std::move(x));
    v = std::move(fresh);
}

// Removes spare capacity.
template <class V>
void trim(V& v) {
    set_room(v, v.size());
}

// Lists of a model grow by a sixteenth. A model lives long, and doubling would leave up to half of
// them empty. The capacity depends only on the size.
[[nodiscard]] constexpr std::size_t more_room(std::size_t room, std::size_t needed) noexcept {
    while (room < needed) room += room / 16 + 4;
    return room;
}

template <class T>
void make_room(Held<T>& v, std::size_t n = 1) {
    if (v.size() + n > v.capacity()) v.reserve(more_room(v.capacity(), v.size() + n));
}

// Keeps only the first entries.
template <class T>
void cut_to(Held<T>& v, std::size_t size) {
    if (v.empty()) return;
    v.erase(v.begin() + static_cast<std::ptrdiff_t>(size), v.end());
    set_room(v, more_room(0, size));
}

// How many bytes a list grows by with `n` more entries of this many bytes.
template <class T>
[[nodiscard]] std::size_t growth_in_bytes(const Held<T>& v, std::size_t n,
                                          std::size_t bytes) noexcept {
    const std::size_t room = more_room(v.capacity(), v.size() + n);
    return taken(room * bytes) - (v.capacity() ? taken(v.capacity() * bytes) : 0);
}

// The bytes of the list after it has grown once more. While it is copied, the old one exists too.
template <class T>
[[nodiscard]] std::size_t bytes_of_copy(const Held<T>& v, std::size_t bytes) noexcept {
    return taken(more_room(v.capacity(), v.capacity() + 1) * bytes);
}

}  // namespace riparian
