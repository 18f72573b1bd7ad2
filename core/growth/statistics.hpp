// How the statistics of a node begin, and how they follow the schema.
#pragma once

#include <cstddef>

#include "state.hpp"

namespace riparian {

class Room;

// Gives a record its statistics and whatever the settings add to them. Where they do not fit the
// record stays inactive.
void open_statistics(GrowthState&, std::size_t place);
// The same for a leaf that was inactive: it starts over.
void activate(GrowthState&, std::size_t place);
// Lets active leaves draw their features again, from those of the first row.
void draw_first(GrowthState&);
// Begins the predictor of a leaf with what the predictor of its parent has learned.
void inherit(GrowthState&, std::size_t place, const PredictorState& of_parent);
// Moves all statistics to the shape of the tree, from the one before.
void reshape_statistics(GrowthState&, Room&, const Shape& from);
// The leaf no longer tracks these of its features.
// Frees what leaves hold of a categorical feature, as if all its values had been missing.
void leave_out_of_statistics(GrowthState&, std::size_t feature);
void drop_features(GrowthState&, Room&, std::size_t place, const Held<bool>& poor);

}  // namespace riparian
