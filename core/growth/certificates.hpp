// The evidence of every split, in the order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../check/decision.hpp"
#include "../memory/account.hpp"
#include "snapshot.hpp"

namespace riparian {

class Certificates {
public:
    [[nodiscard]] const Held<Split>& splits() const noexcept { return splits_; }
    // Of all splits, one after the other.
    [[nodiscard]] const Held<Rival>& rivals() const noexcept { return rivals_; }

    void add(const Split& split) {
        make_room(splits_);
        splits_.push_back(split);
    }
    // Of the split that is added next.
    void add_rival(const Rival& rival) {
        make_room(rivals_);
        rivals_.push_back(rival);
    }
    // Among the others by the time of the split.
    void insert(const Split&, const Rival* rivals);
    void forget(std::int32_t node);
    // The split of a node is one of another node now; none: of no node.
    void rename(std::int32_t from, std::int32_t to) noexcept;
    // Those of nodes that go are given up. `ids`: what becomes of each node.
    void compact(const std::vector<std::int32_t>& ids);

    // Bytes that so many splits take, with this many rivals each.
    [[nodiscard]] std::size_t growth(std::size_t splits, std::size_t rivals) const noexcept {
        return growth_in_bytes(splits_, splits, sizeof(Split)) +
               growth_in_bytes(rivals_, splits * rivals, sizeof(Rival));
    }
    [[nodiscard]] std::size_t copy_bytes() const noexcept {
        return std::max(bytes_of_copy(splits_, sizeof(Split)), bytes_of_copy(rivals_, sizeof(Rival)));
    }

    void save(Snapshot&) const;

private:
    Held<Split> splits_;
    Held<Rival> rivals_;
};

}  // namespace riparian
