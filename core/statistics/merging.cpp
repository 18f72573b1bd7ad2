// Adds the statistics of two sets of rows, and subtracts one from the other. Counts, Gaussians and
// stored values (sorted_values.cpp) can be merged. Hits cannot, because each example was evaluated
// with labels that earlier examples had determined. The gap of two leaders cannot, because its cuts
// differ between leaves. Intervals cannot, because they depend on the first values.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "leaf_statistics.hpp"
#include "without.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The moments of one feature of one class.
struct Moments {
    double& mean;
    double& squares;
    double& low;
    double& high;

    Moments(double* planes, std::size_t n, std::size_t f)
        : mean(planes[riparian::mean * n + f]),
          squares(planes[riparian::squares * n + f]),
          low(planes[riparian::low * n + f]),
          high(planes[riparian::high * n + f]) {}
};

void add(Moments a, double weight, const Moments& b, double other) {
    if (!(other > 0.0)) return;
    const double both = weight + other;
    const double gap = b.mean - a.mean;
    if (weight > 0.0) {
        a.mean += gap * (other / both);
        a.squares += b.squares + gap * gap * (weight * (other / both));
    } else {
        a.mean = b.mean;
        a.squares = b.squares;
    }
    a.low = std::min(a.low, b.low);
    a.high = std::max(a.high, b.high);
}

void subtract(Moments a, double weight, const Moments& b, double other) {
    if (!(other > 0.0)) return;
    const double left = without(weight, other);
    if (!(left > 0.0)) {
        a.mean = a.squares = 0.0;
        a.low = infinity;
        a.high = -infinity;
        return;
    }
    const double gap = b.mean - a.mean;
    a.mean -= gap * (other / left);
    a.squares = std::max(0.0, a.squares - b.squares - gap * gap * (other * (weight / left)));
    // The mean of the remaining rows lies between the limits; rounding must not move it outside.
    a.mean = std::clamp(a.mean, a.low, a.high);
}

double known_number(const LeafStatistics& s, const double* counts, std::size_t k, std::size_t f) {
    const double* const known = s.known_numbers(k);
    return known ? known[f] : counts[k];
}

double known_category(const LeafStatistics& s, const double* counts, std::size_t k, std::size_t c) {
    const double* const known = s.known_categories(c);
    return known ? known[k] : counts[k];
}

void demand_within(const Shape& other, const Shape& s) {
    if (other.numeric > s.numeric || other.categorical > s.categorical ||
        other.class_stride > s.class_stride) {
        throw std::invalid_argument("the other statistics know more features or classes");
    }
}

}  // namespace

void LeafStatistics::merge(const Shape& s, double* counts, const LeafStatistics& other,
                           const Shape& of_other, const double* others) {
    demand_within(of_other, s);
    if (sparse()) make_dense(s, s, counts);
    if (other.sparse())
        return merge(s, counts, other.dense_copy(of_other, others), of_other, others);
    std::vector<std::uint32_t> needed(s.categorical, 0);
    bool fits = true;
    for (std::size_t c = 0; c < of_other.categorical; ++c) {
        needed[c] = other.starts(of_other)[c + 1] - other.starts(of_other)[c];
        fits &= needed[c] <= starts(s)[c + 1] - starts(s)[c];
    }
    if (!fits) make_room(s, needed, SIZE_MAX);
    bool learned = false;
    for (std::size_t k = 0; k < of_other.class_stride; ++k) learned |= others[k] > 0.0;
    for (std::size_t c = 0; learned && c < s.categorical; ++c) {
        const bool whole = c < of_other.categorical && !other.known_categories(c);
        if (known_categories(c) || !whole) {
            double* known = const_cast<double*>(known_categories(c));
            if (!known)
                known = std::copy_n(counts, s.class_stride, open_known_categories(s, c)) -
                        s.class_stride;
            for (std::size_t k = 0; k < of_other.class_stride && c < of_other.categorical; ++k) {
                known[k] += known_category(other, others, k, c);
            }
        }
    }
    for (std::size_t k = 0; k < of_other.class_stride; ++k) {
        if (!(others[k] > 0.0)) continue;
        if (!classes()[k]) make_room(s, std::vector<std::uint32_t>{}, k);
        const bool whole = of_other.numeric == s.numeric && !other.known_numbers(k);
        if (s.numeric && !whole && !known_numbers(k)) {
            std::fill_n(open_known_numbers(s, k), s.stride, counts[k]);
        }
        for (std::size_t f = 0; f < of_other.numeric; ++f) {
            const double more = known_number(other, others, k, f);
            add(Moments(classes()[k], s.numeric, f), known_number(*this, counts, k, f),
                Moments(other.classes()[k], of_other.numeric, f), more);
            if (known_numbers(k)) gaps_->numbers[k][f] += more;
        }
        const std::uint32_t* const here = starts(s);
        const std::uint32_t* const there = other.starts(of_other);
        for (std::size_t c = 0; c < of_other.categorical; ++c) {
            for (std::size_t v = there[c]; v < there[c + 1]; ++v) {
                cells(s, k)[here[c] + v - there[c]] += other.cells(of_other, k)[v];
            }
        }
        counts[k] += others[k];
    }
    if (s.derives()) find_bayes(s, counts);
}

// Throws std::invalid_argument if `other` cannot have been learned here.
void LeafStatistics::demand_part(const Shape& s, const double* counts, const LeafStatistics& other,
                                 const Shape& of_other, const double* others) const {
    demand_within(of_other, s);
    for (std::size_t k = 0; k < of_other.class_stride; ++k) {
        if (!(others[k] > 0.0)) continue;
        without(counts[k], others[k]);
        const auto demand = [&](double here, double there) {
            without(here, there);
            if (others[k] - there > counts[k] - here + 1e-9 * counts[k]) {
                throw std::invalid_argument("the other statistics lack values that are known here");
            }
        };
        for (std::size_t f = 0; f < s.numeric; ++f) {
            demand(known_number(*this, counts, k, f),
                   f < of_other.numeric ? known_number(other, others, k, f) : 0.0);
        }
        for (std::size_t c = 0; c < s.categorical; ++c) {
            demand(known_category(*this, counts, k, c),
                   c < of_other.categorical ? known_category(other, others, k, c) : 0.0);
        }
        const std::uint32_t* const there = other.starts(of_other);
        for (std::size_t c = 0; c < of_other.categorical; ++c) {
            const std::size_t room = starts(s)[c + 1] - starts(s)[c];
            for (std::size_t v = 0; v < there[c + 1] - there[c]; ++v) {
                without(v < room ? cells(s, k)[starts(s)[c] + v] : 0.0,
                        other.cells(of_other, k)[there[c] + v]);
            }
        }
    }
}

void LeafStatistics::downdate(const Shape& s, double* counts, const LeafStatistics& other,
                              const Shape& of_other, const double* others) {
    if (sparse()) make_dense(s, s, counts);
    if (other.sparse()) {
        return downdate(s, counts, other.dense_copy(of_other, others), of_other, others);
    }
    demand_part(s, counts, other, of_other, others);
    bool emptied = false;
    // A feature that the other statistics do not know was missing from their rows.
    for (std::size_t c = 0; c < s.categorical; ++c) {
        double* const known = const_cast<double*>(known_categories(c));
        for (std::size_t k = 0; known && c < of_other.categorical && k < of_other.class_stride;
             ++k) {
            known[k] = without(known[k], known_category(other, others, k, c));
        }
    }
    for (std::size_t k = 0; k < of_other.class_stride; ++k) {
        if (!(others[k] > 0.0)) continue;
        for (std::size_t f = 0; f < of_other.numeric; ++f) {
            const double less = known_number(other, others, k, f);
            subtract(Moments(classes()[k], s.numeric, f), known_number(*this, counts, k, f),
                     Moments(other.classes()[k], of_other.numeric, f), less);
            if (known_numbers(k)) gaps_->numbers[k][f] = without(gaps_->numbers[k][f], less);
        }
        const std::uint32_t* const here = starts(s);
        const std::uint32_t* const there = other.starts(of_other);
        for (std::size_t c = 0; c < of_other.categorical; ++c) {
            for (std::size_t v = there[c]; v < there[c + 1]; ++v) {
                const double gone = other.cells(of_other, k)[v];
                if (!(gone > 0.0)) continue;
                double& cell = cells(s, k)[here[c] + v - there[c]];
                cell = without(cell, gone);
            }
        }
        counts[k] = without(counts[k], others[k]);
        if (counts[k] > 0.0) continue;
        emptied = true;
        if (gaps()) gaps_->numbers[k].clear();
    }
    if (emptied) reshape(s, s, counts);
    if (s.derives()) refresh_all(s, counts);
}

}  // namespace riparian
