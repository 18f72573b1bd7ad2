// Lines of JSON objects as a table of cells, where all lines have one shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riparian {

enum class CellKind : std::uint8_t { number, text, left_out };

// A key of the objects, as it is written between its quotes, and what its values are. Numbers may
// be null, values that are left out are numbers or texts.
struct Cell {
    std::string key;
    CellKind kind;
};

// What stands between two cells. It is in no JSON text: control characters are escaped there.
inline constexpr char cell_separator = '\x1f';

// The values of each line as they are written, a separator between two of them and a line end behind
// the last; null is an empty cell. No value is read, but each is known to be a number or a text.
//
// Returns the number of bytes written to `out`, which has room for as many as `lines` has. Nothing
// if a line is no object with these keys in this order, or if a text has an escape, which a table
// cannot hold as it is written. `lines` ends with a line end.
std::optional<std::size_t> lay_out(std::string_view lines, const std::vector<Cell>& cells,
                                   char* out);

}  // namespace riparian
