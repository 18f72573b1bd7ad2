#pragma once

#include <memory>

#include "bound.hpp"

namespace riparian {

// A bound that the user wrote. The core does not know Python, so the caller passes an object with
// this interface. half_width() may throw.
class BoundFunction {
public:
    virtual ~BoundFunction() = default;
    [[nodiscard]] virtual double half_width(const Evidence&) const = 0;
};

struct CustomBound {
    static constexpr std::string_view name = "custom";
    static constexpr bool needs_variance = true;
    std::shared_ptr<const BoundFunction> function;

    [[nodiscard]] double half_width(const Evidence& e) const { return function->half_width(e); }

    bool operator==(const CustomBound&) const = default;
};

}  // namespace riparian
