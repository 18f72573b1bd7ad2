#include "hooks.hpp"

#include "../demand.hpp"

namespace riparian {

void GrowthHooks::restore_link(std::int32_t, const std::string& where) {
    demand(false, where + "an unknown role");
}

}  // namespace riparian
