#include "account.hpp"

#include <utility>

namespace riparian {
namespace {

constexpr std::align_val_t alignment{32};

thread_local Account* current = nullptr;

// The standard library requires multiples of the alignment.
std::size_t taken_aligned(std::size_t bytes) noexcept {
    constexpr auto step = static_cast<std::size_t>(alignment);
    return taken((bytes + step - 1) / step * step);
}

void note(std::size_t bytes) {
    if (!current) return;
    if (bytes > current->ceiling || current->held > current->ceiling - bytes) throw OverLimit();
    current->held += bytes;
}

void strike(std::size_t bytes) noexcept {
    if (current) current->held -= bytes;
}

}  // namespace

Charge::Charge(Account& account) noexcept : before_(std::exchange(current, &account)) {}

Charge::~Charge() { current = before_; }

void* allocate_block(std::size_t bytes) {
    note(taken(bytes));
    try {
        return ::operator new(bytes);
    } catch (...) {
        strike(taken(bytes));
        throw;
    }
}

void free_block(void* p, std::size_t bytes) noexcept {
    ::operator delete(p);
    if (p) strike(taken(bytes));
}

void* allocate_aligned(std::size_t bytes) {
    note(taken_aligned(bytes));
    try {
        return ::operator new(bytes, alignment);
    } catch (...) {
        strike(taken_aligned(bytes));
        throw;
    }
}

void free_aligned(void* p, std::size_t bytes) noexcept {
    ::operator delete(p, alignment);
    if (p) strike(taken_aligned(bytes));
}

}  // namespace riparian
