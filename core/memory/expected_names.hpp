// The bytes of names that are still to come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace riparian {

// The bytes of the names of classes or categories whose first row is still to come. They are kept
// during one batch.
class ExpectedNames {
public:
    void expect(const std::vector<std::uint32_t>& bytes) {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    // Called when the next `n` have come. Returns their bytes.
    std::size_t arrive(std::size_t n) {
        std::size_t sum = 0;
        for (; n > 0 && next_ < bytes_.size(); --n) sum += bytes_[next_++];
        if (next_ == bytes_.size()) *this = {};
        return sum;
    }
    [[nodiscard]] std::size_t left() const noexcept { return bytes_.size() - next_; }
    [[nodiscard]] std::size_t bytes_left() const noexcept {
        std::size_t sum = 0;
        for (std::size_t i = next_; i < bytes_.size(); ++i) sum += bytes_[i];
        return sum;
    }
    void clear() noexcept {
        bytes_.clear();
        next_ = 0;
    }

private:
    std::vector<std::uint32_t> bytes_;
    std::size_t next_ = 0;
};

}  // namespace riparian
