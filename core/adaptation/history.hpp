// The certificates of splits that a tree no longer has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../check/decision.hpp"
#include "../growth/change.hpp"
#include "../growth/snapshot.hpp"
#include "../growth/state.hpp"
#include "../memory/account.hpp"

namespace riparian {

// A split that was replaced, pruned or moved. Of the cuts that lost, the runner-up is kept.
struct FormerSplit {
    Split split;  // `node`: none; `rivals`: 1 if there is a runner-up
    Cut cut;
    Rival second;
    std::int32_t depth;
    std::uint64_t until;  // examples learned by the tree when the split went
};

// The last of them, in the order in which they went.
class History {
public:
    static constexpr std::size_t most = 500;

    [[nodiscard]] const Held<FormerSplit>& splits() const noexcept { return splits_; }
    // How many are kept under a memory limit: they take at most a thirty-second part of it.
    [[nodiscard]] static std::size_t most_in(std::size_t bytes) noexcept {
        return std::min(most, bytes / (32 * sizeof(FormerSplit)));
    }
    // Bytes that one more takes.
    [[nodiscard]] std::size_t growth() const noexcept {
        return growth_in_bytes(splits_, 1, sizeof(FormerSplit));
    }
    [[nodiscard]] std::size_t copy_bytes() const noexcept {
        return bytes_of_copy(splits_, sizeof(FormerSplit));
    }
    // Adds one, and forgets the oldest until at most `room` are left.
    void add(const FormerSplit&, std::size_t room);

    void save(Snapshot&) const;
    // Throws std::invalid_argument unless these are splits that the tree may have had.
    void restore(const GrowthState&, const Snapshot&);

private:
    Held<FormerSplit> splits_;
};

}  // namespace riparian
