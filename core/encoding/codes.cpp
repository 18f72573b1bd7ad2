#include "codes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "../simd/kernels.hpp"

namespace riparian {
std::vector<std::int32_t> first_seen(const std::int32_t* codes, std::size_t n, std::size_t values) {
    std::vector<std::int32_t> order;
    std::vector<bool> seen(values, false);
    for (std::size_t i = 0; i < n && order.size() < values; ++i) {
        const auto code = static_cast<std::size_t>(codes[i]);
        if (codes[i] < 0 || code >= values || seen[code]) continue;
        seen[code] = true;
        order.push_back(codes[i]);
    }
    return order;
}

void encode(const std::int64_t* values, std::size_t n, CodeTable<std::int64_t>& table, bool grow,
            std::int32_t* codes) {
    for (std::size_t i = 0; i < n; ++i) codes[i] = table.code(values[i], grow);
}

namespace {

constexpr std::size_t padded(std::size_t n) { return n + (4 - n % 4) % 4; }

// The first two values of each column with their codes. Most categorical columns of numbers are
// indicators, and a row of these is encoded without a branch.
template <class Code>
class Indicators {
public:
    explicit Indicators(std::size_t n)
        : one_(padded(n)), two_(padded(n)), is_two_(padded(n)), code_one_(n), change_(n) {
        std::fill_n(one_.begin(), n, std::numeric_limits<double>::quiet_NaN());
        std::fill_n(two_.begin(), n, std::numeric_limits<double>::quiet_NaN());
    }

    // Returns false and writes nothing if there is another value. `row` is padded with zeros.
    bool encode(const double* row, Code* codes) noexcept {
        if (!kernels().one_or_two(row, one_.data(), two_.data(), one_.size(), is_two_.data())) {
            return false;
        }
        for (std::size_t c = 0; c < code_one_.size(); ++c) {
            codes[c] = static_cast<Code>(code_one_[c] ^ (is_two_[c] & change_[c]));
        }
        return true;
    }
    bool encode(std::size_t c, double value, Code& code) const noexcept {
        if (value != one_[c] && value != two_[c]) return false;
        code = static_cast<Code>(code_one_[c] ^ (value == one_[c] ? 0 : change_[c]));
        return true;
    }
    // After the first two values, the second place is used for the latest value.
    void keep(std::size_t c, double value, Code code) noexcept {
        if (value != value) return;
        if (one_[c] != one_[c]) {
            one_[c] = two_[c] = value;
            code_one_[c] = code;
        } else {
            two_[c] = value;
            change_[c] = static_cast<Code>(code_one_[c] ^ code);
        }
    }

private:
    std::vector<double> one_, two_;  // padded to whole vectors; NaN if there is none yet
    std::vector<std::int8_t> is_two_;
    std::vector<Code> code_one_;
    std::vector<Code> change_;  // from the first code to the second, as exclusive or
};

double number(const Column& column, std::size_t row) noexcept {
    return column.type == Column::Type::f32 ? static_cast<double>(column.at<float>(row))
                                            : column.at<double>(row);
}

// Whether all columns are doubles in one row-major matrix.
bool is_matrix(const std::vector<Column>& columns) noexcept {
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const char* const place = static_cast<const char*>(columns[0].data) + c * sizeof(double);
        if (columns[c].type != Column::Type::f64 || columns[c].data != place ||
            columns[c].stride != columns[0].stride) {
            return false;
        }
    }
    return !columns.empty();
}

}  // namespace

template <class Code>
std::optional<Place> encode(const Batch& batch, std::vector<CodeTable<double>>& tables, bool grow,
                            Code* codes) {
    const std::size_t n = batch.columns.size();
    bool infinite = false;
    if (n < 4) {  // too few for a vector
        for (std::size_t c = 0; c < n; ++c) {
            for (std::size_t r = 0; r < batch.rows; ++r) {
                const double value = number(batch.columns[c], r);
                codes[r * n + c] = static_cast<Code>(tables[c].code(value, grow));
                infinite |= std::abs(value) > std::numeric_limits<double>::max();
            }
        }
        return infinite ? find_infinite(batch) : std::nullopt;
    }
    const bool matrix = is_matrix(batch.columns);
    Indicators<Code> indicators(n);
    std::vector<double> row(padded(n), 0.0);
    // Reads row by row, because the columns of a matrix are stored so.
    for (std::size_t r = 0; r < batch.rows; ++r, codes += n) {
        if (matrix) {
            std::memcpy(row.data(),
                        static_cast<const char*>(batch.columns[0].data) +
                            static_cast<std::ptrdiff_t>(r) * batch.columns[0].stride,
                        n * sizeof(double));
        } else {
            for (std::size_t c = 0; c < n; ++c) row[c] = number(batch.columns[c], r);
        }
        if (indicators.encode(row.data(), codes)) continue;
        for (std::size_t c = 0; c < n; ++c) {
            if (indicators.encode(c, row[c], codes[c])) continue;
            codes[c] = static_cast<Code>(tables[c].code(row[c], grow));
            indicators.keep(c, row[c], codes[c]);
            infinite |= std::abs(row[c]) > std::numeric_limits<double>::max();
        }
    }
    return infinite ? find_infinite(batch) : std::nullopt;
}

template std::optional<Place> encode(const Batch&, std::vector<CodeTable<double>>&, bool,
                                     std::int8_t*);
template std::optional<Place> encode(const Batch&, std::vector<CodeTable<double>>&, bool,
                                     std::int32_t*);

}  // namespace riparian
