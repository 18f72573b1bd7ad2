// The parts of the extension module; module.cpp puts them together.
#pragma once

#include <nanobind/nanobind.h>

void bind_axes(nanobind::module_& m);
void bind_batch(nanobind::module_& m);
void bind_batch_trees(nanobind::module_& m);
void bind_chunks(nanobind::module_& m);
void bind_drift(nanobind::module_& m);
void bind_encoding(nanobind::module_& m);
void bind_engine(nanobind::module_& m);
void bind_forest(nanobind::module_& m);
void bind_gradient(nanobind::module_& m);
void bind_kafka(nanobind::module_& m);
void bind_lab(nanobind::module_& m);
void bind_pairs(nanobind::module_& m);
void bind_policies(nanobind::module_& m);
void bind_process(nanobind::module_& m);
void bind_restructuring(nanobind::module_& m);
void bind_summary(nanobind::module_& m);
