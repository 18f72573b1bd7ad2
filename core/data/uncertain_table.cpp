#include "uncertain_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../simd/kernels.hpp"

namespace riparian {
namespace {

double settled(double x) noexcept { return std::clamp(x, -largest_value, largest_value); }

Uncertain value_of(const UncertainTable& t, std::size_t i) {
    const double* const d = t.numbers + 4 * i;
    Uncertain u;
    u.row = static_cast<std::size_t>(t.rows[i]);
    u.feature = static_cast<std::size_t>(t.features[i]);
    u.type = static_cast<Uncertain::Type>(t.types[i]);
    u.low = d[0];
    u.high = d[1];
    u.mean = settled(d[2]);
    u.deviation = settled(d[3]);
    u.first = static_cast<std::size_t>(t.starts[i]);
    u.count = static_cast<std::size_t>(t.starts[i + 1]) - u.first;
    if (u.type == Uncertain::Type::interval) {
        u.low = settled(d[0]);
        u.high = settled(d[1]);
    } else if (u.type == Uncertain::Type::normal && (u.mean != d[2] || u.deviation != d[3])) {
        u.type = Uncertain::Type::interval;  // as wide as numbers can be
        u.low = u.high = u.mean;
    }
    return u;
}

}  // namespace

void set_uncertain(Batch& batch, const UncertainTable& t) {
    std::vector<Uncertain> values;
    values.reserve(t.values);
    for (std::size_t i = 0; i < t.values; ++i) {
        const auto row = static_cast<std::size_t>(t.rows[i]);
        const auto feature = static_cast<std::size_t>(t.features[i]);
        const auto first = static_cast<std::size_t>(t.starts[i]);
        const auto end = static_cast<std::size_t>(t.starts[i + 1]);
        const bool listed = t.types[i] >= static_cast<std::uint8_t>(Uncertain::Type::numbers);
        if (row >= batch.rows || feature >= batch.columns.size() ||
            t.types[i] > static_cast<std::uint8_t>(Uncertain::Type::categories) || first > end ||
            end > t.points || (listed && first == end) || (i > 0 && row < values[i - 1].row)) {
            throw std::invalid_argument("an uncertain value is not a valid distribution");
        }
        values.push_back(value_of(t, i));
    }
    std::vector<Point> points;
    points.reserve(t.points);
    for (std::size_t i = 0; i < t.points; ++i) {
        points.push_back({settled(t.point_values[i]), t.point_weights[i]});
    }
    batch.points = std::move(points);
    batch.uncertain = std::move(values);
}

}  // namespace riparian
