// Below a memory limit: how much statistics may take, and which leaves keep them
// [domingos2000, sec. 3].
//
// The promise of a leaf, p_l e_l, bounds the error that refining it can remove: the weight
// that its majority class does not explain. The most promising leaves keep statistics, as
// many as fit; the others go on counting classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leaves.hpp"

namespace riparian {

class Limit {
public:
    // What a tree may hold, and what it holds: for good, and as statistics.
    struct Usage {
        std::size_t limit, lasting, statistics;

        [[nodiscard]] bool limited() const noexcept { return limit != SIZE_MAX; }
    };

    // The most bytes that may last. `memory` of them do not grow with the tree. The rest of the limit is
    // left to statistics, or every leaf would be inactive in the end. `parts`: how many trees share what
    // may last.
    [[nodiscard]] static std::size_t most_lasting(std::size_t limit, std::size_t memory,
                                                  std::size_t parts) noexcept;

    // Bytes that are kept free for the copy of the largest list while it grows.
    [[nodiscard]] std::size_t spare() const noexcept { return spare_; }
    void set_spare(std::size_t bytes) noexcept { spare_ = bytes; }

    [[nodiscard]] std::size_t free_bytes(const Usage&) const noexcept;
    // Whether this many more bytes exceed the limit.
    [[nodiscard]] bool over(const Usage& now, std::size_t more) const noexcept {
        return now.lasting + now.statistics + spare_ + more > now.limit;
    }

    // A node that can use statistics.
    struct Candidate {
        double key;  // the promise; an active leaf has an advantage
        std::int32_t node;
        std::size_t place;

        Candidate(double promise, const NodeRecord&, std::size_t place) noexcept;
        bool operator<(const Candidate& other) const noexcept {
            return key != other.key ? key > other.key : node < other.node;
        }
    };
    // The most promising candidates are to have statistics, as many as fit with `need` bytes
    // more; the others lose them. `size`: the bytes of an active leaf. `keep` needs its statistics now.
    // Returns the places of those that are to become active, in this order.
    [[nodiscard]] std::vector<std::size_t> rank(Leaves&, std::vector<Candidate>, const Usage&,
                                                std::size_t size, std::size_t need,
                                                std::int32_t keep, std::uint64_t seen);
    // Whether an inactive leaf with this promise is a reason to rank. Ranking visits every leaf, so it
    // waits until each had a row, on average.
    [[nodiscard]] bool too_soon(std::uint64_t seen, std::size_t leaves) const noexcept {
        return seen - ranked_at_ < leaves;
    }
    [[nodiscard]] bool promising(const Usage&, double promise) const noexcept;

    // State of the ranking, for files.
    [[nodiscard]] std::uint64_t ranked_at() const noexcept { return ranked_at_; }
    [[nodiscard]] double least_promise() const noexcept { return least_promise_; }
    void restore(std::uint64_t ranked_at, double least_promise) noexcept {
        ranked_at_ = ranked_at;
        least_promise_ = least_promise;
    }

private:
    std::size_t spare_ = 0;
    std::uint64_t ranked_at_ = 0;  // examples seen when leaves were last ranked
    double least_promise_ = 0.0;   // of those that were active after it
};

}  // namespace riparian
