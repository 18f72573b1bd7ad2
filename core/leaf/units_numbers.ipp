// The state of units as numbers, for files: a part of units.hpp, included by the sources that define a
// predictor.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "units.hpp"

namespace riparian {
namespace units {

inline void demand(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("units: ") + what);
}

// Reads numbers from the front of a list.
class Numbers {
public:
    Numbers(const double* first, std::size_t count) : next_(first), left_(count) {}
    const double* read(std::size_t n) {
        demand(n <= left_, "too few numbers");
        left_ -= n;
        return std::exchange(next_, next_ + n);
    }
    std::size_t whole(std::size_t most) {
        const double x = *read(1);
        demand(x >= 0.0 && x <= static_cast<double>(most) && x == std::floor(x),
               "an impossible number of units or categories");
        return static_cast<std::size_t>(x);
    }
    [[nodiscard]] std::size_t left() const noexcept { return left_; }

private:
    const double* next_;
    std::size_t left_;
};

}  // namespace units

template <std::size_t n_planes>
std::size_t Units<n_planes>::used_cells(const Shape& s, std::size_t c) const noexcept {
    std::size_t end = starts_[c];
    for (std::size_t p = 0; p < n_planes; ++p) {
        const double unused = first(p);
        for (std::size_t u = 0; u < n_units(s); ++u) {
            for (std::size_t i = end; i < starts_[c + 1]; ++i) {
                if (plane(s, u, p)[dense(s) + i] != unused) end = i + 1;
            }
        }
    }
    return end - starts_[c];
}

template <std::size_t n_planes>
void Units<n_planes>::save(const Shape& s, std::vector<double>& out) const {
    if (empty()) return;
    const std::size_t units = n_units(s);
    out.push_back(static_cast<double>(units));
    std::vector<std::size_t> values;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        values.push_back(used_cells(s, c));
        out.push_back(static_cast<double>(values.back()));
    }
    const PooledMoments m = moments(s);
    for (const double* const plane : {m.known, m.mean, m.squares}) {
        out.insert(out.end(), plane, plane + s.numeric);
    }
    for (std::size_t u = 0; u < units; ++u) {
        for (std::size_t p = 0; p < n_planes; ++p) {
            const double* const from = plane(s, u, p);
            out.insert(out.end(), from, from + s.numeric + 1);
            for (std::size_t c = 0; c < s.categorical; ++c) {
                const double* const cells = from + dense(s) + starts_[c];
                out.insert(out.end(), cells, cells + values[c]);
            }
        }
    }
}

template <std::size_t n_planes>
void Units<n_planes>::restore(const Shape& s, const std::int32_t* categories, std::size_t n_classes,
                              double weight, const double* given, std::size_t count) {
    using units::demand;
    demand(count > 0 || weight == 0.0, "no units");
    if (count == 0) return;
    units::Numbers numbers(given, count);
    const std::size_t units = numbers.whole(std::max<std::size_t>(n_classes, 1));
    demand(units == units_for(units), "an impossible number of units or categories");
    Held<std::uint32_t> starts(1, 0);
    std::vector<std::size_t> values;
    std::size_t used = 0, end = 0;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        values.push_back(numbers.whole(static_cast<std::size_t>(categories[c])));
        used += values.back();
        end += values.back() ? room_for(values.back()) : 0;
        demand(end <= std::numeric_limits<std::uint32_t>::max(), "too many categories");
        starts.push_back(static_cast<std::uint32_t>(end));
    }
    // Checked before memory is allocated: the list is long enough.
    demand(numbers.left() / (n_planes * (s.numeric + 1 + used)) >= units, "too few numbers");
    lay_out(s, units, std::move(starts));
    const PooledMoments m = moments(s);
    for (double* const plane : {m.known, m.mean, m.squares}) {
        std::copy_n(numbers.read(s.numeric), s.numeric, plane);
    }
    for (std::size_t f = 0; f < s.numeric; ++f) {
        const double w = m.known[f];
        demand(w >= 0.0 && w <= 0x1p120 && std::fabs(m.mean[f]) <= largest_value &&
                   m.squares[f] >= 0.0 && m.squares[f] <= w * 0x1.00001p902 &&
                   (w > 0.0 || m.mean[f] == 0.0),
               "impossible moments");
    }
    for (std::size_t u = 0; u < units; ++u) {
        for (std::size_t p = 0; p < n_planes; ++p) {
            double* const to = plane(s, u, p);
            std::copy_n(numbers.read(s.numeric + 1), s.numeric + 1, to);
            for (std::size_t c = 0; c < s.categorical; ++c) {
                std::copy_n(numbers.read(values[c]), values[c], to + dense(s) + starts_[c]);
            }
            for (std::size_t i = 0; i < plane_size(s); ++i) {
                demand(possible(p, to[i]), "an impossible weight, trace or step size");
            }
        }
    }
    demand(numbers.left() == 0, "too many numbers");
}

}  // namespace riparian
