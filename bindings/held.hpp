// Python objects that the core holds.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

// Python objects must be destroyed with the interpreter held, whichever thread drops the last tree.
class HeldPython {
public:
    explicit HeldPython(nanobind::object object) : object_(std::move(object)) {}
    HeldPython(const HeldPython&) = delete;
    HeldPython& operator=(const HeldPython&) = delete;
    ~HeldPython() {
        const nanobind::gil_scoped_acquire held;
        object_.reset();
    }
    [[nodiscard]] const nanobind::object& get() const { return object_; }

private:
    nanobind::object object_;
};
