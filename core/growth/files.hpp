// A growing tree as arrays, and back.
//
// Each function that restores or demands throws std::invalid_argument, naming what is wrong, unless the
// arrays are those of a tree that learning could have made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "growth.hpp"
#include "snapshot.hpp"

namespace riparian {

struct Sizes;
struct Where;

void save(const Growth&, Snapshot&);
// Restores all but the adaptation and the memory limit, into a tree that has learned nothing.
void restore(Growth&, const Snapshot&, const Sizes&);
// What the leaves keep, once the nodes are restored; part of restore().
void restore_leaves(Growth&, const Snapshot&);
// Sets the memory limit, which comes last: what was below the limit is below it again.
void restore_limit(Growth&, const Snapshot&, std::size_t max_bytes);

// `where` begins the error. An example must be one that was learned before.
void demand_example(const GrowthState&, const Row&, std::int32_t label, double w,
                    const Where& where);
void demand_split(const GrowthState&, const Split&, Test, const Where& where);
[[nodiscard]] Rival demand_rival(const GrowthState&, const Snapshot&, std::uint8_t test,
                                 std::int32_t feature, double threshold, std::int32_t category,
                                 double gain, const Where& where);

}  // namespace riparian
