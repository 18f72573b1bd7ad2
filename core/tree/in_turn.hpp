// Batches in which some rows have uncertain values.
#pragma once

#include <cstddef>

#include "../data/batch.hpp"
#include "../data/predictions.hpp"

namespace riparian {

// For each row with uncertain values and each run of rows without.
template <class Certain, class Uncertainly>
void in_turn(const Batch& batch, Certain&& certain, Uncertainly&& uncertainly) {
    const Uncertain* value = batch.uncertain.data();
    const Uncertain* const end = value + batch.uncertain.size();
    for (std::size_t row = 0; row < batch.rows;) {
        const std::size_t next = value == end ? batch.rows : value->row;
        if (row < next) certain(row, next - row);
        row = next;
        if (value == end) continue;
        const Uncertain* const first = value;
        while (value != end && value->row == row) ++value;
        uncertainly(row, first, value);
        ++row;
    }
}

[[nodiscard]] inline Answers from(const Answers& answers, std::size_t row) noexcept {
    return {answers.classes ? answers.classes + row : nullptr,
            answers.probabilities ? answers.probabilities + row * answers.width : nullptr,
            answers.width};
}

}  // namespace riparian
