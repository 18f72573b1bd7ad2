// Ctrl-C during a call that takes long.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <utility>

#include "../core/tree/stop.hpp"

// An interrupt that came while a function of the user was running, to be raised once the row that
// called it is finished.
inline std::optional<nanobind::python_error>& interrupt_to_come() {
    thread_local std::optional<nanobind::python_error> error;
    return error;
}

inline void raise_interrupt_to_come() {
    if (!interrupt_to_come()) return;
    nanobind::python_error error = std::move(*interrupt_to_come());
    interrupt_to_come().reset();
    throw error;
}

// Python runs its handlers of signals in the main thread alone.
bool in_main_thread() noexcept;
void set_main_thread(unsigned long ident) noexcept;

class Signals final : public riparian::Stop {
public:
    [[nodiscard]] nanobind::python_error& error() { return *error_; }

protected:
    bool wanted() override {
        const nanobind::gil_scoped_acquire held;
        if (interrupt_to_come()) {
            error_.emplace(std::move(*interrupt_to_come()));
            interrupt_to_come().reset();
        } else if (PyErr_CheckSignals() != 0) {
            error_.emplace();
        }
        return error_.has_value();
    }

private:
    std::optional<nanobind::python_error> error_;
};

// Makes a call without the interpreter. What a signal raises ends it between two rows.
template <class Call>
void without_interpreter_until_signal(bool may_take_long, const Call& call) {
    if (!may_take_long || !in_main_thread()) {
        {
            const nanobind::gil_scoped_release free;
            call(nullptr);
        }
        raise_interrupt_to_come();
        return;
    }
    Signals signals;
    try {
        const nanobind::gil_scoped_release free;
        call(&signals);
    } catch (const riparian::Stopped&) {
        throw std::move(signals.error());
    }
    raise_interrupt_to_come();
}
