// A lock for many readers or one writer, in turn.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace riparian {

// With std::shared_mutex alone, a stream of readers may keep the writer out for ever. Here every thread
// passes a gate first, so a waiting writer stops new readers.
class Turnstile {
public:
    // A thread that holds an outer turnstile may wait for inner ones, never the other way round.
    enum class Level { outer, inner };

    explicit Turnstile(Level = Level::inner);
    ~Turnstile();
    Turnstile(const Turnstile&) = delete;
    Turnstile& operator=(const Turnstile&) = delete;

    [[nodiscard]] std::shared_lock<std::shared_mutex> reading() {
        const std::lock_guard gate(gate_);
        return std::shared_lock(room_);
    }
    [[nodiscard]] std::unique_lock<std::shared_mutex> writing() {
        const std::lock_guard gate(gate_);
        return std::unique_lock(room_);
    }

    // Whether another thread waits for the room. To be called by the thread that is inside. A thread that
    // waits for the room holds the gate.
    [[nodiscard]] bool awaited() noexcept {
        if (!gate_.try_lock()) return true;
        gate_.unlock();
        return false;
    }

    // A process forks: before it, every turnstile is closed, so that no model is copied in the
    // middle of a row; after it, in parent and child, they are opened. A thread that forks while it
    // learns, from a function of the user, holds one itself: closing gives up after some seconds,
    // and the fork goes on without.
    static void close_all();
    static void open_all() noexcept;
    // In the child no other thread is left to finish what it was doing with a lock, such as
    // unlocking it. So the locks that were closed are replaced by new ones.
    static void open_all_in_child() noexcept;

private:
    [[nodiscard]] bool close() noexcept;
    [[nodiscard]] static bool close_listed() noexcept;
    template <class Open>
    static void each_listed(const Open&) noexcept;

    std::mutex gate_;
    std::shared_mutex room_;
    const Level level_;
    Turnstile* next_ = nullptr;
    Turnstile* previous_ = nullptr;
    bool gate_closed_ = false, closed_ = false;
};

// The locks of a call that reads block by block: one for each block, so that a learner may come in
// between, or one for all of them, so that all blocks read one state.
class BlockLocks {
public:
    BlockLocks(Turnstile& turnstile, bool one_state) : turnstile_(turnstile) {
        if (one_state) whole_ = turnstile_.reading();
    }
    // A lock to be held during a block. A thread that holds the lock for all blocks must not wait at the
    // gate again: a writer that waits there would never get in.
    [[nodiscard]] std::shared_lock<std::shared_mutex> of_block() const {
        return whole_.owns_lock() ? std::shared_lock<std::shared_mutex>() : turnstile_.reading();
    }

private:
    Turnstile& turnstile_;
    std::shared_lock<std::shared_mutex> whole_;
};

}  // namespace riparian
