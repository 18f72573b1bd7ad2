// Impurities, bounds and window lengths that the user wrote in Python, as the core calls them.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "../core/bound/custom.hpp"
#include "../core/impurity/custom.hpp"
#include "../core/adaptation/window.hpp"

// Both accept functions that check what comes back (src/riparian/callables.py): counts of
// shape (candidates, branches, classes) to impurities of shape (candidates, branches), and
// eight numbers to one.
std::shared_ptr<const riparian::ImpurityFunction> impurity_function(nanobind::object);
std::shared_ptr<const riparian::BoundFunction> bound_function(nanobind::object);
// Takes what a check of all splits found, gives a number of examples; 0: no other than before.
std::shared_ptr<const riparian::WindowFunction> window_function(nanobind::object);
