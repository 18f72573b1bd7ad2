// Memory that is set aside, so that a change that has begun can be finished when there is no more.
//
// A row changes many places of a model, and each of them may need memory. Rather than undo what was
// changed, the row is finished: an allocation that fails gives the reserve back to the system and is
// tried again. Whoever learns then stops after that row and reports std::bad_alloc.
//
// The reserve is never written to, so on the usual systems it takes addresses and no memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace riparian {

class Reserve {
public:
    Reserve() = default;
    Reserve(const Reserve&) = delete;
    Reserve& operator=(const Reserve&) = delete;
    ~Reserve();

    // Sets this much aside, before a change begins. Throws std::bad_alloc if it cannot be had.
    void hold(std::size_t bytes) {
        if (bytes > bytes_.load(std::memory_order_relaxed) || used()) refill(bytes);
    }
    // Whether it was given back since it was last held.
    [[nodiscard]] bool used() const noexcept {
        return used_.load(std::memory_order_relaxed);
    }

private:
    friend class Section;
    friend void on_failed_allocation();

    void refill(std::size_t bytes);
    // False: there is nothing left to give.
    bool give_back() noexcept;
    bool drop() noexcept;

    std::atomic<void*> block_{nullptr};
    std::atomic<bool> used_{false};
    std::atomic<std::uint32_t> times_{0};  // that it was given back
    std::atomic<std::size_t> bytes_{0};
};

// What all reserves hold, in bytes.
[[nodiscard]] std::size_t reserved_bytes() noexcept;

// While it lives, allocations of this thread that fail draw on the reserve. A section inside another
// one draws on the reserve of the outer one.
class Section {
public:
    // Holds the reserve first, unless this is an inner section.
    Section(Reserve&, std::size_t bytes);
    // For a thread that works on a change for which another thread holds the reserve.
    explicit Section(Reserve&) noexcept;
    ~Section();
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

private:
    bool outer_;
};

}  // namespace riparian
