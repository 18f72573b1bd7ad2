// Which cuts race against each other at a leaf, and when.
#pragma once

#include "../bound/race.hpp"
#include "../settings.hpp"
#include "../statistics/waiting_check.hpp"

namespace riparian {

// After a check that waits: begins a race if none runs, or if the one that runs is stale and another cut
// should lead. The statistics nominate a cut for each feature. The best one leads, by the gains that were
// counted in the race before, where there was one. All of this depends on rows that have passed.
void next_race(const Settings&, WaitingCheck&, Race&);

}  // namespace riparian
