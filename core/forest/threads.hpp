// Runs independent jobs in parallel.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

namespace riparian {

// Calls job(0), ..., job(n - 1), each once, on up to this many threads; in this order on one thread. All
// of them are done when it returns, and the error of the lowest number is thrown.
template <class Job>
void side_by_side(std::size_t n, std::size_t threads, const Job& job,
                  const std::vector<std::size_t>& order = {}) {
    std::vector<std::exception_ptr> errors(n);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i; (i = next.fetch_add(1)) < n;) {
            const std::size_t number = order.empty() ? i : order[i];
            try {
                job(number);
            } catch (...) {
                errors[number] = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        try {
            for (std::size_t t = 1; t < std::min(threads, n); ++t) others.emplace_back(work);
        } catch (const std::system_error&) {
            // If no thread can be started, this one does the job.
        } catch (const std::bad_alloc&) {
            // The same.
        }
        work();
    }
    for (const std::exception_ptr& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}

// Jobs that come again: those that took the longest the last time are begun first, so that no
// thread is left with a long one at the end.
class Shift {
public:
    template <class Job>
    void run(std::size_t n, std::size_t threads, const Job& job) {
        using Clock = std::chrono::steady_clock;
        spent_.resize(n);
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return spent_[a] > spent_[b]; });
        side_by_side(
            n, threads,
            [&](std::size_t i) {
                const auto start = Clock::now();
                job(i);
                spent_[i] = Clock::now() - start;
            },
            order);
    }

private:
    std::vector<std::chrono::steady_clock::duration> spent_;
};

}  // namespace riparian
