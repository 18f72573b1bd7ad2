#include "short_memory.hpp"

#include <algorithm>
#include <limits>

namespace riparian {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
Held<T> wider(const Held<T>& rows, std::size_t n, std::size_t room, std::size_t from,
              std::size_t to, T missing) {
    Held<T> out;
    out.reserve(room * to);
    out.resize(n * to, missing);
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(rows.data() + i * from, from, out.data() + i * to);
    }
    return out;
}

}  // namespace

void ShortMemory::reshape(const Shape& to) {
    if (most_ == 0) return;
    const std::size_t room = leaves_.capacity();
    if (to.numeric != numeric_) values_ = wider(values_, size(), room, numeric_, to.numeric, nan);
    if (to.categorical != categorical_) {
        codes_ = wider(codes_, size(), room, categorical_, to.categorical, missing_code);
    }
    numeric_ = to.numeric;
    categorical_ = to.categorical;
    if (row_.size() != to.stride) row_ = HeldDoubles(to.stride, 0.0);
    to_come_ = most_bytes() - bytes(room, numeric_, categorical_);
}

std::size_t ShortMemory::bytes(std::size_t room, std::size_t numeric,
                               std::size_t categorical) noexcept {
    const auto list = [&](std::size_t n) { return n ? taken(n) : 0; };
    return list(room * numeric * sizeof(double)) + list(room * categorical * sizeof(std::int32_t)) +
           list(room * sizeof(double)) + 2 * list(room * sizeof(std::uint32_t));
}

std::size_t ShortMemory::growth(std::size_t numeric, std::size_t categorical) const noexcept {
    if (most_ == 0) return 0;
    const std::size_t n = numeric_ + numeric, c = categorical_ + categorical;
    return bytes(most_, n, c) - most_bytes() + bytes(leaves_.capacity(), n, c) +
           taken((n + 4) * sizeof(double));
}

std::size_t ShortMemory::copy_bytes() const noexcept {
    const std::size_t room = leaves_.capacity();
    const std::size_t widest =
        std::max({numeric_ * sizeof(double), sizeof(double), categorical_ * sizeof(std::int32_t)});
    return room && room < most_ ? taken(room * widest) : 0;
}

void ShortMemory::make_room() {
    const std::size_t room = std::min(most_, std::max<std::size_t>(16, 2 * size()));
    values_.reserve(room * numeric_);
    codes_.reserve(room * categorical_);
    labels_.reserve(room);
    weights_.reserve(room);
    leaves_.reserve(room);
    to_come_ = most_bytes() - bytes(room, numeric_, categorical_);
}

bool ShortMemory::keep(const Row& row, std::size_t y, double w, std::int32_t leaf) {
    std::size_t at = next_;
    const bool full = size() < most_ && size() == leaves_.capacity();
    if (size() < most_) {
        if (full) make_room();
        at = size();
        values_.resize(values_.size() + numeric_);
        codes_.resize(codes_.size() + categorical_);
        labels_.resize(at + 1);
        weights_.resize(at + 1);
        leaves_.resize(at + 1);
    } else {
        next_ = next_ + 1 < most_ ? next_ + 1 : 0;
    }
    // All NaNs get the same bits, so that the bytes of a file do not depend on the caller's NaN.
    std::transform(row.x, row.x + numeric_, values_.data() + at * numeric_,
                   [](double x) { return x == x ? x : nan; });
    std::copy_n(row.codes, categorical_, codes_.data() + at * categorical_);
    labels_[at] = static_cast<std::uint32_t>(y);
    weights_[at] = w;
    leaves_[at] = leaf;
    return full;
}

Row ShortMemory::row(std::size_t i) {
    const double* const x = values_.data() + place(i) * numeric_;
    std::copy_n(x, numeric_, row_.data());
    const bool gap = std::any_of(x, x + numeric_, [](double v) { return v != v; });
    return {row_.data(), codes_.data() + place(i) * categorical_, gap};
}

void ShortMemory::save(std::vector<double>& values, std::vector<std::int32_t>& codes,
                       std::vector<std::int32_t>& labels, std::vector<double>& weights) const {
    for (std::size_t i = 0; i < size(); ++i) {
        const std::size_t at = place(i);
        const double* const x = values_.data() + at * numeric_;
        const std::int32_t* const c = codes_.data() + at * categorical_;
        values.insert(values.end(), x, x + numeric_);
        codes.insert(codes.end(), c, c + categorical_);
        labels.push_back(static_cast<std::int32_t>(labels_[at]));
        weights.push_back(weights_[at]);
    }
}

}  // namespace riparian
