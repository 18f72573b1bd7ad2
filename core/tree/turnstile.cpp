#include "turnstile.hpp"

#include <array>
#include <chrono>
#include <new>
#include <thread>

namespace riparian {
namespace {

using Clock = std::chrono::steady_clock;

// Enough for any block of rows that is being learned.
constexpr std::chrono::seconds patience{5};

std::mutex listing;
std::array<Turnstile*, 2> lists{};  // [level]
thread_local bool holds_listing = false;
Clock::time_point deadline;

template <class Try>
bool within_patience(const Try& attempt) {
    while (!attempt()) {
        if (Clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return true;
}

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

bool Turnstile::close() {
    if (!within_patience([&] { return gate_.try_lock(); })) return false;
    if (!within_patience([&] { return room_.try_lock(); })) {
        gate_.unlock();
        return false;
    }
    return closed_ = true;
}

template <class Open>
void Turnstile::each_closed(const Open& open) noexcept {
    for (Turnstile* const first : lists) {
        for (Turnstile* t = first; t; t = t->next_) {
            if (t->closed_) open(*t);
            t->closed_ = false;
        }
    }
    holds_listing = false;
}

void Turnstile::close_all() {
    deadline = Clock::now() + patience;
    if (!within_patience([] { return listing.try_lock(); })) return;
    holds_listing = true;
    for (Turnstile* const first : lists) {
        for (Turnstile* t = first; t; t = t->next_) {
            if (!t->close()) return;
        }
    }
}

void Turnstile::open_all() noexcept {
    if (!holds_listing) return;
    each_closed([](Turnstile& t) {
        t.room_.unlock();
        t.gate_.unlock();
    });
    listing.unlock();
}

void Turnstile::open_all_in_child() noexcept {
    if (!holds_listing) return;
    each_closed([](Turnstile& t) {
        new (&t.room_) std::shared_mutex;
        new (&t.gate_) std::mutex;
    });
    new (&listing) std::mutex;
}

}  // namespace riparian
