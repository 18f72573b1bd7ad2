#include "value_counts.hpp"

#include <algorithm>

#include "../statistics/class_room.hpp"

namespace riparian::restructuring {

void ValueCounts::widen(std::size_t classes) {
    Held<double> wider(values_.size() * classes, 0.0);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        std::copy_n(counts_.data() + i * classes_, classes_, wider.data() + i * classes);
    }
    counts_ = std::move(wider);
    classes_ = classes;
}

std::size_t ValueCounts::found(std::int32_t value, std::size_t classes) {
    if (classes > classes_) widen(room_for_parts(classes));
    const auto at = std::lower_bound(values_.begin(), values_.end(), value);
    const auto i = static_cast<std::size_t>(at - values_.begin());
    if (at == values_.end() || *at != value) {
        counts_.insert(counts_.begin() + static_cast<std::ptrdiff_t>(i * classes_), classes_, 0.0);
        values_.insert(at, value);
    }
    return i;
}

void ValueCounts::add(std::int32_t value, std::size_t label, double w) {
    const std::size_t i = found(value, label + 1);
    counts_[i * classes_ + label] += w;
}

void ValueCounts::remove(std::int32_t value, std::size_t label, double w) {
    const std::size_t i = found(value, label + 1);
    counts_[i * classes_ + label] -= w;
    const auto left = weights(i);
    if (std::any_of(left.begin(), left.end(), [](double c) { return c > 0.0; })) return;
    const auto first = counts_.begin() + static_cast<std::ptrdiff_t>(i * classes_);
    counts_.erase(first, first + static_cast<std::ptrdiff_t>(classes_));
    values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(i));
}

std::size_t ValueCounts::add(std::int32_t value, std::span<const double> weights) {
    const std::size_t i = found(value, weights.size());
    std::size_t additions = 0;
    for (std::size_t c = 0; c < weights.size(); ++c) {
        if (weights[c] == 0.0) continue;
        counts_[i * classes_ + c] += weights[c];
        ++additions;
    }
    return additions;
}

std::size_t ValueCounts::add(const ValueCounts& other) {
    std::size_t additions = 0;
    for (std::size_t i = 0; i < other.size(); ++i)
        additions += add(other.value(i), other.weights(i));
    return additions;
}

}  // namespace riparian::restructuring
