// Moments of the non-zeros of a leaf, from which those of all values follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../data/row.hpp"
#include "../memory/account.hpp"

namespace riparian {

// What a leaf remembers of numeric features if its rows are sparse. There is an entry for each pair
// of a feature and a class that had a value other than 0, and learning a row touches the entries of
// its non-zeros only. The zeros of a pair are what the weight of the class has beyond its entry. They
// are added when a check reads the statistics, by the formula that combines two sets of rows
// [chan1983]:
//
//     n = n_1 + n_0,  mean = mean_1 n_1 / n,  M_2 = M_2,1 + mean_1^2 n_1 n_0 / n
//
// Entries are found by a table of places with open addressing. Their order is that in which the pairs
// came, so that it depends on nothing but the rows.
class SparseMoments : public HeldObject {
public:
    struct Entry {
        std::uint32_t feature;  // its slot among the numeric ones
        std::uint32_t label;    // the class
        std::uint64_t rows;     // that have another value than 0, or none
        double weight;          // of known values other than 0
        double missing;         // weight of missing values
        double mean, squares;   // of known values other than 0
        double low, high;
    };

    // Learns a row of class y. `numeric`: how many numbers it has.
    void learn(const Row&, std::size_t numeric, std::size_t y, double w);
    // The bytes that learning the row may allocate in addition before old blocks are freed.
    [[nodiscard]] std::size_t growth(const Row&, std::size_t numeric, std::size_t y) const noexcept;
    // Makes features known that were missing from all rows so far; `counts` are the class weights.
    void add_features(std::size_t from, std::size_t to, const double* counts, std::size_t classes);

    [[nodiscard]] const Held<Entry>& entries() const noexcept { return entries_; }
    // Rows of a class.
    [[nodiscard]] std::uint64_t rows(std::size_t k) const noexcept {
        return k < rows_.size() ? rows_[k] : 0;
    }
    // The features that have an entry, ascending.
    [[nodiscard]] std::vector<std::uint32_t> features(std::size_t numeric) const;

    // Restores a saved state. A pair must not come twice; then it returns false.
    [[nodiscard]] bool restore(const std::vector<Entry>&, const std::vector<std::uint64_t>& rows);

private:
    [[nodiscard]] std::size_t hash(std::uint32_t feature, std::uint32_t label) const noexcept {
        const std::uint64_t key = (std::uint64_t{feature} << 16 | label) * 0x9e3779b97f4a7c15;
        return static_cast<std::size_t>(key >> shift_);
    }
    // The place in the table of a pair, or of the gap where it belongs.
    [[nodiscard]] std::size_t find(std::uint32_t feature, std::uint32_t label) const noexcept;
    Entry& entry_of(std::uint32_t feature, std::uint32_t label);
    void make_room(std::size_t entries);
    void learn_value(double x, std::uint32_t feature, std::uint32_t label, double w);

    Held<Entry> entries_;
    Held<std::uint32_t> places_;  // number of an entry, from 1; 0: a gap
    Held<std::uint64_t> rows_;    // [class]
    unsigned shift_ = 64;         // the table has 2^(64 - shift) places
};

static_assert(sizeof(SparseMoments::Entry) == 64);  // a cache line

}  // namespace riparian
