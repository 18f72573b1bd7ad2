// Frames through the Arrow PyCapsule interface: read_arrow and read_arrow_array.
#pragma once

#include <nanobind/nanobind.h>

void bind_arrow(nanobind::module_& m);
