#include "limit.hpp"

#include <algorithm>

namespace riparian {
namespace {

// The share of the limit that the structure may use.
constexpr std::size_t structure_share = 2;
// The share of the room for statistics that is free after a ranking, so that not every row ranks again.
constexpr std::size_t slack_share = 16;
// An inactive leaf must be better than an active one by this factor.
constexpr double advantage = 1.1;

}  // namespace

std::size_t Limit::most_lasting(std::size_t limit, std::size_t memory, std::size_t parts) noexcept {
    return memory + minus(limit, memory) / (structure_share * parts);
}

std::size_t Limit::free_bytes(const Usage& now) const noexcept {
    return minus(now.limit, now.lasting + now.statistics + spare_);
}

Limit::Candidate::Candidate(double promise, const NodeRecord& leaf, std::size_t at) noexcept
    : key(leaf.statistics.is_open() ? advantage * promise : promise), node(leaf.node), place(at) {}

std::vector<std::size_t> Limit::rank(Leaves& leaves, std::vector<Candidate> ranked,
                                     const Usage& now, std::size_t size, std::size_t need,
                                     std::int32_t keep, std::uint64_t seen) {
    const auto active = [&](const Candidate& c) { return leaves[c.place].statistics.is_open(); };
    const std::size_t room = minus(now.limit, now.lasting + spare_ + need);
    const std::size_t target = now.limited() ? room - room / slack_share : SIZE_MAX;
    size = std::max<std::size_t>(1, size);
    const std::size_t fit = std::min(ranked.size(), target / size);
    const auto last = ranked.begin() + static_cast<std::ptrdiff_t>(fit);
    std::nth_element(ranked.begin(), last, ranked.end());
    std::sort(ranked.begin(), last);
    for (auto r = last; r != ranked.end(); ++r) {
        if (r->node != keep && active(*r)) leaves.deactivate(r->place);
    }
    for (auto r = last; r != ranked.begin() && leaves.account().held > target;) {
        --r;
        if (r->node != keep && active(*r)) leaves.deactivate(r->place);
    }
    least_promise_ = fit > 0 && fit < ranked.size() ? (last - 1)->key : 0.0;
    ranked_at_ = seen;
    std::vector<std::size_t> places;
    std::size_t planned = leaves.account().held;
    for (auto r = ranked.begin(); r != last; ++r) {
        if (active(*r)) continue;
        if (planned > minus(target, size)) break;
        places.push_back(r->place);
        planned += size;
    }
    return places;
}

bool Limit::promising(const Usage& now, double promise) const noexcept {
    const std::size_t room = minus(now.limit, now.lasting + spare_);
    return free_bytes(now) > room * 2 / slack_share || promise > least_promise_;
}

}  // namespace riparian
