// The extension module `riparian._core`: no logic, no defaults, no prose.
#include <nanobind/nanobind.h>

#include "arrow.hpp"
#include "parts.hpp"

NB_MODULE(_core, m) {
    // A test runner that keeps tracebacks alive at exit is no leak of ours.
    nanobind::set_leak_warnings(false);
    bind_axes(m);
    bind_batch(m);
    bind_batch_trees(m);
    bind_engine(m);
    bind_encoding(m);
    bind_arrow(m);
    bind_drift(m);
    bind_forest(m);
    bind_chunks(m);
    bind_gradient(m);
    bind_kafka(m);
    bind_lab(m);
    bind_pairs(m);
    bind_policies(m);
    bind_process(m);
    bind_restructuring(m);
    bind_summary(m);
}
