// The last rows that a forest has learned: the short memory that its trees share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../data/row.hpp"
#include "../simd/aligned.hpp"
#include "../statistics/leaf_statistics.hpp"

namespace riparian {

// The n-th row that was learned has the number n. The rows of a block are stored before trees learn
// them, and a tree reads no row after the one that it learns.
class History {
public:
    explicit History(std::size_t most) : most_(most) {}

    // New features are missing in all stored rows.
    void reshape(const Shape&);
    void keep(const Row&, std::size_t y, double w);
    // Drops the oldest rows until at most `most` are left, or a few more: dropping many at once is cheaper.
    void forget();
    // Sets the number of the next row. Only for an empty history.
    void begin_at(std::uint64_t number) noexcept { first_ = number; }

    [[nodiscard]] std::size_t most() const noexcept { return most_; }
    [[nodiscard]] std::size_t size() const noexcept { return labels_.size(); }
    // The oldest that counts when `last` is the newest.
    [[nodiscard]] std::uint64_t oldest(std::uint64_t last) const noexcept {
        const std::uint64_t number = last >= most_ ? last - most_ + 1 : 1;
        return number > first_ ? number : first_;
    }
    [[nodiscard]] Row row(std::uint64_t number) const noexcept {
        const std::size_t i = place(number);
        return {values_.data() + i * stride_, codes_.data() + i * categorical_, gaps_[i] != 0};
    }
    [[nodiscard]] std::size_t label(std::uint64_t number) const noexcept {
        return labels_[place(number)];
    }
    [[nodiscard]] double weight(std::uint64_t number) const noexcept {
        return weights_[place(number)];
    }

    // Bytes that the history holds, and the most that it will hold if this many rows are kept before some
    // are dropped.
    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] std::size_t most_bytes(std::size_t block) const noexcept;

    // Those that count, one NaN for all.
    void save(std::vector<double>& values, std::vector<std::int32_t>& codes,
              std::vector<std::int32_t>& labels, std::vector<double>& weights) const;

private:
    static constexpr std::size_t at_once = 64;

    [[nodiscard]] std::size_t place(std::uint64_t number) const noexcept {
        return static_cast<std::size_t>(number - first_);
    }
    [[nodiscard]] std::size_t bytes_of(std::size_t rows) const noexcept;
    void make_room();

    std::size_t most_;
    std::uint64_t first_ = 1;  // number of the oldest that is held
    std::size_t numeric_ = 0, stride_ = 0, categorical_ = 0;
    AlignedDoubles values_;  // [row][stride]
    std::vector<std::int32_t> codes_;
    std::vector<std::uint8_t> gaps_;
    std::vector<std::uint32_t> labels_;
    std::vector<double> weights_;
};

}  // namespace riparian
