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

// The statistics of such a leaf have a shape of their own and know no other features. Rows are gathered for
// them, and their cuts are translated to the features of the tree.
class TrackedFeatures : public HeldObject {
public:
    // All features, except those left out.
    TrackedFeatures(const Features& of_tree, const Shape&,
                    const std::vector<std::uint8_t>& left_out = {});
    ~TrackedFeatures() { free_block(ids_, bytes()); }
    TrackedFeatures(const TrackedFeatures&) = delete;
    TrackedFeatures& operator=(const TrackedFeatures&) = delete;

    // The features that are left, by their place before.
    struct Left {
        std::vector<std::uint32_t> numeric, categorical;
    };
    Left drop(const Held<bool>& poor, const Features& of_tree);
    // Tracks all features that the tree has added since, or those that the draw chooses.
    void grow(const Features& of_tree, const Shape& of_tree_shape, const Subspace&);

    Draw draw;

    [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
    // [place], with slots among the kept ones.
    void list(const Features& of_tree, Features& out) const;
    [[nodiscard]] std::int32_t id_of(std::int32_t place) const noexcept;
    [[nodiscard]] std::int32_t place_of(std::int32_t id) const noexcept;
    // The slot of a categorical place, among all categorical features of the tree.
    [[nodiscard]] std::size_t slot_of(std::size_t c, const Features& of_tree) const noexcept;
    // Turns cuts by place into cuts by feature of the tree.
    void name(Decision&) const noexcept;
    // The features that the leaf does not track, of this many.
    [[nodiscard]] std::vector<std::int32_t> dropped(std::size_t features) const;
    // Turns flags by categorical slot of the tree into flags by categorical place.
    template <class Flags>
    void narrow(Flags& slots, const Features& of_tree) const {
        // Slots ascend: none is overwritten before it is read.
        std::size_t c = 0;
        for (const std::uint32_t id : ids()) {
            if (of_tree[id].kind == Kind::categorical) slots[c++] = slots[of_tree[id].slot];
        }
        slots.resize(c);
    }

private:
    friend class GatheredRow;
    // [place]: the feature of the tree, ascending.
    [[nodiscard]] std::span<const std::uint32_t> ids() const noexcept {
        return {ids_, shape_.numeric + shape_.categorical};
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return ids().size_bytes(); }
    void keep(const std::vector<std::uint32_t>& ids, const Features& of_tree);

    Shape shape_;
    std::uint32_t* ids_ =
        nullptr;  // as many as the shape has; not a vector, because every leaf may have one
    std::uint32_t known_ = 0;  // features of the tree that were kept or dropped
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

// Room for the prediction of one row by a tree.
struct RowScratch : PredictorScratch {
    GatheredRow gathered;
};

}  // namespace riparian
