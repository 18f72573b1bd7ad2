// The one list of numeric cut rules. A new one is a file and a place here.
#pragma once

#include <variant>

#include "bins.hpp"

namespace riparian {

using AnyCuts = std::variant<Bins>;

}  // namespace riparian
