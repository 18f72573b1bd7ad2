// Many readers or one writer, in turn.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace riparian {

// std::shared_mutex alone may let a stream of readers keep the writer out for
// ever. Everyone passes the gate first, so a waiting writer stops new readers.
class Turnstile {
public:
    [[nodiscard]] std::shared_lock<std::shared_mutex> reading() {
        const std::lock_guard gate(gate_);
        return std::shared_lock(room_);
    }
    [[nodiscard]] std::unique_lock<std::shared_mutex> writing() {
        const std::lock_guard gate(gate_);
        return std::unique_lock(room_);
    }

private:
    std::mutex gate_;
    std::shared_mutex room_;
};

}  // namespace riparian
