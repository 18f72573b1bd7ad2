#pragma once

#include <memory>

#include "impurity.hpp"

namespace riparian {

// An impurity that the user wrote. It is called once per check for all candidates and may throw.
class ImpurityFunction {
public:
    virtual ~ImpurityFunction() = default;
    // Computes the impurity of each branch of each candidate, from counts
    // [candidate][branch][class] to values [candidate][branch].
    virtual void impurities(const double* counts, std::size_t candidates, std::size_t branches,
                            std::size_t classes, double* values) const = 0;
    [[nodiscard]] virtual double gain_range(std::size_t classes) const = 0;
};

struct CustomImpurity {
    static constexpr std::string_view name = "custom";
    static constexpr Measure measure = Measure::custom;
    std::shared_ptr<const ImpurityFunction> function;

    [[nodiscard]] double gain_range(std::size_t classes) const {
        return function->gain_range(classes);
    }

    bool operator==(const CustomImpurity&) const = default;
};

static_assert(Impurity<CustomImpurity>);

}  // namespace riparian
