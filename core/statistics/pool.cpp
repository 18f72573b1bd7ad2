#include "pool.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace riparian {

std::byte* Pool::chunk(std::size_t bytes) {
    Chunk chunk(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{alignment})));
    chunks_.push_back(std::move(chunk));
    bytes_ += bytes;
    return chunks_.back().get();
}

void* Pool::take(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    const std::size_t size = rounded(bytes);
    void*& first = free_[size];
    void* block = first;
    if (block) {
        std::memcpy(&first, block, sizeof first);
    } else {
#ifdef RIPARIAN_SANITIZE
        constexpr std::size_t large = 0;
#else
        constexpr std::size_t large = 512;  // from here on malloc's own bytes hardly count
#endif
        if (size > large) {
            block = chunk(size);
        } else {
            if (size > left_) {
                // A thirty-second more of what is there: few chunks, little unused.
                const std::size_t more = std::clamp<std::size_t>(bytes_ / 32, 1024, 1 << 16);
                left_ = (more + size - 1) / size * size;
                next_ = chunk(left_);
            }
            block = next_;
            next_ += size;
            left_ -= size;
        }
    }
    std::memset(block, 0, size);
    return block;
}

void Pool::give(void* block, std::size_t bytes) noexcept {
    if (!block) return;
    void*& first = free_.find(rounded(bytes))->second;
    std::memcpy(block, &first, sizeof first);
    first = block;
}

}  // namespace riparian
