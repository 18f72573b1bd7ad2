#include "votes.hpp"

namespace riparian {
namespace {

constexpr std::size_t most_rows = 4096, least_rows = 64;
constexpr std::size_t most_votes = std::size_t{1} << 19;
// The cost of one row in one tree. No more threads are started than the work is worth.
constexpr std::size_t worth_a_thread = 256;

}  // namespace

std::size_t block_rows(std::size_t members, std::size_t width) noexcept {
    const std::size_t votes = std::max<std::size_t>(members * width, 1);
    return std::clamp(most_votes / votes, least_rows, most_rows);
}

std::size_t worthwhile(std::size_t threads, std::size_t members, std::size_t rows) noexcept {
    return std::min(threads, 1 + members * rows / worth_a_thread);
}

}  // namespace riparian
