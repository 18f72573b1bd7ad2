#include "leaf_statistics.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t spare = 3;

void fill_range(double* low_plane, double* high_plane, std::size_t n) noexcept {
    std::fill_n(low_plane, n, infinity);
    std::fill_n(high_plane, n, -infinity);
}

// Changes the size without spare capacity.
template <class T>
void resize_exactly(Held<T>& v, std::size_t n) {
    if (v.size() == n) return;
    set_room(v, std::max(v.size(), n));
    v.resize(n);
    trim(v);
}

}  // namespace

// ---- the block ----

template <class Seen>
void LeafStatistics::lay_out(const Shape& s, const std::uint32_t* starts, const Seen& seen) {
    std::size_t n_seen = 0;
    for (std::size_t k = 0; k < s.class_stride; ++k) n_seen += seen(k);
    const std::size_t part = s.cells_place() + (s.categorical ? starts[s.categorical] : 0);
    const std::size_t n = s.classes_place() + room_for_parts(n_seen) * part + spare;
    const std::size_t bytes = n * sizeof(double);
    void* const block = s.aligned() ? allocate_aligned(bytes) : allocate_block(bytes);
    block_ = Block(static_cast<std::byte*>(block), Release{bytes, 0, s.aligned()});
    std::fill_n(block_.get(), bytes, std::byte{0});
    if (s.categorical) {
        std::copy_n(starts, s.categorical + 1, const_cast<std::uint32_t*>(this->starts(s)));
    }
    if (s.keeps_derived()) {
        double* const planes = leaf_planes(s);
        fill_range(planes + leaf_low * s.numeric, planes + leaf_high * s.numeric, s.numeric);
    }
    for (std::size_t k = 0; k < s.class_stride; ++k) {
        if (seen(k)) add_part(s, k);
    }
}

void LeafStatistics::add_part(const Shape& s, std::size_t k) noexcept {
    double* const part = doubles() + s.classes_place() + n_parts() * part_size(s);
    fill_range(part + low * s.numeric, part + high * s.numeric, s.numeric);
    class_pointers()[k] = part;
    block_.get_deleter().parts = n_parts() + 1;
}

// The last part moves into the gap.
bool LeafStatistics::remove_part(const Shape& s, std::size_t k) noexcept {
    if (room_for_parts(n_parts() - 1) != room_for_parts(n_parts())) return false;
    const std::size_t size = part_size(s);
    double** const pointers = class_pointers();
    double* const last = doubles() + s.classes_place() + (n_parts() - 1) * size;
    double* const gone = std::exchange(pointers[k], nullptr);
    if (gone != last) {
        std::copy_n(last, size, gone);
        // Parts of late classes usually come last.
        std::size_t owner = s.class_stride - 1;
        while (pointers[owner] != last) --owner;
        pointers[owner] = gone;
    }
    std::fill_n(last, size, 0.0);
    block_.get_deleter().parts = n_parts() - 1;
    return true;
}

void LeafStatistics::copy_from(const LeafStatistics& old, const Shape& from,
                               const Shape& to) noexcept {
    const auto copy_planes = [&](const double* source, double* target, std::size_t planes) {
        if (from.numeric == to.numeric) {  // they are contiguous
            std::copy_n(source, planes * from.numeric, target);
            return;
        }
        for (std::size_t p = 0; p < planes; ++p) {
            std::copy_n(source + p * from.numeric, from.numeric, target + p * to.numeric);
        }
    };
    if (to.derives()) std::copy_n(old.base(from), from.class_stride, base(to));
    if (to.keeps_derived()) copy_planes(old.leaf_planes(from), leaf_planes(to), bayes_leaf_planes);
    const std::uint32_t* const here = old.starts(from);
    const std::uint32_t* const there = starts(to);
    for (std::size_t k = 0; k < from.class_stride; ++k) {
        if (!old.classes()[k] || !classes()[k]) continue;
        copy_planes(old.classes()[k], classes()[k], to.n_planes());
        if (from.categorical == 0) continue;
        const double* const source = old.cells(from, k);
        double* const target = cells(to, k);
        for (std::size_t c = 0; c < from.categorical; ++c) {
            // There are usually few, so a function call for each would cost more.
            const std::size_t n = std::min(here[c + 1] - here[c], there[c + 1] - there[c]);
            for (std::size_t v = 0; v < n; ++v) target[there[c] + v] = source[here[c] + v];
        }
    }
}

void LeafStatistics::open(const Shape& s) {
    const std::vector<std::uint32_t> starts(s.categorical + 1, 0);
    lay_out(s, starts.data(), [](std::size_t) { return false; });
}

void LeafStatistics::open(const Shape& s, const double* counts, const std::uint32_t* values) {
    std::vector<std::uint32_t> starts(1, 0);
    for (std::size_t c = 0; c < s.categorical; ++c) {
        starts.push_back(starts[c] + static_cast<std::uint32_t>(room_for(values[c])));
    }
    lay_out(s, starts.data(), [&](std::size_t k) { return counts[k] > 0.0; });
}

void LeafStatistics::close() noexcept { *this = {}; }

void LeafStatistics::make_room(const Shape& s, const Row& row, std::size_t y) {
    if (s.categorical == 0) return make_room(s, std::vector<std::uint32_t>{}, y);
    std::vector<std::uint32_t> cells(s.categorical, 0);
    for (std::size_t c = 0; c < s.categorical; ++c) {
        cells[c] = static_cast<std::uint32_t>(std::max(row.codes[c], -1) + 1);
    }
    make_room(s, cells, y);
}

void LeafStatistics::make_room(const Shape& s, const std::vector<std::uint32_t>& cells,
                               std::size_t y) {
    bool fits = y < s.class_stride && room_for_parts(n_parts() + 1) == room_for_parts(n_parts());
    for (std::size_t c = 0; c < cells.size() && fits; ++c) {
        fits = cells[c] <= starts(s)[c + 1] - starts(s)[c];
    }
    if (fits && !classes()[y]) return add_part(s, y);
    LeafStatistics old;
    old.block_ = std::move(block_);
    const std::uint32_t* const before = old.starts(s);
    std::vector<std::uint32_t> starts(s.categorical + 1, 0);
    std::size_t end = 0;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        const std::size_t present = before[c + 1] - before[c];
        const std::size_t needed = c < cells.size() ? cells[c] : 0;
        end += needed <= present ? present : room_for(needed);
        if (end > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
        starts[c + 1] = static_cast<std::uint32_t>(end);
    }
    lay_out(s, starts.data(), [&](std::size_t k) { return k == y || old.classes()[k]; });
    copy_from(old, s, s);
}

void LeafStatistics::reshape(const Shape& from, const Shape& to, const double* counts) {
    if (sparse()) {
        if (to.numeric > from.numeric) {
            gaps_->sparse->add_features(from.numeric, to.numeric, counts, from.class_stride);
        }
        if (to.categorical || to.derives()) return make_dense(from, to, counts);
        return open(to);
    }
    LeafStatistics old;
    old.block_ = std::move(block_);
    std::vector<std::uint32_t> starts(to.categorical + 1, 0);
    for (std::size_t c = 0; c < to.categorical; ++c) {
        starts[c + 1] = from.categorical ? old.starts(from)[std::min(c + 1, from.categorical)] : 0;
    }
    lay_out(to, starts.data(), [&](std::size_t k) { return counts[k] > 0.0; });
    copy_from(old, from, to);
    if (gaps_) {
        if (gaps()) resize_exactly(gaps_->numbers, to.class_stride);
        for (Held<double>& known : gaps_->numbers) {
            if (known.empty()) continue;
            known.resize(from.numeric);
            resize_exactly(known, to.stride);
        }
        for (Held<double>& known : gaps_->categories) {
            if (!known.empty()) resize_exactly(known, to.class_stride);
        }
        resize_exactly(gaps_->categories, to.categorical);
    }
    // In all rows learned before, a new feature is missing.
    for (std::size_t k = 0; k < from.class_stride && to.numeric > from.numeric; ++k) {
        if (counts[k] > 0.0 && !known_numbers(k)) {
            std::fill_n(open_known_numbers(to, k), from.numeric, counts[k]);
        }
    }
    const bool learned =
        std::any_of(counts, counts + from.class_stride, [](double n) { return n > 0.0; });
    for (std::size_t c = from.categorical; learned && c < to.categorical; ++c) {
        open_known_categories(to, c);
    }
    if (to.derives()) refresh_all(to, counts);
}

void LeafStatistics::keep(const Shape& from, const Shape& to,
                          const std::vector<std::uint32_t>& numeric,
                          const std::vector<std::uint32_t>& categorical) {
    LeafStatistics old;
    old.block_ = std::move(block_);
    const std::uint32_t* const here = old.starts(from);
    std::vector<std::uint32_t> starts(1, 0);
    for (const std::uint32_t c : categorical)
        starts.push_back(starts.back() + here[c + 1] - here[c]);
    lay_out(to, starts.data(), [&](std::size_t k) { return old.classes()[k] != nullptr; });
    for (std::size_t k = 0; k < from.class_stride; ++k) {
        if (!old.classes()[k]) continue;
        for (std::size_t p = 0; p < to.n_planes(); ++p) {
            for (std::size_t f = 0; f < numeric.size(); ++f) {
                classes()[k][p * to.numeric + f] = old.classes()[k][p * from.numeric + numeric[f]];
            }
        }
        for (std::size_t c = 0; c < categorical.size(); ++c) {
            const double* const cells = old.cells(from, k);
            std::copy(cells + here[categorical[c]], cells + here[categorical[c] + 1],
                      this->cells(to, k) + starts[c]);
        }
    }
    if (!gaps_) return;
    for (Held<double>& known : gaps_->numbers) {
        if (known.empty()) continue;
        Held<double> left(to.stride, 0.0);
        for (std::size_t f = 0; f < numeric.size(); ++f) left[f] = known[numeric[f]];
        known = std::move(left);
    }
    Held<Held<double>> left;
    left.reserve(categorical.size());
    for (const std::uint32_t c : categorical) left.push_back(std::move(gaps_->categories[c]));
    gaps_->categories = std::move(left);
    // The result is that of a leaf that never tracked the other features.
    if (numeric.empty()) gaps_->numbers = Held<Held<double>>();
    const auto empty = [](const Held<double>& known) { return known.empty(); };
    if (gaps_->numbers.empty() &&
        std::all_of(gaps_->categories.begin(), gaps_->categories.end(), empty)) {
        gaps_.reset();
    }
}

// Removes the parts of classes without weight, and the cells at the end that have none.
void LeafStatistics::close_up(const Shape& s, const double* counts) {
    for (std::size_t k = 0; k < s.class_stride; ++k) {
        if (classes()[k] && !(counts[k] > 0.0)) {
            std::fill_n(cells(s, k), s.categorical ? starts(s)[s.categorical] : 0, 0.0);
        }
    }
    std::vector<std::uint32_t> starts(s.categorical + 1, 0);
    for (std::size_t c = 0; c < s.categorical; ++c) {
        starts[c + 1] = starts[c] + static_cast<std::uint32_t>(room_for(values(s, c)));
    }
    LeafStatistics old;
    old.block_ = std::move(block_);
    lay_out(s, starts.data(), [&](std::size_t k) { return counts[k] > 0.0 && old.classes()[k]; });
    copy_from(old, s, s);
}

void LeafStatistics::leave_out(const Shape& s, std::size_t c, const double* counts) {
    const std::uint32_t first = starts(s)[c], last = starts(s)[c + 1];
    for (std::size_t k = 0; k < s.class_stride; ++k) {
        if (classes()[k]) std::fill(cells(s, k) + first, cells(s, k) + last, 0.0);
    }
    close_up(s, counts);
    const auto counted = [](double n) { return n > 0.0; };
    if (std::any_of(counts, counts + s.class_stride, counted)) open_known_categories(s, c);
}

LeafStatistics::Gaps& LeafStatistics::open_gaps(const Shape& s) {
    if (!gaps_) {
        gaps_ = std::make_unique<Gaps>();
        gaps_->categories.resize(s.categorical);
    }
    return *gaps_;
}

double* LeafStatistics::open_known_numbers(const Shape& s, std::size_t k) {
    Gaps& gaps = open_gaps(s);
    resize_exactly(gaps.numbers, s.class_stride);
    gaps.numbers[k].assign(s.stride, 0.0);
    return gaps.numbers[k].data();
}

double* LeafStatistics::open_known_categories(const Shape& s, std::size_t c) {
    Held<double>& known = open_gaps(s).categories[c];
    known.assign(s.class_stride, 0.0);
    return known.data();
}

std::size_t LeafStatistics::bytes(const Shape& s, std::size_t classes, std::size_t cells) {
    const std::size_t part = s.cells_place() + cells;
    return taken((s.classes_place() + room_for_parts(classes) * part + spare) * sizeof(double) +
                 (s.aligned() ? 31 : 0));
}

std::size_t LeafStatistics::growth(const Shape& s, const Row& row, std::size_t y) const noexcept {
    if (!is_open()) return 0;
    if (sparse()) return sparse()->growth(row, s.numeric, y);
    if (begins_sparse(s, row)) {
        return taken(sizeof(Gaps)) + taken(sizeof(SparseMoments)) +
               SparseMoments().growth(row, s.numeric, y);
    }
    const std::size_t parts = n_parts() + (classes()[y] ? 0 : 1);
    bool fits = room_for_parts(parts) == room_for_parts(n_parts());
    std::size_t cells = 0;
    for (std::size_t c = 0; c < s.categorical; ++c) {
        const std::size_t present = starts(s)[c + 1] - starts(s)[c];
        const auto needed = static_cast<std::size_t>(std::max(row.codes[c], -1) + 1);
        fits &= needed <= present;
        cells += needed <= present ? present : room_for(needed);
    }
    if (fits) return 0;
    // The old and the new block exist at the same time.
    return 2 * bytes(s, n_parts() + 1, cells);
}

// ---- learning ----

void LeafStatistics::refresh(const Shape& s, std::size_t k, const double* counts,
                             double* found) const noexcept {
    base(s)[k] = kernels().refresh(gaussian(k, counts), range(s, found), s.numeric);
}

void LeafStatistics::refresh_all(const Shape& s, const double* counts,
                                 double* found) const noexcept {
    for (std::size_t k = 0; k < s.class_stride; ++k) {
        if (counts[k] > 0.0) refresh(s, k, counts, found);
    }
}

void LeafStatistics::learn_bayes(const Shape& s, const Row& row, std::size_t y, double w,
                                 const double* counts, double* found) {
    if (s.numeric == 0) {
        refresh(s, y, counts);
    } else if (kernels().learn_bayes({classes()[y], nullptr, counts[y]}, range(s, found), s.numeric,
                                     row.x, w, base(s) + y)) {
        // The lower limit of every class's variance depends on the range of the leaf.
        refresh_all(s, counts, found);
    }
}

// Handles rows where a number is missing, in this row or in an earlier one.
void LeafStatistics::learn_known(const Shape& s, const Row& row, std::size_t y, double w,
                                 double before, const double* counts, bool bayes) {
    if (row.gap && !known_numbers(y)) std::fill_n(open_known_numbers(s, y), s.stride, before);
    if (!known_numbers(y)) {
        if (bayes) return learn_bayes(s, row, y, w, counts, nullptr);
        return kernels().learn(classes()[y], s.numeric, row.x, w, w / counts[y]);
    }
    double* const leaf = bayes && !s.finds_derived() ? leaf_planes(s) : nullptr;
    bool grown = bayes && s.finds_derived() && widens(s, row);
    grown |=
        kernels().learn_known(classes()[y], leaf, gaps_->numbers[y].data(), s.numeric, row.x, w);
    if (!bayes) return;
    if (grown) refresh_all(s, counts);
    else refresh(s, y, counts);
}

// Whether a number is outside the range that the leaf has seen.
bool LeafStatistics::widens(const Shape& s, const Row& row) const noexcept {
    for (std::size_t f = 0; f < s.numeric; ++f) {
        double bottom = infinity, top = -infinity;
        for (std::size_t k = 0; k < s.class_stride; ++k) {
            const double* const planes = classes()[k];
            if (!planes) continue;
            bottom = std::min(bottom, planes[low * s.numeric + f]);
            top = std::max(top, planes[high * s.numeric + f]);
        }
        if (row.x[f] < bottom || row.x[f] > top) return true;
    }
    return false;
}

// Handles features from c on if a category is missing or new to this leaf, or was so before.
void LeafStatistics::learn_rare(const Shape& s, const Row& row, std::size_t c, std::size_t y,
                                double w, double before, const double* counts) {
    const std::uint32_t* starts = this->starts(s);
    double* cells = this->cells(s, y);
    bool fits = true;
    for (std::size_t d = c; d < s.categorical; ++d) {
        fits &= row.codes[d] < static_cast<std::int32_t>(starts[d + 1] - starts[d]);
    }
    if (!fits) {
        make_room(s, row, y);
        starts = this->starts(s);
        cells = this->cells(s, y);
    }
    for (; c < s.categorical; ++c) {
        const std::int32_t code = row.codes[c];
        if (code >= 0) {
            cells[starts[c] + static_cast<std::uint32_t>(code)] += w;
            if (known_categories(c)) gaps_->categories[c][y] += w;
        } else if (!known_categories(c)) {
            double* const weights = open_known_categories(s, c);
            std::copy_n(counts, s.class_stride, weights);
            weights[y] = before;
        }
    }
}

}  // namespace riparian
