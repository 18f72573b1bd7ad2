// Ctrl-C during a call that takes long.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <utility>

#include "../core/tree/stop.hpp"

// An interrupt that came while a function of the user was running. It is raised once the row that
// called the function is finished.
struct DeferredInterrupt {
    bool allowed = false;  // the call that is running will raise it
    std::optional<nanobind::python_error> error;
};

inline DeferredInterrupt& deferred_interrupt() {
    thread_local DeferredInterrupt deferred;
    return deferred;
}

// While it lives, interrupts of this thread can be deferred. None outlives it.
class DeferringInterrupts {
public:
    DeferringInterrupts() : outer_(std::exchange(deferred_interrupt().allowed, true)) {}
    DeferringInterrupts(const DeferringInterrupts&) = delete;
    DeferringInterrupts& operator=(const DeferringInterrupts&) = delete;
    ~DeferringInterrupts() {
        deferred_interrupt().allowed = outer_;
        if (!outer_) deferred_interrupt().error.reset();
    }

    static void raise() {
        std::optional<nanobind::python_error>& waiting = deferred_interrupt().error;
        if (!waiting) return;
        nanobind::python_error error = std::move(*waiting);
        waiting.reset();
        throw error;
    }

private:
    bool outer_;
};

// Python runs its handlers of signals in the main thread alone.
bool in_main_thread() noexcept;
void set_main_thread(unsigned long ident) noexcept;

class Signals final : public riparian::Stop {
public:
    [[nodiscard]] nanobind::python_error& error() { return *error_; }

protected:
    bool wanted() override {
        const nanobind::gil_scoped_acquire held;
        std::optional<nanobind::python_error>& waiting = deferred_interrupt().error;
        if (waiting) {
            error_.emplace(std::move(*waiting));
            waiting.reset();
        } else if (PyErr_CheckSignals() != 0) {
            error_.emplace();
        }
        return error_.has_value();
    }

private:
    std::optional<nanobind::python_error> error_;
};

// Makes a call without the interpreter. What a signal raises ends it between two rows. An interrupt
// that was deferred is raised also where the call fails for another reason.
template <class Call>
void without_interpreter_until_signal(bool may_take_long, const Call& call) {
    const DeferringInterrupts deferring;
    std::optional<Signals> signals;
    if (may_take_long && in_main_thread()) signals.emplace();
    try {
        const nanobind::gil_scoped_release free;
        call(signals ? &*signals : nullptr);
    } catch (const riparian::Stopped&) {
        throw std::move(signals->error());
    } catch (...) {
        deferring.raise();
        throw;
    }
    deferring.raise();
}
