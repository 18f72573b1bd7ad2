// The rows of a batch that have uncertain values.
#pragma once

#include <cstddef>

#include "../data/batch.hpp"

namespace riparian {

class UncertainRows {
public:
    explicit UncertainRows(const Batch& batch)
        : value_(batch.uncertain.data()),
          end_(value_ + batch.uncertain.size()),
          rows_(batch.rows) {}

    // The next of them, or the number of rows.
    [[nodiscard]] std::size_t next() const noexcept { return value_ == end_ ? rows_ : value_->row; }
    // Begins with the next of them, whose certain values are given.
    void begin(Spread& spread, const Row& certain, const Features& features, const Shape& shape,
               const std::vector<Point>& points) const {
        spread.begin(certain, features, shape, value_, last(), points);
    }
    void pass() noexcept { value_ = last(); }

private:
    [[nodiscard]] const Uncertain* last() const noexcept {
        const Uncertain* last = value_;
        while (last != end_ && last->row == value_->row) ++last;
        return last;
    }

    const Uncertain* value_;
    const Uncertain* end_;
    std::size_t rows_;
};

}  // namespace riparian
