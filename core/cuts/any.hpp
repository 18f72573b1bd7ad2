// The one list of numeric cut rules. A new one is a file and a place here.
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
