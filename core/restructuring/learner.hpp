// An engine that knows no limit in bytes and no costs; what it holds is bounded by its examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace riparian::restructuring {

struct Unlimited {
    [[nodiscard]] std::size_t max_bytes() const noexcept { return SIZE_MAX; }
    [[nodiscard]] std::size_t least_bytes() const noexcept { return 0; }
    [[nodiscard]] bool surely_fits(std::size_t, std::size_t) const noexcept { return true; }
    void set_max_bytes(std::size_t) { throw std::invalid_argument("there is no limit in bytes"); }
    void set_costs(const double*, std::size_t) { throw std::invalid_argument("there are no costs"); }
};

}  // namespace riparian::restructuring
