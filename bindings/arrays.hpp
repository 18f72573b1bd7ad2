// NumPy arrays that own their C++ memory.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <utility>
#include <vector>

template <class T>
using Vector = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;
template <class T>
using Matrix = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>>;
// Read without a copy; another type or layout is refused, not converted.
template <class T>
using VectorIn =
    nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// A list as a vector. nanobind's own conversion ends the program where there is no memory for it.
template <class T>
std::vector<T> vector_of(nanobind::handle values) {
    const auto list = nanobind::cast<nanobind::list>(values);
    std::vector<T> out;
    out.reserve(nanobind::len(list));
    for (const nanobind::handle value : list) out.push_back(nanobind::cast<T>(value));
    return out;
}

template <class Array, class T>
Array owned(std::vector<T> values, std::initializer_list<std::size_t> shape) {
    auto* const memory = new std::vector<T>(std::move(values));
    const nanobind::capsule owner(memory,
                                  [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array(memory->data(), shape, owner);
}

template <class T>
Vector<T> owned(std::vector<T> values) {
    const std::size_t n = values.size();
    return owned<Vector<T>>(std::move(values), {n});
}
