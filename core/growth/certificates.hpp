// The evidence of every split, in the order in which the splits were made.
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
    // Cuts that lost, of each split, that are kept.
    [[nodiscard]] static std::size_t most_rivals(const Settings& settings) noexcept {
        return settings.lean ? 1 : Ranking::most - 1;
    }

    [[nodiscard]] const Held<Split>& splits() const noexcept { return splits_; }
    // The rivals of all splits, one after the other.
    [[nodiscard]] const Held<Rival>& rivals() const noexcept { return rivals_; }

    void add(const Split& split) {
        make_room(splits_);
        splits_.push_back(split);
    }
    // Adds a rival of the split that is added next.
    void add_rival(const Rival& rival) {
        make_room(rivals_);
        rivals_.push_back(rival);
    }
    // Adds a split among the others, by its time.
    void insert(const Split&, const Rival* rivals);
    void forget(std::int32_t node);
    // The split of a node becomes that of another node; none: of no node.
    void rename(std::int32_t from, std::int32_t to) noexcept;
    // Drops the splits of nodes that are gone. `ids`: the new id of each node, or none.
    void compact(const std::vector<std::int32_t>& ids);

    // Bytes that this many splits take, with this many rivals each.
    [[nodiscard]] std::size_t growth(std::size_t splits, std::size_t rivals) const noexcept {
        return growth_in_bytes(splits_, splits, sizeof(Split)) +
               growth_in_bytes(rivals_, splits * rivals, sizeof(Rival));
    }
    [[nodiscard]] std::size_t copy_bytes() const noexcept {
        return std::max(bytes_of_copy(splits_, sizeof(Split)),
                        bytes_of_copy(rivals_, sizeof(Rival)));
    }

    void save(Snapshot&) const;

private:
    Held<Split> splits_;
    Held<Rival> rivals_;
};

}  // namespace riparian
