// The list of all rules for numeric cuts. A new rule is a new file and an entry here.
#pragma once

#include <variant>

#include "bins.hpp"
#include "combined.hpp"
#include "delayed.hpp"
#include "intersections.hpp"
#include "qda.hpp"

namespace riparian {

using AnyCuts = std::variant<Bins, Intersections, Delayed, Combined, Qda>;

}  // namespace riparian
