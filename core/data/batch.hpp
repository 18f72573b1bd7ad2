// Rows as they come from outside: one strided column a feature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "../simd/aligned.hpp"
#include "feature.hpp"
#include "row.hpp"
#include "uncertain.hpp"

namespace riparian {

struct Column {
    enum class Type : std::uint8_t { f64, f32, code, code8 };
    const void* data = nullptr;  // null: all values are missing
    std::ptrdiff_t stride = 0;   // bytes from one row to the next
    Type type = Type::f64;

    template <class T>
    [[nodiscard]] T at(std::size_t row) const noexcept {
        T value;
        std::memcpy(&value, static_cast<const char*>(data) + static_cast<std::ptrdiff_t>(row) * stride,
                    sizeof value);
        return value;
    }
};

// Columns that lie side by side, the first of them and how many.
struct Run {
    Column column;
    std::size_t first;  // place of the column in its batch
    std::size_t count;
};

struct Batch {
    std::size_t rows = 0;
    std::vector<Column> columns;  // one a feature, in the tree's order; later ones are missing
    // Values that are distributions, row by row; missing from the columns.
    std::vector<Uncertain> uncertain;
    std::vector<Point> points;

    // These rows and no others, as far as they are certain.
    [[nodiscard]] Batch certain_rows(std::size_t first, std::size_t n) const;
};

// The first infinite value, in row order.
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

    // How many rows are read at once; a small buffer stays in the cache.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    // Doubles from one row to the next.
    [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
    // Made for rows of this width.
    [[nodiscard]] bool reads(const RowShape& s) const noexcept {
        return s.numeric == numeric_ && s.stride == stride_ && s.categorical == categorical_;
    }
    void read(std::size_t first, std::size_t n);
    [[nodiscard]] Row row(std::size_t i) const noexcept {
        return {values_.data() + i * stride_, codes_.data() + i * categorical_, gaps_[i] != 0};
    }

private:
    // A run of columns and where its values go.
    struct Part {
        Column column;
        std::size_t slot;
        std::size_t count;
        Kind kind;
    };

    std::vector<Part> parts_;
    bool by_rows_;  // numbers lie side by side, mostly
    std::size_t numeric_;
    std::size_t stride_;
    std::size_t categorical_;
    std::size_t capacity_;
    AlignedDoubles values_;
    std::vector<std::int32_t> codes_;
    std::vector<std::uint8_t> gaps_;
};

}  // namespace riparian
