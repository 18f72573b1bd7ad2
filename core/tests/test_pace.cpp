// Blocks become short while a thread waits, and long again.
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>

#include "../tree/pace.hpp"
#include "checking.hpp"

using namespace riparian;

namespace {

CASE(a_waiting_thread_is_noticed) {
    Turnstile turnstile;
    CHECK(!turnstile.awaited());
    std::optional<std::jthread> other;
    {
        const auto lock = turnstile.reading();
        CHECK(!turnstile.awaited());
        CHECK(!turnstile.awaited());  // the call changes nothing
        other.emplace([&] { static_cast<void>(turnstile.writing()); });
        while (!turnstile.awaited()) std::this_thread::yield();
    }
    other.reset();
    CHECK(!turnstile.awaited());
}

CASE(blocks_are_shorter_while_a_thread_waits) {
    using std::chrono::milliseconds;
    Pace pace(1024);
    const auto rows_after = [&](int spent, bool waited) {
        pace.adjust(pace.rows(SIZE_MAX), milliseconds(spent), waited);
        return pace.rows(SIZE_MAX);
    };
    CHECK(rows_after(12, false) == 1024);
    CHECK(rows_after(31, false) == 512);
    CHECK(rows_after(9, false) == 1024);
    CHECK(rows_after(12, true) == 512);
    CHECK(rows_after(9, true) == 256);
    CHECK(rows_after(7, true) == 256);
    CHECK(rows_after(2, true) == 512);
    // For a while more threads are expected.
    CHECK(rows_after(12, false) == 256);
    for (int block = 1; block < 63; ++block) CHECK(rows_after(5, false) == 256);
    CHECK(rows_after(5, false) == 512);
    CHECK(rows_after(12, false) == 512);
    CHECK(rows_after(20, true) == 256);
    CHECK(rows_after(20, true) == 128);
    CHECK(rows_after(20, true) == 64);
    CHECK(rows_after(20, true) == 64);
    CHECK(rows_after(31, true) == 32);
    CHECK(rows_after(20, true) == 32);
    CHECK(Pace(2).rows(1) == 1);
}

}  // namespace
