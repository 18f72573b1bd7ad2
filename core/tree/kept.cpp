#include "kept.hpp"

#include <algorithm>

namespace riparian {

Kept::Kept(const Features& features, const Shape& shape) : shape_(shape), known_(0) {
    grow(features, shape, {});
}

void Kept::grow(const Features& of_tree, const Shape& of_tree_shape, const Subspace& drawn) {
    shape_.class_stride = of_tree_shape.class_stride;
    for (; known_ < of_tree.size(); ++known_) {
        if (drawn.draws() && !draw.takes_later(drawn, known_)) continue;
        const Feature& f = of_tree[known_];
        ids_.push_back(static_cast<std::int32_t>(known_));
        Held<std::uint32_t>& slots = f.kind == Kind::numeric ? numeric_ : categorical_;
        features_.push_back({f.kind, slots.size()});
        slots.push_back(static_cast<std::uint32_t>(f.slot));
    }
    count();
}

void Kept::count() {
    trim(features_);
    trim(ids_);
    trim(numeric_);
    trim(categorical_);
    shape_.numeric = numeric_.size();
    shape_.stride = (shape_.numeric + 3) / 4 * 4;
    shape_.categorical = categorical_.size();
}

Kept::Left Kept::drop(const Held<bool>& poor) {
    Left left;
    std::size_t n = 0;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        if (poor[i]) continue;
        const Feature f = features_[i];
        std::vector<std::uint32_t>& places = f.kind == Kind::numeric ? left.numeric : left.categorical;
        Held<std::uint32_t>& slots = f.kind == Kind::numeric ? numeric_ : categorical_;
        slots[places.size()] = slots[f.slot];
        features_[n] = {f.kind, places.size()};
        ids_[n++] = ids_[i];
        places.push_back(static_cast<std::uint32_t>(f.slot));
    }
    features_.resize(n);
    ids_.resize(n);
    numeric_.resize(left.numeric.size());
    categorical_.resize(left.categorical.size());
    count();
    return left;
}

std::int32_t Kept::id_of(std::int32_t place) const noexcept {
    return place == none ? none : ids_[static_cast<std::size_t>(place)];
}

std::int32_t Kept::place_of(std::int32_t id) const noexcept {
    if (id == none) return none;
    return static_cast<std::int32_t>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin());
}

void Kept::name(Decision& d) const noexcept {
    d.best.feature = id_of(d.best.feature);
    d.second.feature = id_of(d.second.feature);
    for (std::size_t i = 0; i < d.ranking.size(); ++i) {
        d.ranking[i].feature = id_of(d.ranking[i].feature);
    }
}

std::vector<std::int32_t> Kept::dropped(std::size_t features) const {
    std::vector<std::int32_t> out;
    auto next = ids_.begin();
    for (std::int32_t f = 0; f < static_cast<std::int32_t>(features); ++f) {
        if (next != ids_.end() && *next == f) {
            ++next;
        } else {
            out.push_back(f);
        }
    }
    return out;
}

Held<bool> Kept::among(const Held<bool>& slots) const {
    Held<bool> out;
    for (const std::uint32_t c : categorical_) out.push_back(slots[c]);
    return out;
}

void GatheredRow::fit(const Shape& shape) {
    if (x_.size() != shape.stride) x_ = HeldDoubles(shape.stride, 0.0);
    if (codes_.size() != shape.categorical) {
        codes_ = Held<std::int32_t>(shape.categorical);
        categories_ = Held<std::int32_t>(shape.categorical);
    }
}

Row GatheredRow::of(const Row& row, const Kept& kept) {
    bool gap = false;
    std::size_t i = 0;
    for (const std::uint32_t slot : kept.numeric_) {
        const double x = row.x[slot];
        gap |= x != x;
        x_[i++] = x;
    }
    while (i < kept.shape_.stride) x_[i++] = 0.0;
    for (std::size_t c = 0; c < kept.categorical_.size(); ++c) {
        codes_[c] = row.codes[kept.categorical_[c]];
    }
    return {x_.data(), codes_.data(), gap};
}

const std::int32_t* GatheredRow::of(const std::int32_t* slots, const Kept& kept) {
    for (std::size_t c = 0; c < kept.categorical_.size(); ++c) {
        categories_[c] = slots[kept.categorical_[c]];
    }
    return categories_.data();
}

}  // namespace riparian
