#include "pool.hpp"

#include <algorithm>
#include <cstring>

namespace riparian {

std::byte* Pool::chunk(std::size_t bytes) {
    chunks_.reserve(chunks_.size() + 1);
    chunks_.emplace_back(
        static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{alignment})));
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
        block = chunk(size);
#else
        if (size > left_) {
            // An eighth more of what is there: few chunks, little unused.
            left_ = std::max(size, std::clamp<std::size_t>(rounded(bytes_ / 8), 4096, 1 << 20));
            next_ = chunk(left_);
        }
        block = next_;
        next_ += size;
        left_ -= size;
#endif
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
