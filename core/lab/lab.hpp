// The bound laboratory: how often does a leaf with a known distribution decide wrongly?
#pragma once

#include <cstdint>
#include <vector>

#include "method.hpp"
#include "node.hpp"
#include "repetition.hpp"
#include "schedule.hpp"

namespace riparian {

class Lab {
public:
    Lab(LabNode node, LabMethod method, std::uint64_t seed);

    // Runs the repetitions [first, first + outcomes.size()). Each has its own random numbers, so
    // the outcomes do not depend on how they are divided into calls and threads.
    void run(std::uint64_t first, std::vector<Outcome>& outcomes, unsigned threads) const;

private:
    template <class... Gains>
    void run_with(std::uint64_t first, std::vector<Outcome>&, unsigned threads,
                  const Gains&...) const;

    // Every thread has a leaf of its own, made by `make`.
    template <class Make>
    void repeat(std::uint64_t first, std::vector<Outcome>&, unsigned threads,
                const Make& make) const;

    LabNode node_;
    LabMethod method_;
    std::vector<Schedule> schedules_;  // one per impurity
    std::uint64_t seed_;
};

}  // namespace riparian
