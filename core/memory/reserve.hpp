// Memory that is held back, so that a change can be finished when memory runs out.
//
// A row changes many places of a model, and each of them may need memory. If an allocation fails in
// the middle of a row, nothing is undone: the reserve is returned to the system, the allocation is
// tried again, and the row is finished. Learning then stops after that row and reports
// std::bad_alloc.
//
// The reserve is never written to, so on most systems it uses addresses and no memory.
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

    // Holds this many bytes before a change begins. Throws std::bad_alloc if they are not
    // available.
    void hold(std::size_t bytes) {
        if (bytes > bytes_.load(std::memory_order_relaxed) || used()) refill(bytes);
    }
    // Whether it was given back since it was last held.
    [[nodiscard]] bool used() const noexcept { return used_.load(std::memory_order_relaxed); }

private:
    friend class Section;
    friend void on_failed_allocation();

    void refill(std::size_t bytes);
    // Returns false if there is nothing left to give back.
    bool give_back() noexcept;
    bool drop() noexcept;

    std::atomic<void*> block_{nullptr};
    std::atomic<bool> used_{false};
    std::atomic<std::uint32_t> times_{0};  // how often it was given back
    std::atomic<std::size_t> bytes_{0};
};

// The bytes that all reserves hold.
[[nodiscard]] std::size_t reserved_bytes() noexcept;

// While this object exists, failed allocations of this thread use the reserve. A section inside
// another one uses the reserve of the outer one.
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
