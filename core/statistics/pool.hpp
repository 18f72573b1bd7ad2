// Memory for leaf statistics that knows its bytes.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <new>
#include <vector>

namespace riparian {

// Hands out zeroed blocks, 32-byte aligned, cut from larger chunks; a block given
// back serves the next request of its size. `bytes()` is what the pool holds from
// the system, used or not. Under a sanitizer each block is allocated by itself, so
// that a step outside it is seen.
class Pool {
public:
    Pool() = default;
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    Pool(Pool&&) = default;
    Pool& operator=(Pool&&) = default;

    [[nodiscard]] void* take(std::size_t bytes);
    void give(void* block, std::size_t bytes) noexcept;

    template <class T>
    [[nodiscard]] T* take_array(std::size_t n) {
        return static_cast<T*>(take(n * sizeof(T)));
    }
    template <class T>
    void give_array(T* block, std::size_t n) noexcept {
        give(block, n * sizeof(T));
    }

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    struct Release {
        void operator()(std::byte* p) const noexcept {
            ::operator delete[](p, std::align_val_t{alignment});
        }
    };
    using Chunk = std::unique_ptr<std::byte[], Release>;

    static constexpr std::size_t alignment = 32;

    static std::size_t rounded(std::size_t bytes) noexcept {
        return (bytes + alignment - 1) / alignment * alignment;
    }
    std::byte* chunk(std::size_t bytes);

    std::vector<Chunk> chunks_;
    std::map<std::size_t, void*> free_;  // by size: the first of a chain through the blocks
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace riparian
