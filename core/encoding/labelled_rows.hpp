// Rows with labels that are posted as JSON: their features as lines, their labels as codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace riparian {

struct LabelledRows {
    std::string features;              // an object per line, without spaces between its parts
    std::vector<std::uint64_t> ends;   // of each line, behind its line end
    std::vector<std::uint32_t> codes;  // of the labels
    std::vector<std::string> labels;  // as they are written, in the order of their first appearance
};

// Where the rows of a text are: in {"rows": [...]}, or each on a line of its own.
enum class RowsIn : std::uint8_t { object, lines };

// Splits rows such as {"features": {"age": 31, "job": "nurse"}, "label": "ok"}.
//
// Nothing if the text has another shape, or a value that two readers of JSON could read as different
// values: a text with an escape, or a number of more digits than a double or a 64-bit integer has.
// The text is not checked to be UTF-8. A zero stands behind its last byte.
std::optional<LabelledRows> split_labelled(const char* text, std::size_t size, RowsIn where);

}  // namespace riparian
