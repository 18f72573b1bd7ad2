// The last examples of a tree, which the children of a new split learn [gamarodrigues].
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../data/row.hpp"
#include "../memory/account.hpp"
#include "../statistics/leaf_statistics.hpp"

namespace riparian {

// A ring of examples, each with the leaf that it is in. Its room doubles until it is full, so that a
// file cannot demand room that it has no examples for.
class ShortMemory {
public:
    explicit ShortMemory(std::size_t most) : most_(most), to_come_(bytes(most, 0, 0)) {}

    // New features are missing in all examples that are held.
    void reshape(const Shape&);
    // Replaces the oldest example once the ring is full. Returns whether the ring grew.
    bool keep(const Row&, std::size_t y, double w, std::int32_t leaf);

    [[nodiscard]] bool keeps() const noexcept { return most_ > 0; }
    // Examples are numbered from the oldest on. A row is valid until the next call of row().
    [[nodiscard]] std::size_t size() const noexcept { return leaves_.size(); }
    [[nodiscard]] std::int32_t leaf(std::size_t i) const noexcept { return leaves_[place(i)]; }
    [[nodiscard]] std::size_t label(std::size_t i) const noexcept { return labels_[place(i)]; }
    [[nodiscard]] double weight(std::size_t i) const noexcept { return weights_[place(i)]; }
    [[nodiscard]] std::int32_t code(std::size_t i, std::size_t c) const noexcept {
        return codes_[place(i) * categorical_ + c];
    }
    [[nodiscard]] Row row(std::size_t i);
    void move(std::size_t i, std::int32_t leaf) noexcept { leaves_[place(i)] = leaf; }

    // For the memory limit: the bytes of a full ring, those of them that are not held yet, those that
    // more features add, and those of the largest list.
    [[nodiscard]] std::size_t most_bytes() const noexcept {
        return bytes(most_, numeric_, categorical_);
    }
    [[nodiscard]] std::size_t to_come() const noexcept { return to_come_; }
    [[nodiscard]] std::size_t growth(std::size_t numeric, std::size_t categorical) const noexcept;
    [[nodiscard]] std::size_t copy_bytes() const noexcept;

    void save(std::vector<double>& values, std::vector<std::int32_t>& codes,
              std::vector<std::int32_t>& labels, std::vector<double>& weights) const;

private:
    [[nodiscard]] std::size_t place(std::size_t i) const noexcept {
        return next_ + i < size() ? next_ + i : next_ + i - size();
    }
    [[nodiscard]] static std::size_t bytes(std::size_t room, std::size_t numeric,
                                           std::size_t categorical) noexcept;
    void make_room();

    std::size_t most_;
    std::size_t to_come_;
    std::size_t next_ = 0;  // the oldest, once the ring is full
    std::size_t numeric_ = 0, categorical_ = 0;
    Held<double> values_;       // [place][numeric]
    Held<std::int32_t> codes_;  // [place][categorical]
    Held<std::uint32_t> labels_;
    Held<double> weights_;
    Held<std::int32_t> leaves_;
    HeldDoubles row_;  // the row of the last call, padded
};

}  // namespace riparian
