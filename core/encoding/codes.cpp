#include "codes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace riparian {
namespace {

// One column over a block of rows; true if a value is infinite.
template <class T, class Code>
bool encode_block(const Column& column, std::size_t first, std::size_t last,
                  CodeTable<double>& table, bool grow, Code* codes, std::size_t step) {
    bool infinite = false;
    for (std::size_t r = first; r < last; ++r) {
        const auto value = static_cast<double>(column.at<T>(r));
        infinite |= std::abs(value) > std::numeric_limits<double>::max();
        codes[r * step] = static_cast<Code>(table.code(value, grow));
    }
    return infinite;
}

}  // namespace

void encode(const std::int64_t* values, std::size_t n, CodeTable<std::int64_t>& table, bool grow,
            std::int32_t* codes) {
    for (std::size_t i = 0; i < n; ++i) codes[i] = table.code(values[i], grow);
}

template <class Code>
std::optional<Place> encode(const Batch& batch, std::vector<CodeTable<double>>& tables, bool grow,
                            Code* codes) {
    constexpr std::size_t block = 64;  // its cache lines serve all columns of a matrix
    const std::size_t n = batch.columns.size();
    bool infinite = false;
    for (std::size_t first = 0; first < batch.rows; first += block) {
        const std::size_t last = std::min(batch.rows, first + block);
        for (std::size_t c = 0; c < n; ++c) {
            const Column& column = batch.columns[c];
            infinite |= column.type == Column::Type::f32
                            ? encode_block<float>(column, first, last, tables[c], grow, codes + c, n)
                            : encode_block<double>(column, first, last, tables[c], grow, codes + c, n);
        }
    }
    return infinite ? find_infinite(batch) : std::nullopt;
}

template std::optional<Place> encode(const Batch&, std::vector<CodeTable<double>>&, bool,
                                     std::int8_t*);
template std::optional<Place> encode(const Batch&, std::vector<CodeTable<double>>&, bool,
                                     std::int32_t*);

}  // namespace riparian
