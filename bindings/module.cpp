// The extension module `riparian._core`: no logic, no defaults, no prose.
#include <nanobind/nanobind.h>

#include "arrow.hpp"
#include "parts.hpp"

NB_MODULE(_core, m) {
    bind_axes(m);
    bind_engine(m);
    bind_encoding(m);
    bind_arrow(m);
}
