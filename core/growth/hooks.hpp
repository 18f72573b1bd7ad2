// What an adaptation adds to the growth of a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "nodes.hpp"

namespace riparian {

class Spread;
struct Shape;
struct Snapshot;

// Growth calls these functions and knows nothing else of the adaptation. The defaults are those of a
// tree that only grows: it keeps nothing of its own.
class GrowthHooks {
public:
    // What the state of a tree may look like. It does not change while the tree lives.
    struct Traits {
        bool keeps = false;     // inner nodes keep statistics
        bool forgets = false;   // examples that were learned are forgotten again
        bool replaces = false;  // subtrees come and go, and ids of nodes change
    };

    explicit GrowthHooks(Traits traits) noexcept : traits_(traits) {}
    virtual ~GrowthHooks() = default;
    GrowthHooks(const GrowthHooks&) = delete;
    GrowthHooks& operator=(const GrowthHooks&) = delete;

    [[nodiscard]] const Traits& traits() const noexcept { return traits_; }

    // ---- nodes ----

    // Makes room for this many more nodes. No list may grow by more than that before they are added.
    virtual void make_room(std::size_t /*nodes*/) {}
    // Called after a node was added, which is the last one.
    virtual void add_node() {}
    // Called after add_node() where the row at hand needs the node: it has a category without a branch.
    virtual void add_branch(std::int32_t /*node*/) {}
    // The node becomes an inner node and keeps the record that it had as a leaf. Called only if `keeps`.
    virtual void keep_record(std::int32_t /*node*/, std::size_t /*place*/) {}
    // The place of the record of an inner node; none: the node has no record.
    [[nodiscard]] virtual std::int32_t record(std::int32_t /*node*/) const noexcept { return none; }
    // Whether a node may still use its statistics. If not, it loses them first where memory is short.
    [[nodiscard]] virtual bool uses_statistics(std::int32_t /*node*/) const noexcept {
        return true;
    }
    // Sends an example also to the subtrees that predict together with a node, with the same share.
    virtual void send_to_options(std::int32_t /*node*/, double /*share*/, Spread&) const {}

    // ---- the schema ----

    // Called before features are added: this many numeric and categorical ones. May throw LimitTooLow.
    virtual void widen(std::size_t /*numeric*/, std::size_t /*categorical*/) {}
    // Called when rows or classes have another shape.
    virtual void reshape(const Shape&) {}

    // ---- memory ----

    // By how many bytes the lists of the adaptation grow with this many nodes.
    [[nodiscard]] virtual std::size_t growth(std::size_t /*nodes*/) const noexcept { return 0; }
    // Bytes of the largest copy of a list while it grows.
    [[nodiscard]] virtual std::size_t copy_bytes() const noexcept { return 0; }
    // Bytes of the memory limit that are set aside for the adaptation, and those of them that it does
    // not hold yet.
    [[nodiscard]] virtual std::size_t set_aside() const noexcept { return 0; }
    [[nodiscard]] virtual std::size_t to_come() const noexcept { return 0; }
    // Bytes that can be given up. give_up() gives some of them up; false: there is nothing left.
    [[nodiscard]] virtual std::size_t can_give_up() const noexcept { return 0; }
    virtual bool give_up() { return false; }
    // The memory limit that has room for a tree of this many bytes.
    [[nodiscard]] virtual std::size_t limit_for(std::size_t bytes) const noexcept { return bytes; }
    // Whether a tree whose lasting part has this many bytes can be brought below a limit.
    [[nodiscard]] virtual bool fits_in(std::size_t limit, std::size_t lasting) const noexcept {
        return lasting <= limit;
    }
    // Bytes of an example whose distributions are this many numbers; SIZE_MAX: it cannot fit.
    [[nodiscard]] virtual std::size_t example_bytes(std::size_t /*numbers*/) const noexcept {
        return 0;
    }
    // Called before the memory limit changes to one that fits.
    virtual void shrink_to(std::size_t /*limit*/) {}

    // ---- files ----

    // Links a node of a file that is not a child of its parent. Throws std::invalid_argument, which
    // `where` begins, if there are no such nodes.
    virtual void restore_link(std::int32_t node, const std::string& where);

private:
    Traits traits_;
};

}  // namespace riparian
