// A batch of rows as the caller passes it: one strided column per feature, or sparse rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../simd/aligned.hpp"
#include "column.hpp"
#include "feature.hpp"
#include "row.hpp"
#include "sparse_reader.hpp"
#include "uncertain.hpp"

namespace riparian {

// Adjacent columns: the first one and their number.
struct Run {
    Column column;
    std::size_t first;  // index of the column in its batch
    std::size_t count;
};

struct Batch {
    std::size_t rows = 0;
    std::vector<Column> columns;  // one per feature in the tree's order; absent ones are missing
    SparseRows sparse;            // if they are given, there are no columns
    // Values that are distributions, row by row. The columns hold NaN or a missing code for them.
    std::vector<Uncertain> uncertain;
    std::vector<Point> points;

    // A copy that refers to these rows only, without uncertain values.
    [[nodiscard]] Batch certain_rows(std::size_t first, std::size_t n) const;
    // A copy that refers to these rows only.
    [[nodiscard]] Batch part(std::size_t first, std::size_t n) const;
};

// The place of the first infinite value, in row order.
struct Place {
    std::size_t row;
    std::size_t column;
};
[[nodiscard]] std::optional<Place> find_infinite(const Batch&);

// Copies a few rows at a time into padded vectors, so that the row loop reads one layout.
class RowBuffer {
public:
    RowBuffer(const Batch&, const Features&, const RowShape&);

    static constexpr std::size_t most_rows = 256;

    // How many rows are read at once. A small buffer stays in the cache.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    // Doubles from one row to the next.
    [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
    // Whether the buffer was made for rows of this width.
    [[nodiscard]] bool reads(const RowShape& s) const noexcept {
        return s.numeric == numeric_ && s.stride == stride_ && s.categorical == categorical_;
    }
    void read(std::size_t first, std::size_t n);
    // Whether a number is missing in the rows that were read last.
    [[nodiscard]] bool any_gap() const noexcept { return any_gap_; }
    // Valid until the next rows are read.
    [[nodiscard]] const Row& row(std::size_t i) const noexcept { return rows_[i]; }

private:
    void read_columns(std::size_t first, std::size_t n);

    // A group of columns and where its values go.
    struct Part {
        Column column;
        std::size_t slot;
        std::size_t count;
        Kind kind;
    };

    std::vector<Part> parts_;
    bool by_rows_;  // whether most numbers are adjacent in a row
    std::size_t numeric_;
    std::size_t stride_;
    std::size_t categorical_;
    std::size_t capacity_;
    AlignedDoubles values_;
    std::vector<std::int32_t> codes_;
    std::vector<std::uint8_t> gaps_;
    std::vector<Row> rows_;    // where the values of each row are
    std::size_t flagged_ = 0;  // only rows below this one may say that they have a gap
    bool any_gap_ = false;
    std::unique_ptr<SparseReader> sparse_;  // null: the batch has columns
};

}  // namespace riparian
