// Arrays of a snapshot, to Python and back.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "../core/growth/snapshot.hpp"
#include "../core/tree/tree.hpp"
#include "arrays.hpp"

// Reads arrays by name, and counts them: what was not read is unknown.
class ArrayReader {
public:
    ArrayReader(const nanobind::dict& arrays, std::string prefix)
        : arrays_(arrays), prefix_(std::move(prefix)) {}

    [[nodiscard]] bool has(const char* name) const {
        return arrays_.contains((prefix_ + name).c_str());
    }
    template <class T>
    void operator()(const char* name, std::vector<T>& values) {
        const std::string full = prefix_ + name;
        if (!arrays_.contains(full.c_str())) {
            throw std::invalid_argument("the array " + full + " is absent");
        }
        VectorIn<T> array;
        if (!nanobind::try_cast(arrays_[full.c_str()], array, false)) {
            throw std::invalid_argument("the array " + full + " has another type");
        }
        values.assign(array.data(), array.data() + array.shape(0));
        ++read_;
    }
    [[nodiscard]] std::size_t read() const noexcept { return read_; }

private:
    nanobind::dict arrays_;
    std::string prefix_;
    std::size_t read_ = 0;
};

riparian::Snapshot read_snapshot(ArrayReader&, const riparian::TreeSettings&);
void write_snapshot(riparian::Snapshot, const std::string& prefix, nanobind::dict& out);
