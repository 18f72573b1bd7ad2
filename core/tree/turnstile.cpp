#include "turnstile.hpp"

#include <array>
#include <chrono>
#include <new>
#include <thread>

namespace riparian {
namespace {

using Clock = std::chrono::steady_clock;

// Long enough for any block of rows.
constexpr std::chrono::seconds patience{5};

std::mutex listing;
std::array<Turnstile*, 2> lists{};  // [level]
thread_local bool holds_listing = false;

}  // namespace

Turnstile::Turnstile(Level level) : level_(level) {
    const std::lock_guard lock(listing);
    Turnstile*& first = lists[static_cast<std::size_t>(level_)];
    next_ = first;
    if (first) first->previous_ = this;
    first = this;
}

Turnstile::~Turnstile() {
    const std::lock_guard lock(listing);
    if (next_) next_->previous_ = previous_;
    if (previous_) previous_->next_ = next_;
    else lists[static_cast<std::size_t>(level_)] = next_;
}

bool Turnstile::close() noexcept {
    if (closed_) return true;
    // New readers wait until those that hold the lock release it.
    if (!gate_closed_) gate_closed_ = gate_.try_lock();
    return closed_ = gate_closed_ && room_.try_lock();
}

// Whether all turnstiles are closed. A thread that holds an outer one may still wait for inner ones.
bool Turnstile::close_listed() noexcept {
    for (Turnstile* const first : lists) {
        bool closed = true;
        for (Turnstile* t = first; t; t = t->next_) closed &= t->close();
        if (!closed) return false;
    }
    return true;
}

template <class Open>
void Turnstile::each_listed(const Open& open) noexcept {
    for (Turnstile* const first : lists) {
        for (Turnstile* t = first; t; t = t->next_) {
            open(*t);
            t->closed_ = t->gate_closed_ = false;
        }
    }
    holds_listing = false;
}

void Turnstile::close_all() {
    const auto deadline = Clock::now() + patience;
    listing.lock();
    while (!close_listed() && Clock::now() < deadline) {
        // A thread that holds the lock may have to make or discard a tree before it releases it.
        listing.unlock();
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        listing.lock();
    }
    holds_listing = true;
}

void Turnstile::open_all() noexcept {
    if (!holds_listing) return;
    each_listed([](Turnstile& t) {
        if (t.closed_) t.room_.unlock();
        if (t.gate_closed_) t.gate_.unlock();
    });
    listing.unlock();
}

void Turnstile::open_all_in_child() noexcept {
    if (!holds_listing) return;
    each_listed([](Turnstile& t) {
        if (t.closed_) new (&t.room_) std::shared_mutex;
        if (t.gate_closed_) new (&t.gate_) std::mutex;
    });
    new (&listing) std::mutex;
}

}  // namespace riparian
