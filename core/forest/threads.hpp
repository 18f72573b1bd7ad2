// Independent jobs, side by side.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace riparian {

// Calls job(0), ..., job(n - 1), each once, by up to so many threads. All of them are done when
// it returns, and the first error of the lowest number is thrown.
template <class Job>
void side_by_side(std::size_t n, std::size_t threads, const Job& job) {
    std::vector<std::exception_ptr> errors(n);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i; (i = next.fetch_add(1)) < n;) {
            try {
                job(i);
            } catch (...) {
                errors[i] = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        try {
            for (std::size_t t = 1; t < std::min(threads, n); ++t) others.emplace_back(work);
        } catch (const std::system_error&) {
            // Without another thread this one does it.
        }
        work();
    }
    for (const std::exception_ptr& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}

}  // namespace riparian
