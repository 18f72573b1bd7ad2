#include "sorted_column.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace riparian::restructuring {
namespace {

constexpr double unknown = -std::numeric_limits<double>::infinity();

// With more classes, a cut is scored from the one before it.
constexpr std::size_t few_classes = 16;

// A number between two numbers that is below the second.
double midpoint(double low, double high) noexcept {
    const double middle = low * 0.5 + high * 0.5;
    return middle < high && middle >= low ? middle : low;
}

}  // namespace

SortedColumn::SortedColumn(std::vector<Entry>& entries, const Store& store) {
    std::sort(entries.begin(), entries.end());
    append(entries, store);
}

SortedColumn::SortedColumn(const std::vector<const SortedColumn*>& columns, const Store& store) {
    std::vector<Entry> all, before;
    for (const SortedColumn* const column : columns) {
        before.swap(all);
        all.clear();
        all.reserve(before.size() + column->size());
        auto at = before.begin();
        column->each([&](const Entry& e) {
            while (at != before.end() && *at < e) all.push_back(*at++);
            all.push_back(e);
        });
        all.insert(all.end(), at, before.end());
    }
    append(all, store);
}

void SortedColumn::append(std::span<const Entry> entries, const Store& store) {
    size_ = entries.size();
    // Blocks are filled to three quarters, so that the next examples do not divide every block.
    constexpr std::size_t filled = most_entries * 3 / 4;
    blocks_.reserve((entries.size() + filled - 1) / filled);
    for (std::size_t first = 0; first < entries.size(); first += filled) {
        const auto some = entries.subspan(first, std::min(filled, entries.size() - first));
        Block& block = blocks_.emplace_back();
        block.least_cost = unknown;
        block.entries.assign(some.begin(), some.end());
        for (const Entry& e : some) count(block, e, store.weight(e.example));
    }
}

void SortedColumn::count(Block& block, const Entry& e, double w) {
    const auto label = static_cast<std::size_t>(e.label);
    if (label >= block.totals.size()) block.totals.resize(label + 1, 0.0);
    block.totals[label] += w;
    block.n += w;
    if (w != 1.0) weighted_ = true;
}

std::size_t SortedColumn::block_of(const Entry& e) const noexcept {
    const auto at = std::lower_bound(
        blocks_.begin(), blocks_.end(), e,
        [](const Block& b, const Entry& wanted) { return b.entries.back() < wanted; });
    return static_cast<std::size_t>(at - blocks_.begin());
}

void SortedColumn::move_bounds(std::size_t own, const Entry& e, double w, const Whole& whole,
                               bool adding) {
    const auto k = static_cast<std::size_t>(e.label);
    const double total_k = k < whole.totals().size() ? whole.totals()[k] : 0.0;
    double n = 0.0, n_k = 0.0;  // weight to the left of the block
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        Block& b = blocks_[i];
        const double end = n + b.n, end_k = n_k + (k < b.totals.size() ? b.totals[k] : 0.0);
        if (i != own && b.least_cost != unknown) {
            const bool right = i < own;  // the example is to the right of every cut of the block
            const double low = right ? whole.n() - end : n;
            const double high = right ? whole.n() - n : end;
            const double low_k = right ? total_k - end_k : n_k;
            const double high_k = right ? total_k - n_k : end_k;
            if (adding) {
                b.least_cost += std::max(0.0, rise(low, w) - rise(high_k, w));
            } else {
                b.least_cost -=
                    std::max(0.0, rise(high - w, w) - rise(std::max(0.0, low_k - w), w));
            }
        }
        n = end;
        n_k = end_k;
    }
}

void SortedColumn::add(const Entry& e, const Store& store, const Whole& whole) {
    const double w = store.weight(e.example);
    if (std::isnan(e.value)) {
        move_bounds(blocks_.size(), e, w, whole, true);
        return;
    }
    const std::size_t own = blocks_.empty() ? 0 : std::min(block_of(e), blocks_.size() - 1);
    if (blocks_.empty()) blocks_.emplace_back();
    move_bounds(own, e, w, whole, true);
    Block& block = blocks_[own];
    block.entries.insert(std::lower_bound(block.entries.begin(), block.entries.end(), e), e);
    count(block, e, w);
    block.least_cost = unknown;
    ++size_;
    if (block.entries.size() > most_entries) part(own, store);
}

void SortedColumn::remove(const Entry& e, const Store& store, const Whole& whole) {
    const double w = store.weight(e.example);
    if (std::isnan(e.value)) {
        move_bounds(blocks_.size(), e, w, whole, false);
        return;
    }
    const std::size_t own = block_of(e);
    move_bounds(own, e, w, whole, false);
    Block& block = blocks_[own];
    block.entries.erase(std::lower_bound(block.entries.begin(), block.entries.end(), e));
    block.totals[static_cast<std::size_t>(e.label)] -= w;
    block.n -= w;
    block.least_cost = unknown;
    // The last cut of the previous block may exist only now.
    if (own > 0) blocks_[own - 1].least_cost = unknown;
    --size_;
    if (block.entries.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(own));
}

void SortedColumn::part(std::size_t own, const Store& store) {
    Block& upper = *blocks_.emplace(blocks_.begin() + static_cast<std::ptrdiff_t>(own) + 1);
    Block& lower = blocks_[own];
    const auto middle = lower.entries.begin() + most_entries / 2;
    upper.entries.assign(middle, lower.entries.end());
    upper.totals.assign(lower.totals.size(), 0.0);
    upper.least_cost = unknown;
    lower.entries.erase(middle, lower.entries.end());
    for (const Entry& e : upper.entries) {
        const double w = store.weight(e.example);
        count(upper, e, w);
        lower.totals[static_cast<std::size_t>(e.label)] -= w;
        lower.n -= w;
    }
}

std::size_t SortedColumn::size_up_to(double value) const noexcept {
    std::size_t n = 0;
    for (const Block& b : blocks_) {
        if (b.entries.back().value <= value) {
            n += b.entries.size();
            continue;
        }
        const auto above = std::upper_bound(b.entries.begin(), b.entries.end(), value,
                                            [](double v, const Entry& e) { return v < e.value; });
        return n + static_cast<std::size_t>(above - b.entries.begin());
    }
    return n;
}

// Visits the entries of a block. Afterwards `left` and `n_left` include them.
template <class Call>
void SortedColumn::each_cut(std::size_t block, const Whole& whole, const Store& store,
                            std::span<double> left, double& n_left, Call&& call) const {
    const Held<Entry>& entries = blocks_[block].entries;
    const bool last = block + 1 == blocks_.size();
    std::optional<RunningSum> sum;
    if (left.size() > few_classes) sum.emplace(whole, left);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& e = entries[i];
        const double w = weighted_ ? store.weight(e.example) : 1.0;
        const auto label = static_cast<std::size_t>(e.label);
        if (sum) sum->move(label, left[label], w);
        left[label] += w;
        n_left += w;
        const bool end = i + 1 == entries.size();
        if (end && last) return;
        const double next = end ? blocks_[block + 1].entries.front().value : entries[i + 1].value;
        if (next == e.value) continue;
        call(e.value, next,
             sum ? whole.cost_of_sum(sum->value(), n_left) : whole.cost_of(left, n_left));
    }
}

double SortedColumn::best(const Whole& whole, double top, const Store& store, Held<double>& room) {
    room.assign(whole.totals().size(), 0.0);
    double n_left = 0.0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        Block& b = blocks_[i];
        const bool last = i + 1 == blocks_.size();
        const double low = n_left + store.weight(b.entries.front().example);
        const double high = n_left + b.n - (last ? store.weight(b.entries.back().example) : 0.0);
        b.best_merit = unknown;
        if (whole.most_merit(b.least_cost, low, high) < top - 2.0 * whole.tolerance()) {
            for (std::size_t c = 0; c < b.totals.size(); ++c) room[c] += b.totals[c];
            n_left += b.n;
            continue;
        }
        b.least_cost = -unknown;
        each_cut(i, whole, store, room, n_left, [&](double, double, double cost) {
            b.least_cost = std::min(b.least_cost, cost);
            b.best_merit = std::max(b.best_merit, whole.merit(cost, n_left));
        });
        top = std::max(top, b.best_merit);
    }
    return top;
}

std::optional<Cut> SortedColumn::first(const Whole& whole, double level, const Store& store,
                                       Held<double>& room) const {
    room.assign(whole.totals().size(), 0.0);
    double n_left = 0.0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const Block& b = blocks_[i];
        if (b.best_merit < level) {
            for (std::size_t c = 0; c < b.totals.size(); ++c) room[c] += b.totals[c];
            n_left += b.n;
            continue;
        }
        std::optional<Cut> found;
        each_cut(i, whole, store, room, n_left, [&](double value, double next, double cost) {
            if (found) return;
            const double merit = whole.merit(cost, n_left);
            if (merit >= level) found = Cut{midpoint(value, next), merit};
        });
        if (found) return found;
    }
    return std::nullopt;
}

}  // namespace riparian::restructuring
