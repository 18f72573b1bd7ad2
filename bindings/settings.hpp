// The parameters of a tree, checked before (src/riparian/settings.py), as the core has them.
#pragma once

#include <nanobind/nanobind.h>

#include "../core/tree/settings.hpp"

riparian::Subspace subspace_of(const nanobind::handle&);
riparian::TreeSettings settings_of(const nanobind::dict&);
