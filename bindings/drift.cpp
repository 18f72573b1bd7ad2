// The drift detectors, for riparian.drift.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "../core/drift/any.hpp"
#include "arrays.hpp"
#include "objects.hpp"
#include "parts.hpp"
#include "policies.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

AnyDetector detector_of(const std::string& name, const nb::dict& parameters) {
    return fresh(by_name<AnyDetector>(name).value(), SetParameters{parameters});
}

// The place of the first value that it must not get, or the number of values.
std::size_t first_wrong(DetectorInput what, const double* x, std::size_t n) noexcept {
    std::size_t i = 0;
    while (i < n && accepts(what, x[i])) ++i;
    return i;
}

}  // namespace

void bind_drift(nb::module_& m) {
    nb::class_<AnyDetector>(m, "Detector")
        .def(
            "__init__",
            [](AnyDetector* self, const std::string& name, const nb::dict& parameters) {
                new (self) AnyDetector(detector_of(name, parameters));
            },
            "name"_a, "parameters"_a,
            nb::sig("def __init__(self, name: str, parameters: dict[str, object]) -> None"))
        .def_static(
            "of_object",
            [](nb::object adapter) {
                return AnyDetector(CustomDetector({detector_object(std::move(adapter))}));
            },
            "adapter"_a, nb::sig("def of_object(adapter: object) -> Detector"))
        .def(
            "accepts", [](const AnyDetector& self, double x) { return accepts(input_of(self), x); },
            "x"_a)
        .def(
            "first_wrong",
            [](const AnyDetector& self, const VectorIn<double>& x) {
                return first_wrong(input_of(self), x.data(), x.shape(0));
            },
            "values"_a.noconvert())
        // A value that `accepts` refuses is not learned.
        .def(
            "update",
            [](AnyDetector& self, double x) {
                if (!accepts(input_of(self), x)) return false;
                update(self, x);
                return true;
            },
            "x"_a)
        // The signal at each value. Works on a copy: another thread sees it before or after.
        .def(
            "update_all",
            [](AnyDetector& self, const VectorIn<double>& x) {
                AnyDetector d = self;
                std::vector<std::uint8_t> signals(x.shape(0));
                {
                    const nb::gil_scoped_release released;
                    std::visit(
                        [&](auto& concrete) {
                            for (std::size_t i = 0; i < signals.size(); ++i) {
                                signals[i] =
                                    static_cast<std::uint8_t>(concrete.update(x.data()[i]));
                            }
                        },
                        d);
                }
                self = std::move(d);
                return owned(std::move(signals));
            },
            "values"_a.noconvert())
        .def("reset", [](AnyDetector& self) { std::visit([](auto& d) { d.reset(); }, self); })
        .def_prop_ro("signal",
                     [](const AnyDetector& self) {
                         return std::visit(
                             [](const auto& d) { return static_cast<int>(d.signal()); }, self);
                     })
        .def_prop_ro("estimate", [](const AnyDetector& self) { return estimate(self); })
        .def_prop_ro("width",
                     [](const AnyDetector& self) {
                         return std::visit([](const auto& d) { return d.width(); }, self);
                     })
        .def_prop_ro("bytes",
                     [](const AnyDetector& self) {
                         return std::visit([](const auto& d) { return d.bytes(); }, self);
                     })
        .def_prop_ro("variance",
                     [](const AnyDetector& self) { return std::get<Adwin>(self).variance(); })
        .def_prop_ro("shift", [](const AnyDetector& self) { return std::get<Adwin>(self).shift(); })
        .def("state",
             [](const AnyDetector& self) {
                 std::vector<double> out;
                 std::visit([&](const auto& d) { d.save(out); }, self);
                 return out;
             })
        .def(
            "restore",
            [](AnyDetector& self, const std::vector<double>& state) {
                std::span<const double> rest(state);
                AnyDetector d = restore(self, rest);
                if (!rest.empty())
                    throw std::invalid_argument("state of a detector: it is too long");
                self = std::move(d);
            },
            "state"_a);
}
