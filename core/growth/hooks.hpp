// What an adaptation adds to the growth of a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "nodes.hpp"

namespace riparian {

class Growth;
class Spread;
struct Shape;
struct Snapshot;

// Growth calls these and knows nothing else of the adaptation. As they stand here they are those of
// a tree that only grows.
class GrowthHooks {
public:
    // What the state of a tree may look like.
    struct Traits {
        bool keeps = false;     // inner nodes keep statistics
        bool forgets = false;   // examples that were learned are forgotten again
        bool replaces = false;  // subtrees come and go, and ids of nodes change
    };

    GrowthHooks(const Growth& growth, Traits traits) noexcept : of_(growth), traits_(traits) {}
    virtual ~GrowthHooks() = default;
    GrowthHooks(const GrowthHooks&) = delete;
    GrowthHooks& operator=(const GrowthHooks&) = delete;

    [[nodiscard]] const Traits& traits() const noexcept { return traits_; }

    // ---- nodes ----

    // Room for this many nodes more.
    virtual void make_room(std::size_t) {}
    // A node was added, the last one.
    virtual void add_node() {}
    // A branch was added for the row at hand.
    virtual void add_branch(std::int32_t) {}
    // An inner node keeps the record that it had as a leaf.
    virtual void keep_record(std::int32_t, std::size_t) {}
    // The record of an inner node; none: it has none.
    [[nodiscard]] virtual std::int32_t record(std::int32_t) const noexcept { return none; }
    // Whether a node may still use its statistics.
    [[nodiscard]] virtual bool uses_statistics(std::int32_t) const noexcept { return true; }

    // Subtrees that predict together with a node get the same share of an example.
    virtual void send_to_options(std::int32_t, double, Spread&) const {}

    // ---- the schema ----

    // Before features are added: so many numeric and categorical ones.
    virtual void widen(std::size_t, std::size_t) {}
    virtual void reshape(const Shape&) {}

    // ---- memory ----

    // By how many bytes its lists grow with so many nodes.
    [[nodiscard]] virtual std::size_t growth(std::size_t) const noexcept { return 0; }
    // The largest copy of a list while it grows.
    [[nodiscard]] virtual std::size_t copy_bytes() const noexcept { return 0; }
    // Bytes that are set aside below a limit, and how much of them is still to be taken.
    [[nodiscard]] virtual std::size_t set_aside() const noexcept { return 0; }
    [[nodiscard]] virtual std::size_t to_come() const noexcept { return 0; }
    // Bytes that can be given up, and giving some of them up; false: there is nothing.
    [[nodiscard]] virtual std::size_t can_give_up() const noexcept { return 0; }
    virtual bool give_up() { return false; }
    // The limit that has room for so many bytes.
    [[nodiscard]] virtual std::size_t limit_for(std::size_t bytes) const noexcept { return bytes; }
    [[nodiscard]] virtual bool fits_in(std::size_t limit) const noexcept;
    // Bytes of an example whose distributions are so many numbers; SIZE_MAX: it cannot fit.
    [[nodiscard]] virtual std::size_t example_bytes(std::size_t) const noexcept { return 0; }
    // Before the limit changes.
    virtual void shrink_to(std::size_t) {}

    // ---- files ----

    // A node of a file that is no child of its parent; `where` begins an error.
    virtual void restore_link(std::int32_t node, const std::string& where);

protected:
    const Growth& of_;

private:
    Traits traits_;
};

}  // namespace riparian
