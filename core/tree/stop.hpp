// Stopping a long call between two rows.
#pragma once

#include <chrono>
#include <exception>

namespace riparian {

// Thrown between two rows. The rows before it were learned, and the model is whole.
struct Stopped : std::exception {
    [[nodiscard]] const char* what() const noexcept override { return "stopped between two rows"; }
};

// The wish of a caller to end a call early. Only the thread that made the call uses it.
class Stop {
public:
    Stop() = default;
    Stop(const Stop&) = delete;
    Stop& operator=(const Stop&) = delete;
    virtual ~Stop() = default;

    // Throws Stopped if the call is to end. It is cheap enough for every block of rows.
    void poll() {
        const auto now = Clock::now();
        if (now - last_ < interval) return;
        last_ = now;
        if (wanted()) throw Stopped();
    }

protected:
    [[nodiscard]] virtual bool wanted() = 0;

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds interval{50};

    Clock::time_point last_ = Clock::now();
};

// A null pointer never ends a call.
inline void poll(Stop* stop) {
    if (stop) stop->poll();
}

}  // namespace riparian
