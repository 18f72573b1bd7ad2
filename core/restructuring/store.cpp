#include "store.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace riparian::restructuring {

double number_in(const Batch& batch, std::size_t f, std::size_t row) noexcept {
    if (f >= batch.columns.size() || !batch.columns[f].data) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const Column& c = batch.columns[f];
    return c.type == Column::Type::f32 ? static_cast<double>(c.at<float>(row)) : c.at<double>(row);
}

std::int32_t code_in(const Batch& batch, std::size_t f, std::size_t row) noexcept {
    if (f >= batch.columns.size() || !batch.columns[f].data) return missing_code;
    const Column& c = batch.columns[f];
    return c.type == Column::Type::code8 ? c.at<std::int8_t>(row) : c.at<std::int32_t>(row);
}

void Store::add_features(const std::vector<Kind>& kinds) {
    for (const Kind kind : kinds) {
        const bool numeric = kind == Kind::numeric;
        numbers_.emplace_back(numeric ? size() : 0, std::numeric_limits<double>::quiet_NaN());
        codes_.emplace_back(numeric ? 0 : size(), missing_code);
        kinds_.push_back(kind);
    }
}

Place Store::put(const Batch& batch, std::size_t row, std::int32_t label, double weight) {
    const std::size_t n = size();
    Place at = oldest_;
    if (full()) {
        if (n == 0 || !bounded()) throw std::length_error("too many examples");
        oldest_ = at + 1 == n ? 0 : at + 1;
    } else {
        // Memory is allocated first, because what follows must not fail.
        const std::size_t room = n < labels_.capacity() ? n : std::max<std::size_t>(16, n + n / 2);
        for (std::size_t f = 0; f < kinds_.size(); ++f) {
            if (kinds_[f] == Kind::numeric) {
                if (numbers_[f].capacity() <= n) numbers_[f].reserve(room + 1);
            } else if (codes_[f].capacity() <= n) {
                codes_[f].reserve(room + 1);
            }
        }
        if (weights_.capacity() <= n) weights_.reserve(room + 1);
        if (labels_.capacity() <= n) labels_.reserve(room + 1);
        for (std::size_t f = 0; f < kinds_.size(); ++f) {
            if (kinds_[f] == Kind::numeric) {
                numbers_[f].resize(n + 1);
            } else {
                codes_[f].resize(n + 1);
            }
        }
        labels_.resize(n + 1);
        weights_.resize(n + 1);
        at = static_cast<Place>(n);
    }
    for (std::size_t f = 0; f < kinds_.size(); ++f) {
        if (kinds_[f] == Kind::numeric) {
            const double x = number_in(batch, f, row);
            // Stores the same NaN whatever its bits were.
            numbers_[f][at] = x == x ? x : std::numeric_limits<double>::quiet_NaN();
        } else {
            codes_[f][at] = code_in(batch, f, row);
        }
    }
    labels_[at] = label;
    weights_[at] = weight;
    return at;
}

}  // namespace riparian::restructuring
