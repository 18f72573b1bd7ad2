#include "codes.hpp"

#include <cmath>
#include <limits>

namespace riparian {
std::vector<std::int32_t> first_seen(const std::int32_t* codes, std::size_t n, std::size_t values) {
    std::vector<std::int32_t> order;
    std::vector<bool> met(values, false);
    for (std::size_t i = 0; i < n && order.size() < values; ++i) {
        const auto code = static_cast<std::size_t>(codes[i]);
        if (codes[i] < 0 || code >= values || met[code]) continue;
        met[code] = true;
        order.push_back(codes[i]);
    }
    return order;
}

void encode(const std::int64_t* values, std::size_t n, CodeTable<std::int64_t>& table, bool grow,
            std::int32_t* codes) {
    for (std::size_t i = 0; i < n; ++i) codes[i] = table.code(values[i], grow);
}

template <class Code>
std::optional<Place> encode(const Batch& batch, std::vector<CodeTable<double>>& tables, bool grow,
                            Code* codes) {
    const std::size_t n = batch.columns.size();
    bool infinite = false;
    // Most values are those of the row before, indicator columns above all: one
    // comparison instead of a look-up halves the time of covertype.
    std::vector<double> last(n, std::numeric_limits<double>::quiet_NaN());
    std::vector<Code> code(n, missing_code);
    // Row by row, as columns of one matrix lie in memory.
    for (std::size_t r = 0; r < batch.rows; ++r) {
        for (std::size_t c = 0; c < n; ++c) {
            const Column& column = batch.columns[c];
            const double value = column.type == Column::Type::f32
                                     ? static_cast<double>(column.at<float>(r))
                                     : column.at<double>(r);
            if (value != last[c]) [[unlikely]] {
                last[c] = value;
                code[c] = static_cast<Code>(tables[c].code(value, grow));
                infinite |= std::abs(value) > std::numeric_limits<double>::max();
            }
            *codes++ = code[c];
        }
    }
    return infinite ? find_infinite(batch) : std::nullopt;
}

template std::optional<Place> encode(const Batch&, std::vector<CodeTable<double>>&, bool,
                                     std::int8_t*);
template std::optional<Place> encode(const Batch&, std::vector<CodeTable<double>>&, bool,
                                     std::int32_t*);

}  // namespace riparian
