#include "reserve.hpp"

#include <mutex>
#include <new>

namespace riparian {
namespace {

thread_local Reserve* current = nullptr;
// How often the current reserve had been given back when this thread last checked.
thread_local std::uint32_t times_seen = 0;

std::mutex installing;
std::atomic<std::size_t> reserved{0};
std::new_handler other_handler = nullptr;

}  // namespace

// The standard library calls this if an allocation fails, and tries again when it returns.
void on_failed_allocation() {
    if (current && current->give_back()) return;
    std::new_handler other = nullptr;
    {
        const std::lock_guard lock(installing);
        other = other_handler;
    }
    if (!other) throw std::bad_alloc();
    other();
}

std::size_t reserved_bytes() noexcept { return reserved.load(); }

Reserve::~Reserve() { drop(); }

bool Reserve::drop() noexcept {
    void* const block = block_.exchange(nullptr);
    if (!block) return false;
    reserved -= bytes_.load();
    ::operator delete(block);
    return true;
}

void Reserve::refill(std::size_t bytes) {
    {
        const std::lock_guard lock(installing);
        const std::new_handler installed = std::get_new_handler();
        if (installed != on_failed_allocation) {
            other_handler = installed;
            std::set_new_handler(on_failed_allocation);
        }
    }
    // Holds half as much again, so that a growing model rarely comes here; or just enough.
    std::size_t more = bytes + bytes / 2;
    void* fresh = ::operator new(more, std::nothrow);
    if (!fresh) {
        more = bytes;
        drop();
        bytes_ = 0;
        fresh = ::operator new(more, std::nothrow);
        if (!fresh) throw std::bad_alloc();
    }
    drop();
    bytes_ = more;
    reserved += more;
    block_ = fresh;
    used_ = false;
}

bool Reserve::give_back() noexcept {
    if (drop()) {
        used_ = true;
        times_seen = ++times_;
        return true;
    }
    // Another thread gave it back, so there may be memory now.
    const std::uint32_t times = times_.load();
    if (times_seen == times) return false;
    times_seen = times;
    return true;
}

Section::Section(Reserve& reserve, std::size_t bytes) : outer_(current == nullptr) {
    if (!outer_) return;
    reserve.hold(bytes);
    current = &reserve;
    times_seen = reserve.times_.load(std::memory_order_relaxed);
}

Section::Section(Reserve& reserve) noexcept : outer_(current == nullptr) {
    if (!outer_) return;
    current = &reserve;
    times_seen = reserve.times_.load(std::memory_order_relaxed);
}

Section::~Section() {
    if (outer_) current = nullptr;
}

}  // namespace riparian
