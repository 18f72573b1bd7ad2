// One object for each numeric feature of a leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../data/row.hpp"
#include "../memory/account.hpp"

namespace riparian {

// `Values` learns the numbers of one feature and offers cuts.
template <class Values>
class ByFeature {
public:
    static constexpr bool offers_cuts = true;
    static constexpr std::size_t room_of_a_row = 8192;  // new blocks of sorted values

    void learn(const RowShape& s, const Row& row, std::size_t y, double w) {
        for (std::size_t f = 0; f < s.numeric; ++f) {
            const double x = row.x[f];
            if (x == x) values_[f].learn(x, y, w);
        }
    }
    void keep(const std::vector<std::uint32_t>& numeric) {
        Held<Values> kept;
        for (const std::uint32_t f : numeric) kept.push_back(std::move(values_[f]));
        values_ = std::move(kept);
    }
    void left_mass(std::size_t slot, double t, std::size_t classes, double* out) const {
        values_[slot].left_mass(t, classes, out);
    }
    template <class F>
    void each_cut(std::size_t slot, std::size_t classes, F&& f) const {
        values_[slot].each_cut(classes, std::forward<F>(f));
    }

protected:
    // Makes room for exactly this many features. New ones are constructed from `fresh...`.
    template <class... Fresh>
    void fit(std::size_t numeric, const Fresh&... fresh) {
        while (values_.size() > numeric) values_.pop_back();
        set_room(values_, numeric);
        while (values_.size() < numeric) values_.emplace_back(fresh...);
    }

    Held<Values> values_;  // [numeric feature]
};

}  // namespace riparian
