// How lists by class grow.
#pragma once

#include <cstddef>

namespace riparian {

// Room for what is kept for each of so many classes: exactly as much while they are few, then a
// quarter more at a time, so that not every new class copies all others.
[[nodiscard]] constexpr std::size_t room_for_parts(std::size_t classes) noexcept {
    std::size_t room = classes < 64 ? classes : 64;
    while (room < classes) room += room / 4;
    return room;
}

}  // namespace riparian
