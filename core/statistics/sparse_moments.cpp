#include "sparse_moments.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <new>

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The capacities follow from the number of entries alone, as in every list of a model.
std::size_t room_for_entries(std::size_t n) noexcept {
    std::size_t room = 16;
    while (room < n) room += room / 4;
    return room;
}

// At most three quarters of the places are taken.
std::size_t places_for(std::size_t room) noexcept { return std::bit_ceil(room + room / 3 + 1); }

std::size_t bytes_for(std::size_t n) noexcept {
    const std::size_t room = room_for_entries(n);
    return taken(room * sizeof(SparseMoments::Entry)) +
           taken(places_for(room) * sizeof(std::uint32_t));
}

// Calls learn(slot) for each number of a row that is not 0.
template <class Learn>
void each_nonzero(const Row& row, std::size_t numeric, Learn&& learn) {
    if (row.nonzeros) {
        for (std::size_t i = 0; i < row.nonzeros->count; ++i) learn(row.nonzeros->slots[i]);
        return;
    }
    for (std::size_t f = 0; f < numeric; ++f) {
        if (row.x[f] != 0.0) learn(static_cast<std::uint32_t>(f));
    }
}

}  // namespace

std::size_t SparseMoments::find(std::uint32_t feature, std::uint32_t label) const noexcept {
    const std::size_t mask = places_.size() - 1;
    std::size_t at = hash(feature, label);
    for (;; at = (at + 1) & mask) {
        if (places_[at] == 0) return at;
        const Entry& e = entries_[places_[at] - 1];
        if (e.feature == feature && e.label == label) return at;
    }
}

// The larger table is made first: if there is no memory for it, nothing has changed.
void SparseMoments::make_room(std::size_t n) {
    const std::size_t room = room_for_entries(n);
    if (entries_.capacity() >= room) return;
    if (room > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
    Held<std::uint32_t> places(places_for(room), 0);
    set_room(entries_, room);
    places_ = std::move(places);
    shift_ = 64U - static_cast<unsigned>(std::countr_zero(places_.size()));
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        places_[find(entries_[i].feature, entries_[i].label)] = static_cast<std::uint32_t>(i + 1);
    }
}

SparseMoments::Entry& SparseMoments::entry_of(std::uint32_t feature, std::uint32_t label) {
    std::size_t at = find(feature, label);
    if (places_[at]) return entries_[places_[at] - 1];
    if (entries_.size() == entries_.capacity()) {
        make_room(entries_.size() + 1);
        at = find(feature, label);
    }
    entries_.push_back({feature, label, 0, 0.0, 0.0, 0.0, 0.0, infinity, -infinity});
    places_[at] = static_cast<std::uint32_t>(entries_.size());
    return entries_.back();
}

// The formulas of the dense kernel (simd/moments.ipp).
void SparseMoments::learn_value(double x, std::uint32_t feature, std::uint32_t label, double w) {
    Entry& e = entry_of(feature, label);
    ++e.rows;
    if (x != x) {
        e.missing += w;
        return;
    }
    e.weight += w;
    const double step = x - e.mean;
    const double after = e.mean + step * (w / e.weight);
    e.mean = after;
    e.squares += std::max(step * w * (x - after), 0.0);
    e.low = std::min(e.low, x);
    e.high = std::max(e.high, x);
}

void SparseMoments::learn(const Row& row, std::size_t numeric, std::size_t y, double w) {
    const auto label = static_cast<std::uint32_t>(y);
    std::size_t n = row.nonzeros ? row.nonzeros->count : 0;
    if (!row.nonzeros) each_nonzero(row, numeric, [&](std::uint32_t) { ++n; });
    if (rows_.size() <= y) {
        set_room(rows_, y + 1);
        rows_.resize(y + 1, 0);
    }
    if (places_.empty() && n > 0) make_room(1);
    ++rows_[y];
    // Tables are larger than caches, and misses that wait together wait once.
    constexpr std::size_t together = 16;
    std::uint32_t slots[together];
    std::size_t filled = 0;
    const auto learn_slots = [&] {
        for (std::size_t i = 0; i < filled; ++i) {
            if (const std::uint32_t entry = places_[hash(slots[i], label)]) {
                __builtin_prefetch(&entries_[entry - 1], 1);
            }
        }
        for (std::size_t i = 0; i < filled; ++i) learn_value(row.x[slots[i]], slots[i], label, w);
        filled = 0;
    };
    each_nonzero(row, numeric, [&](std::uint32_t slot) {
        __builtin_prefetch(&places_[hash(slot, label)], 0);
        slots[filled++] = slot;
        if (filled == together) learn_slots();
    });
    learn_slots();
}

std::size_t SparseMoments::growth(const Row& row, std::size_t numeric,
                                  std::size_t y) const noexcept {
    const std::size_t classes = y < rows_.size() ? 0 : taken((y + 1) * sizeof(std::uint64_t));
    std::size_t n = 0;
    each_nonzero(row, numeric, [&](std::uint32_t) { ++n; });
    const std::size_t all = entries_.size() + n;
    return classes + (entries_.capacity() >= room_for_entries(all) ? 0 : bytes_for(all));
}

void SparseMoments::add_features(std::size_t from, std::size_t to, const double* counts,
                                 std::size_t classes) {
    std::size_t n = 0;
    for (std::size_t k = 0; k < classes; ++k) n += rows(k) > 0;
    if (n == 0) return;
    make_room(entries_.size() + (to - from) * n);
    for (std::size_t f = from; f < to; ++f) {
        for (std::size_t k = 0; k < classes; ++k) {
            if (rows(k) == 0) continue;
            Entry& e = entry_of(static_cast<std::uint32_t>(f), static_cast<std::uint32_t>(k));
            e.rows = rows(k);
            e.missing = counts[k];
        }
    }
}

std::vector<std::uint32_t> SparseMoments::features(std::size_t numeric) const {
    std::vector<std::uint8_t> present(numeric, 0);
    for (const Entry& e : entries_) present[e.feature] = 1;
    std::vector<std::uint32_t> out;
    for (std::uint32_t f = 0; f < numeric; ++f) {
        if (present[f]) out.push_back(f);
    }
    return out;
}

bool SparseMoments::restore(const std::vector<Entry>& entries,
                            const std::vector<std::uint64_t>& rows) {
    std::size_t classes = rows.size();
    while (classes && rows[classes - 1] == 0) --classes;
    set_room(rows_, classes);
    rows_.assign(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(classes));
    if (!entries.empty()) make_room(entries.size());
    for (const Entry& e : entries) {
        const std::size_t at = find(e.feature, e.label);
        if (places_[at]) return false;
        entries_.push_back(e);
        places_[at] = static_cast<std::uint32_t>(entries_.size());
    }
    return true;
}

}  // namespace riparian
