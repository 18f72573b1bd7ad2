#include "history.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "../memory/account.hpp"

namespace riparian {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void History::reshape(const Shape& to) {
    const std::size_t n = size(), room = labels_.capacity();
    AlignedDoubles values;
    values.reserve(room * to.stride);
    values.resize(n * to.stride, 0.0);
    std::vector<std::int32_t> codes;
    codes.reserve(room * to.categorical);
    codes.resize(n * to.categorical, missing_code);
    for (std::size_t i = 0; i < n; ++i) {
        double* const x = values.data() + i * to.stride;
        std::copy_n(values_.data() + i * stride_, numeric_, x);
        std::fill(x + numeric_, x + to.numeric, nan);
        std::copy_n(codes_.data() + i * categorical_, categorical_,
                    codes.data() + i * to.categorical);
        if (to.numeric > numeric_) gaps_[i] = 1;
    }
    values_ = std::move(values);
    codes_ = std::move(codes);
    numeric_ = to.numeric;
    stride_ = to.stride;
    categorical_ = to.categorical;
}

// Grows by doubling, so that a file cannot allocate memory that it has no rows for. Beyond the lasting
// size it grows by little.
void History::make_room() {
    const std::size_t lasting = most_ + at_once;
    const std::size_t room = size() < lasting
                                 ? std::min(std::max<std::size_t>(16, 2 * size()), lasting)
                                 : size() + at_once;
    values_.reserve(room * stride_);
    codes_.reserve(room * categorical_);
    gaps_.reserve(room);
    labels_.reserve(room);
    weights_.reserve(room);
}

void History::keep(const Row& row, std::size_t y, double w) {
    if (size() == labels_.capacity()) make_room();
    values_.insert(values_.end(), row.x, row.x + stride_);
    codes_.insert(codes_.end(), row.codes, row.codes + categorical_);
    gaps_.push_back(row.gap ? 1 : 0);
    labels_.push_back(static_cast<std::uint32_t>(y));
    weights_.push_back(w);
}

void History::forget() {
    if (size() <= most_) return;
    const std::size_t n = size() - most_;
    if (n < at_once) return;
    const auto shorten = [&](auto& list, std::size_t width) {
        list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(n * width));
    };
    shorten(values_, stride_);
    shorten(codes_, categorical_);
    shorten(gaps_, 1);
    shorten(labels_, 1);
    shorten(weights_, 1);
    first_ += n;
}

std::size_t History::bytes_of(std::size_t rows) const noexcept {
    if (rows == 0) return 0;
    return taken(rows * stride_ * sizeof(double)) +
           taken(rows * categorical_ * sizeof(std::int32_t)) + taken(rows) +
           taken(rows * sizeof(std::uint32_t)) + taken(rows * sizeof(double));
}

std::size_t History::bytes() const noexcept { return bytes_of(labels_.capacity()); }

std::size_t History::most_bytes(std::size_t block) const noexcept {
    return bytes_of(most_ + block + 2 * at_once);
}

void History::save(std::vector<double>& values, std::vector<std::int32_t>& codes,
                   std::vector<std::int32_t>& labels, std::vector<double>& weights) const {
    for (std::size_t i = size() > most_ ? size() - most_ : 0; i < size(); ++i) {
        const double* const x = values_.data() + i * stride_;
        std::transform(x, x + numeric_, std::back_inserter(values),
                       [](double v) { return v == v ? v : nan; });
        const std::int32_t* const c = codes_.data() + i * categorical_;
        codes.insert(codes.end(), c, c + categorical_);
        labels.push_back(static_cast<std::int32_t>(labels_[i]));
        weights.push_back(weights_[i]);
    }
}

}  // namespace riparian
