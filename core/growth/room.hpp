// The memory of a tree: what it holds, and whether there is room for more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../data/feature.hpp"
#include "../memory/limit_too_low.hpp"
#include "limit.hpp"
#include "state.hpp"

namespace riparian {

// Places in lists of classes for this many classes.
[[nodiscard]] std::size_t room_for_classes(std::size_t count) noexcept;

// Below a memory limit the structure lasts, and leaves lose their statistics to make room for it.
// Without a limit there is always room.
class Room {
public:
    explicit Room(GrowthState& state) noexcept : state_(state) {}

    // ---- what there is ----

    // Bytes that never go away again: the structure, and what examples are still to take.
    [[nodiscard]] std::size_t lasting() const noexcept;
    [[nodiscard]] std::size_t free_bytes() const noexcept { return limit_.free_bytes(usage()); }
    // By how much the structure grows with new leaves, those of a split or one more branch.
    [[nodiscard]] std::size_t growth(std::size_t branches, std::size_t splits) const noexcept;

    // ---- room for more ----

    // Whether the structure may grow by this much. A subtree that predicts leaves room for alternates.
    [[nodiscard]] bool may_add(std::size_t bytes, bool predicts = false) const noexcept;
    // Makes leaves inactive until there is room. Returns false if there is none. `keep` is a node that needs its
    // statistics now, or none.
    bool make_room_for(std::size_t bytes, std::int32_t keep);
    enum class Fit { none, inactive, active };
    // The same for new leaves, which take these bytes in addition to their statistics.
    Fit make_room_for_leaves(std::size_t bytes, std::size_t leaves, std::int32_t keep);
    // Demands room. Throws LimitTooLow before anything is changed. `classes`:
    // how many classes the room is for, if it is for classes.
    void demand_structure(std::size_t more, std::size_t classes = 0);
    void add_to_structure(std::size_t bytes);
    // To be called after the structure has changed.
    void settle() noexcept;
    // Gives an inactive leaf its statistics back if it has become one of the most promising.
    void reconsider(std::size_t place);

    // ---- limits ----

    // Throws LimitTooLow, and changes nothing, where the tree does not fit.
    void set_max_bytes(std::size_t);
    [[nodiscard]] bool may_shrink_to(std::size_t limit) const noexcept;
    // A limit that fits the tree with this much more, and all that the batch is expected to bring.
    [[nodiscard]] std::size_t needed(std::size_t more, std::size_t classes = 0) const noexcept;
    // What a tree with this schema needs at least: one leaf that has seen two classes.
    [[nodiscard]] std::size_t least_bytes() const noexcept;
    // Whether these bytes of names, and an example with distributions of this many numbers, fit
    // whatever the rows bring.
    [[nodiscard]] bool surely_fits(std::size_t names, std::size_t numbers) const noexcept;

    // ---- memory that is set aside before it is needed ----

    // Upper bounds of what these allocate, together with the next row after them.
    [[nodiscard]] std::size_t most_of_rows(std::size_t rows) const noexcept;
    [[nodiscard]] std::size_t most_of_features(const std::vector<Kind>&) const noexcept;
    [[nodiscard]] std::size_t most_of_classes(std::size_t count) const noexcept;
    // Bytes of the class weights of all nodes, at this stride.
    [[nodiscard]] std::size_t bytes_of_classes(std::size_t stride) const noexcept;

    // The ranking of leaves, for files.
    [[nodiscard]] Limit& limit() noexcept { return limit_; }
    [[nodiscard]] const Limit& limit() const noexcept { return limit_; }

private:
    [[nodiscard]] Limit::Usage usage() const noexcept;
    [[nodiscard]] std::size_t most_lasting(bool predicts = false) const noexcept;
    [[nodiscard]] double promise(std::int32_t node) const noexcept;
    void rank(std::size_t need, std::int32_t keep);

    GrowthState& state_;
    Limit limit_;
};

}  // namespace riparian
