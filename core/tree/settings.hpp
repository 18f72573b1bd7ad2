// One value on each axis: the whole definition of a streaming tree.
#pragma once

#include "../adaptation/any.hpp"
#include "../settings.hpp"

namespace riparian {

struct TreeSettings : Settings {
    AnyAdaptation adaptation;
};

}  // namespace riparian
