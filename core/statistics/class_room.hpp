// How lists by class grow.
#pragma once

#include <cstddef>

namespace riparian {

// The capacity for the parts of this many classes. It is exact while they are few, then grows by a
// quarter, so that not every new class copies all others.
[[nodiscard]] constexpr std::size_t room_for_parts(std::size_t classes) noexcept {
    std::size_t room = classes < 64 ? classes : 64;
    while (room < classes) room += room / 4;
    return room;
}

}  // namespace riparian
