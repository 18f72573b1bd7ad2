// The one list of adaptations. A new one is its own files and a place here.
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

// Members of a forest draw different numbers, where their adaptation draws any.
inline void set_seed(AnyAdaptation& adaptation, std::uint64_t seed) noexcept {
    std::visit(
        [&](auto& a) {
            if constexpr (requires { a.seed; }) a.seed = seed;
        },
        adaptation);
}

}  // namespace riparian
