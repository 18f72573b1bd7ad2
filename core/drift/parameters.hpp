// Errors for wrong parameters, which name the parameter, the rule and the value.
#pragma once

#include <sstream>
#include <stdexcept>

#include "../policy.hpp"

namespace riparian {

template <class T>
void require_parameter(bool holds, const char* name, const char* rule, T value) {
    if (holds) return;
    std::ostringstream message;
    message << name << " must be " << rule << ", got " << value;
    throw std::invalid_argument(message.str());
}

inline void require_order(const char* name, double value, const char* other, double least) {
    if (value >= least) return;
    std::ostringstream rule;
    rule << "at least " << other << " = " << least;
    require_parameter(false, name, rule.str().c_str(), value);
}

struct RequireDeclared {
    template <class T>
    void operator()(const char* name, const T& value, const Range& range, const char*) const {
        const auto number = static_cast<double>(value);
        if (number >= range.least && number <= range.most) return;
        std::ostringstream rule;
        rule.precision(15);
        rule << "from " << range.least << " to " << range.most;
        require_parameter(false, name, rule.str().c_str(), value);
    }
    void operator()(const char* name, double value, Probability, const char*) const {
        require_parameter(value >= 1e-300 && value < 1.0, name, "a probability between 0 and 1",
                          value);
    }
    template <class T, class Rule>
    void operator()(const char*, const T&, const Rule&, const char*) const {}
};

// Checks every parameter against its declaration.
template <class Parameters>
void require_declared(const Parameters& p) {
    Parameters::each_parameter(p, RequireDeclared{});
}

}  // namespace riparian
