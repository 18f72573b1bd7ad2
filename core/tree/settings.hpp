// One value on each axis: all that tells one streaming tree from another.
#pragma once

#include "../adaptation/any.hpp"
#include "../settings.hpp"

namespace riparian {

struct TreeSettings : Settings {
    AnyAdaptation adaptation;
};

}  // namespace riparian
