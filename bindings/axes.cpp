// The values of each axis, for the Python faces.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "../core/named.hpp"
#include "../core/simd/aligned.hpp"
#include "../core/simd/kernels.hpp"
#include "../core/tree/settings.hpp"
#include "arrays.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace riparian;

namespace {

template <class Variant>
std::vector<std::string> all_names() {
    std::vector<std::string> out;
    for (const std::string_view name : names(static_cast<const Variant*>(nullptr))) {
        out.emplace_back(name);
    }
    return out;
}

template <class Kernel>
Vector<double> mapped(const VectorIn<double>& in, Kernel kernel) {
    std::vector<double> out(in.shape(0));
    kernel(in.data(), in.shape(0), out.data());
    return owned(std::move(out));
}

}  // namespace

void bind_axes(nb::module_& m) {
    m.def("names", [](const std::string& axis) {
        if (axis == "impurity") return all_names<AnyImpurity>();
        if (axis == "bound") return all_names<AnyBound>();
        if (axis == "cuts") return all_names<AnyCuts>();
        if (axis == "leaf") return all_names<AnyLeaf>();
        throw std::invalid_argument("no such axis");
    }, "axis"_a);

    m.def("half_width", [](const std::string& bound, const VectorIn<double>& n, double gain_range,
                           double delta) {
        const AnyBound b = by_name<AnyBound>(bound).value();
        std::vector<double> out(n.shape(0));
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = half_width(b, {n.data()[i], gain_range, delta});
        }
        return owned(std::move(out));
    }, "bound"_a, "n"_a, "gain_range"_a, "delta"_a);

    m.def("gain_range", [](const std::string& impurity, std::size_t n_classes) {
        return std::visit([&](const auto& i) { return i.gain_range(n_classes); },
                          by_name<AnyImpurity>(impurity).value());
    }, "impurity"_a, "n_classes"_a);

    // Rows of counts to impurities: the kernel's branch masses over their weights.
    m.def("impurity", [](const std::string& name,
                         const nb::ndarray<const double, nb::ndim<2>, nb::c_contig,
                                           nb::device::cpu>& counts) {
        const AnyImpurity impurity = by_name<AnyImpurity>(name).value();
        const std::size_t rows = counts.shape(0), classes = counts.shape(1);
        AlignedDoubles scratch(8 * classes);
        std::vector<double> whole(classes, 0.0), mass(rows + 4), rest(rows + 4), weight(rows + 4);
        std::vector<std::vector<double>> columns(classes, std::vector<double>(rows + 4));
        std::vector<const double*> cells(classes);
        for (std::size_t k = 0; k < classes; ++k) {
            for (std::size_t r = 0; r < rows; ++r) columns[k][r] = counts.data()[r * classes + k];
            cells[k] = columns[k].data();
        }
        const CategoricalCheck check{cells.data(),   rows,        classes,     whole.data(),
                                     scratch.data(), mass.data(), rest.data(), weight.data()};
        std::visit([&](const auto& i) {
            kernels().categorical_masses[impurity.index()](&i, check);
        }, impurity);
        std::vector<double> out(rows);
        for (std::size_t i = 0; i < rows; ++i) out[i] = weight[i] > 0.0 ? mass[i] / weight[i] : 0.0;
        return owned(std::move(out));
    }, "impurity"_a, "counts"_a);

    m.def("normal_cdf", [](const VectorIn<double>& z) { return mapped(z, kernels().normal_cdf); },
          "z"_a);
    m.def("xlog2x", [](const VectorIn<double>& x) { return mapped(x, kernels().xlog2x); }, "x"_a);
    m.def("exponential",
          [](const VectorIn<double>& x) { return mapped(x, kernels().exponential); }, "x"_a);
    m.def("logarithm", [](const VectorIn<double>& x) { return mapped(x, kernels().logarithm); },
          "x"_a);

    m.def("instruction_set", [] { return std::string(kernels().name); });
    m.def("use_instruction_set", [](const std::string& name) {
        const Kernels* const k = kernels_named(name.c_str());
        if (k) use_kernels(*k);
        return k != nullptr;
    }, "name"_a);
}
