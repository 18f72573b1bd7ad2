#include "tracked_features.hpp"

#include <algorithm>

namespace riparian {

TrackedFeatures::TrackedFeatures(const Features& of_tree, const Shape& shape,
                                 const std::vector<std::uint8_t>& left_out)
    : shape_(shape), known_(static_cast<std::uint32_t>(of_tree.size())) {
    shape_.numeric = shape_.categorical = 0;
    std::vector<std::uint32_t> ids;
    ids.reserve(known_);
    for (std::uint32_t f = 0; f < known_; ++f) {
        if (left_out.empty() || !left_out[f]) ids.push_back(f);
    }
    keep(ids, of_tree);
}

void TrackedFeatures::grow(const Features& of_tree, const Shape& of_tree_shape,
                           const Subspace& drawn) {
    shape_.class_stride = of_tree_shape.class_stride;
    std::vector<std::uint32_t> ids(this->ids().begin(), this->ids().end());
    for (; known_ < of_tree.size(); ++known_) {
        if (drawn.draws() && !draw.includes_later(drawn, known_, ids.size())) continue;
        ids.push_back(known_);
    }
    keep(ids, of_tree);
}

void TrackedFeatures::keep(const std::vector<std::uint32_t>& ids, const Features& of_tree) {
    auto* const fresh =
        ids.empty()
            ? nullptr
            : static_cast<std::uint32_t*>(allocate_block(ids.size() * sizeof(std::uint32_t)));
    std::copy(ids.begin(), ids.end(), fresh);
    free_block(ids_, bytes());
    ids_ = fresh;
    const auto numeric = [&](std::uint32_t id) { return of_tree[id].kind == Kind::numeric; };
    shape_.numeric = static_cast<std::size_t>(std::count_if(ids.begin(), ids.end(), numeric));
    shape_.stride = (shape_.numeric + 3) / 4 * 4;
    shape_.categorical = ids.size() - shape_.numeric;
    ahead_ =
        shape_.categorical ? ids.back() - static_cast<std::uint32_t>(of_tree[ids.back()].slot) : 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const bool first = i < shape_.numeric;
        if (numeric(ids[i]) != first || of_tree[ids[i]].slot != ids[i] - (first ? 0 : ahead_))
            ahead_ = mixed;
    }
}

TrackedFeatures::Left TrackedFeatures::drop(const Held<bool>& poor, const Features& of_tree) {
    Left left;
    std::vector<std::uint32_t> kept;
    std::uint32_t n_numeric = 0, n_categorical = 0;
    std::size_t place = 0;
    for (const std::uint32_t id : ids()) {
        const bool numeric = of_tree[id].kind == Kind::numeric;
        const std::uint32_t slot = numeric ? n_numeric++ : n_categorical++;
        if (poor[place++]) continue;
        (numeric ? left.numeric : left.categorical).push_back(slot);
        kept.push_back(id);
    }
    keep(kept, of_tree);
    return left;
}

void TrackedFeatures::list(const Features& of_tree, Features& out) const {
    out.clear();
    std::size_t n_numeric = 0;
    for (const std::uint32_t id : ids()) {
        const Kind kind = of_tree[id].kind;
        out.push_back({kind, kind == Kind::numeric ? n_numeric : out.size() - n_numeric});
        n_numeric += kind == Kind::numeric;
    }
}

std::int32_t TrackedFeatures::id_of(std::int32_t place) const noexcept {
    return place == none ? none : static_cast<std::int32_t>(ids_[static_cast<std::size_t>(place)]);
}

std::int32_t TrackedFeatures::place_of(std::int32_t id) const noexcept {
    if (id == none) return none;
    const auto ids = this->ids();
    const auto found = std::lower_bound(ids.begin(), ids.end(), static_cast<std::uint32_t>(id));
    if (found == ids.end() || *found != static_cast<std::uint32_t>(id)) return none;
    return static_cast<std::int32_t>(found - ids.begin());
}

std::size_t TrackedFeatures::slot_of(std::size_t c, const Features& of_tree) const noexcept {
    for (const std::uint32_t id : ids()) {
        if (of_tree[id].kind == Kind::categorical && c-- == 0) return of_tree[id].slot;
    }
    return 0;
}

void TrackedFeatures::name(Decision& d) const noexcept {
    d.best.feature = id_of(d.best.feature);
    d.second.feature = id_of(d.second.feature);
    for (std::size_t i = 0; i < d.ranking.size(); ++i) {
        d.ranking[i].feature = id_of(d.ranking[i].feature);
    }
}

std::vector<std::int32_t> TrackedFeatures::dropped(std::size_t features) const {
    std::vector<std::int32_t> out;
    const auto ids = this->ids();
    auto next = ids.begin();
    for (std::size_t f = 0; f < features; ++f) {
        if (next != ids.end() && *next == f) {
            ++next;
        } else {
            out.push_back(static_cast<std::int32_t>(f));
        }
    }
    return out;
}

void GatheredRow::fit(const Shape& shape) {
    if (x_.size() != shape.stride) x_ = HeldDoubles(shape.stride, 0.0);
    if (codes_.size() != shape.categorical) {
        codes_ = Held<std::int32_t>(shape.categorical);
        categories_ = Held<std::int32_t>(shape.categorical);
    }
}

Row GatheredRow::of(const Row& row, const TrackedFeatures& kept, const Features& of_tree) {
    Row found = row;
    const std::int32_t* none = nullptr;
    gather(found, none, kept, of_tree);
    return found;
}

void GatheredRow::gather(Row& row, const std::int32_t*& categories, const TrackedFeatures& kept,
                         const Features& of_tree) {
    const Row from = row;
    double* const x = x_.data();
    std::int32_t* const codes = codes_.data();
    bool gap = false;
    std::size_t i = 0, c = 0;
    const std::int32_t* const all = categories;
    std::int32_t* const known = categories_.data();
    if (kept.ahead_ != TrackedFeatures::mixed && !from.gap) [[likely]] {
        const std::uint32_t* id = kept.ids_;
        for (; i < kept.shape_.numeric; ++i) x[i] = from.x[*id++];
        for (; c < kept.shape_.categorical; ++c) {
            const std::uint32_t slot = *id++ - kept.ahead_;
            codes[c] = from.codes[slot];
            if (all) known[c] = all[slot];
        }
    } else {
        for (const std::uint32_t id : kept.ids()) {
            const Feature& f = of_tree[id];
            if (f.kind == Kind::categorical) {
                codes[c] = from.codes[f.slot];
                if (all) known[c] = all[f.slot];
                ++c;
                continue;
            }
            const double value = from.x[f.slot];
            gap |= value != value;
            x[i++] = value;
        }
    }
    if (all) categories = known;
    while (i < kept.shape_.stride) x[i++] = 0.0;
    row.x = x;
    row.codes = codes;
    row.gap = gap;
    row.nonzeros = nullptr;
}

}  // namespace riparian
