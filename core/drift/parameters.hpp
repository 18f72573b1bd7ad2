// Refuses a parameter by name, rule and value.
#pragma once

#include <sstream>
#include <stdexcept>

namespace riparian {

template <class T>
void require_parameter(bool holds, const char* name, const char* rule, T value) {
    if (holds) return;
    std::ostringstream message;
    message << name << " must be " << rule << ", got " << value;
    throw std::invalid_argument(message.str());
}

inline void require_probability(const char* name, double value) {
    // Not so small that its inverse or its logarithm ends.
    require_parameter(value >= 1e-300 && value < 1.0, name, "a probability between 0 and 1",
                      value);
}

inline void require_from(const char* name, double value, double low, double high) {
    if (value >= low && value <= high) return;
    std::ostringstream rule;
    rule << "from " << low << " to " << high;
    require_parameter(false, name, rule.str().c_str(), value);
}

inline void require_order(const char* name, double value, const char* other, double least) {
    if (value >= least) return;
    std::ostringstream rule;
    rule << "at least " << other << " = " << least;
    require_parameter(false, name, rule.str().c_str(), value);
}

}  // namespace riparian
