// The list of all adaptations. A new adaptation is its own files and an entry here.
#pragma once

#include <cstdint>
#include <variant>

#include "alternates.hpp"
#include "fixed.hpp"
#include "options.hpp"
#include "reevaluation.hpp"
#include "window.hpp"

namespace riparian {

using AnyAdaptation = std::variant<Fixed, Alternates, Window, Reevaluation, Options>;

// Gives the members of a forest different seeds, if their adaptation draws random numbers.
inline void set_seed(AnyAdaptation& adaptation, std::uint64_t seed) noexcept {
    std::visit(
        [&](auto& a) {
            if constexpr (requires { a.seed; }) a.seed = seed;
        },
        adaptation);
}

}  // namespace riparian
