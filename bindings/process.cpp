// What concerns the whole process: its main thread, and its forks.
#include <nanobind/nanobind.h>

#include <atomic>

#include "../core/memory/reserve.hpp"
#include "../core/tree/turnstile.hpp"
#include "interrupt.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

std::atomic<unsigned long> main_thread{0};

}  // namespace

bool in_main_thread() noexcept {
    return PyThread_get_thread_ident() == main_thread.load(std::memory_order_relaxed);
}

void set_main_thread(unsigned long ident) noexcept { main_thread = ident; }

void bind_process(nb::module_& m) {
    m.def("reserved_bytes", &riparian::reserved_bytes);
    m.def("set_main_thread", set_main_thread, "ident"_a);
    m.def("before_fork", &riparian::Turnstile::close_all, nb::call_guard<nb::gil_scoped_release>());
    m.def("after_fork_in_parent", &riparian::Turnstile::open_all);
    m.def("after_fork_in_child", &riparian::Turnstile::open_all_in_child);
}
