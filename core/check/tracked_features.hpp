// The features that a leaf tracks, where it has dropped some [domingos2000, sec. 3], or tracks
// some of them from the start [gomes2017].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../data/feature.hpp"
#include "../data/row.hpp"
#include "../leaf/contract.hpp"
#include "../memory/account.hpp"
#include "../random/subspace.hpp"
#include "../statistics/leaf_statistics.hpp"
#include "decision.hpp"

namespace riparian {

// The statistics of such a leaf have a shape of their own and know no other features:
// rows are gathered for them, and their cuts are given the tree's names.
class TrackedFeatures : public HeldObject {
public:
    // All of them but those left out, if any are.
    TrackedFeatures(const Features& of_tree, const Shape&,
                    const std::vector<std::uint8_t>& left_out = {});
    ~TrackedFeatures() { give(ids_, bytes()); }
    TrackedFeatures(const TrackedFeatures&) = delete;
    TrackedFeatures& operator=(const TrackedFeatures&) = delete;

    // What is left of the features before, by place.
    struct Left {
        std::vector<std::uint32_t> numeric, categorical;
    };
    Left drop(const Held<bool>& poor, const Features& of_tree);
    // All that the tree has since added is tracked, or what the draw says.
    void grow(const Features& of_tree, const Shape& of_tree_shape, const Subspace&);

    Draw draw;

    [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
    // [place], with slots among the kept ones.
    void list(const Features& of_tree, Features& out) const;
    [[nodiscard]] std::int32_t id_of(std::int32_t place) const noexcept;
    [[nodiscard]] std::int32_t place_of(std::int32_t id) const noexcept;
    // Of a categorical place among all categorical features of the tree.
    [[nodiscard]] std::size_t slot_of(std::size_t c, const Features& of_tree) const noexcept;
    // Cuts by place become cuts by the tree's names.
    void name(Decision&) const noexcept;
    // Of all features of the tree.
    [[nodiscard]] std::vector<std::int32_t> dropped(std::size_t features) const;
    // What is by categorical slot of the tree becomes what is by categorical place.
    void narrow(Held<bool>& slots, const Features& of_tree) const;

private:
    friend class GatheredRow;
    // [place]: the feature of the tree, ascending.
    [[nodiscard]] std::span<const std::uint32_t> ids() const noexcept {
        return {ids_, shape_.numeric + shape_.categorical};
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return ids().size_bytes(); }
    void keep(const std::vector<std::uint32_t>& ids, const Features& of_tree);

    Shape shape_;
    std::uint32_t* ids_ = nullptr;  // as many as the shape has: there may be one a leaf
    std::uint32_t known_ = 0;       // features of the tree that were kept or dropped
    // Where numeric slots are ids, and those of categorical features, which come after them, ids
    // less this; or mixed.
    static constexpr std::uint32_t mixed = UINT32_MAX;
    std::uint32_t ahead_ = mixed;
};

// Room for the values of a row that a leaf tracks.
class GatheredRow {
public:
    void fit(const Shape&);
    [[nodiscard]] Row of(const Row&, const TrackedFeatures&, const Features& of_tree);
    // In place, with what is by categorical slot of the tree, unless null, and becomes
    // [categorical place].
    void gather(Row&, const std::int32_t*& categories, const TrackedFeatures&,
                const Features& of_tree);

private:
    HeldDoubles x_;
    Held<std::int32_t> codes_, categories_;
};

// Room for one answer of a tree.
struct Asking : AnswerScratch {
    GatheredRow gathered;
};

}  // namespace riparian
