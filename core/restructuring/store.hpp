// The examples, each stored once. Nodes store their places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../data/batch.hpp"
#include "../data/feature.hpp"
#include "../memory/account.hpp"

namespace riparian::restructuring {

using Place = std::uint32_t;

inline constexpr std::size_t most_examples = (std::size_t{1} << 31) - 1;

// Once `limit` examples are stored, a new one replaces the oldest.
class Store {
public:
    explicit Store(std::size_t limit) : limit_(limit < most_examples ? limit : most_examples) {}

    void add_features(const std::vector<Kind>&);

    [[nodiscard]] std::size_t n_features() const noexcept { return kinds_.size(); }
    [[nodiscard]] Kind kind(std::size_t f) const noexcept { return kinds_[f]; }
    [[nodiscard]] std::size_t size() const noexcept { return labels_.size(); }
    [[nodiscard]] bool full() const noexcept { return size() >= limit_; }
    [[nodiscard]] bool bounded() const noexcept { return limit_ < most_examples; }
    [[nodiscard]] Place oldest() const noexcept { return oldest_; }
    // The i-th in the order of arrival.
    [[nodiscard]] Place in_order(std::size_t i) const noexcept {
        const std::size_t at = oldest_ + i;
        return static_cast<Place>(at < size() ? at : at - size());
    }

    [[nodiscard]] double number(std::size_t f, Place e) const noexcept { return numbers_[f][e]; }
    [[nodiscard]] std::int32_t code(std::size_t f, Place e) const noexcept { return codes_[f][e]; }
    [[nodiscard]] std::int32_t label(Place e) const noexcept { return labels_[e]; }
    [[nodiscard]] double weight(Place e) const noexcept { return weights_[e]; }

    // Stores a row of the batch, completely or not at all. If the store is full, the oldest example
    // must not be used any more.
    Place put(const Batch&, std::size_t row, std::int32_t label, double weight);

private:
    std::size_t limit_;
    Place oldest_ = 0;
    Held<Kind> kinds_;
    std::vector<Held<double>> numbers_;      // [feature][place]; NaN if missing
    std::vector<Held<std::int32_t>> codes_;  // [feature][place]; missing_code if missing
    Held<std::int32_t> labels_;
    Held<double> weights_;
};

// A value of a batch in the form in which it is stored.
[[nodiscard]] double number_in(const Batch&, std::size_t f, std::size_t row) noexcept;
[[nodiscard]] std::int32_t code_in(const Batch&, std::size_t f, std::size_t row) noexcept;

}  // namespace riparian::restructuring
