#include "summary.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace riparian {

Summary::Summary(const std::vector<Kind>& kinds) {
    Features features;
    std::size_t numeric = 0, categorical = 0;
    for (const Kind kind : kinds) {
        features.push_back({kind, kind == Kind::numeric ? numeric++ : categorical++});
    }
    shape_.class_stride = 2;
    counts_.resize(2, 0.0);
    statistics_.open(shape_);
    reshape(features, 2);
}

void Summary::reshape(const Features& features, std::size_t classes) {
    Shape to = shape_;
    for (std::size_t f = features_.size(); f < features.size(); ++f) {
        ++(features[f].kind == Kind::numeric ? to.numeric : to.categorical);
        features_.push_back(features[f]);
    }
    to.stride = (to.numeric + 3) / 4 * 4;
    to.class_stride = std::max(to.class_stride, classes);
    counts_.resize(to.class_stride, 0.0);
    const Shape from = std::exchange(shape_, to);
    statistics_.reshape(from, to, counts_.data());
}

void Summary::learn(const Batch& batch, const std::int32_t* y, const double* w) {
    if (batch.columns.size() > features_.size()) {
        throw std::invalid_argument("the rows have more features than the summary");
    }
    const std::int32_t last = batch.rows ? *std::max_element(y, y + batch.rows) : 0;
    if (static_cast<std::size_t>(last) >= shape_.class_stride) {
        reshape(features_, static_cast<std::size_t>(last) + 1);
    }
    RowBuffer buffer(batch, features_, shape_);
    for (std::size_t first = 0; first < batch.rows; first += buffer.capacity()) {
        const std::size_t n = std::min(buffer.capacity(), batch.rows - first);
        buffer.read(first, n);
        for (std::size_t i = 0; i < n; ++i) {
            const double weight = w ? w[first + i] : 1.0;
            if (y[first + i] < 0 || !(weight > 0.0)) continue;
            const auto label = static_cast<std::size_t>(y[first + i]);
            const double before = counts_[label];
            counts_[label] += weight;
            statistics_.learn(shape_, buffer.row(i), label, weight, before, counts_.data());
        }
    }
}

void Summary::merge(const Summary& other) {
    const std::size_t common = std::min(features_.size(), other.features_.size());
    for (std::size_t f = 0; f < common; ++f) {
        if (features_[f].kind != other.features_[f].kind) {
            throw std::invalid_argument("feature " + std::to_string(f) + " has another kind");
        }
    }
    if (this == &other) throw std::invalid_argument("a summary cannot be merged with itself");
    reshape(other.features_.size() > common ? other.features_ : features_,
            other.shape_.class_stride);
    statistics_.merge(shape_, counts_.data(), other.statistics_, other.shape_,
                      other.counts_.data());
}

void Summary::downdate(const Summary& other) {
    for (std::size_t f = 0; f < std::min(features_.size(), other.features_.size()); ++f) {
        if (features_[f].kind != other.features_[f].kind) {
            throw std::invalid_argument("feature " + std::to_string(f) + " has another kind");
        }
    }
    if (this == &other) throw std::invalid_argument("a summary cannot be taken from itself");
    reshape(features_, other.shape_.class_stride);
    statistics_.downdate(shape_, counts_.data(), other.statistics_, other.shape_,
                         other.counts_.data());
}

SummaryArrays Summary::arrays() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::size_t classes = shape_.class_stride, n = shape_.numeric;
    SummaryArrays out{classes, n, counts_, {}, {}, {}, {}, {}, {}};
    for (auto* const plane : {&out.known, &out.mean, &out.squares}) plane->assign(classes * n, 0.0);
    out.low.assign(classes * n, infinity);
    out.high.assign(classes * n, -infinity);
    for (std::size_t k = 0; k < classes && n; ++k) {
        if (!(counts_[k] > 0.0)) continue;
        const GaussianClass c = statistics_.gaussian(k, counts_.data());
        const auto copy = [&](std::size_t plane, std::vector<double>& to) {
            std::copy_n(c.planes + plane * n, n, to.data() + k * n);
        };
        for (std::size_t f = 0; f < n; ++f) out.known[k * n + f] = c.known ? c.known[f] : c.weight;
        copy(mean, out.mean);
        copy(squares, out.squares);
        copy(low, out.low);
        copy(high, out.high);
    }
    for (std::size_t c = 0; c < shape_.categorical; ++c) {
        const std::uint32_t* const starts = statistics_.starts(shape_) + c;
        const std::size_t values = starts[1] - starts[0];
        std::vector<double>& cells = out.cells.emplace_back(classes * values, 0.0);
        for (std::size_t k = 0; k < classes; ++k) {
            if (!statistics_.classes()[k]) continue;
            std::copy_n(statistics_.cells(shape_, k) + starts[0], values, cells.data() + k * values);
        }
    }
    return out;
}

}  // namespace riparian
