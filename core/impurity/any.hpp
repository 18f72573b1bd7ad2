// The one list of impurities. A new one is a file and a place here.
#pragma once

#include <variant>

#include "entropy.hpp"
#include "gini.hpp"

namespace riparian {

using AnyImpurity = std::variant<Entropy, Gini>;

}  // namespace riparian
