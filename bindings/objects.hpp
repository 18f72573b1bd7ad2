// Objects with a state that the user wrote in Python, as the core calls them.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "../core/drift/custom.hpp"
#include "../core/leaf/custom.hpp"

// Accepts a riparian.drift.own.OwnDetector, which makes, updates and saves the objects of
// the user and checks what they return.
std::shared_ptr<const riparian::DetectorObject> detector_object(nanobind::object);
// Accepts a riparian.policies.own_leaf.LeafAdapter.
std::shared_ptr<const riparian::LeafObject> leaf_object(nanobind::object);
