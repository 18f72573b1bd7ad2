#include "hooks.hpp"

#include "../demand.hpp"
#include "growth.hpp"

namespace riparian {

bool GrowthHooks::fits_in(std::size_t limit) const noexcept { return of_.lasting() <= limit; }

void GrowthHooks::restore_link(std::int32_t, const std::string& where) {
    demand(false, where + "an unknown role");
}

}  // namespace riparian
