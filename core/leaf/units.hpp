// Units over the inputs of a leaf: what the linear predictors keep.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "majority.hpp"

namespace riparian {

// Units with some planes of numbers each, a number for every input in every plane. Inputs, in
// this order:
//
//     the numeric features, standardised by the moments of all classes together
//     the constant 1
//     a 1 for the category of each categorical feature
//
// A missing value and a category that was never learned here are 0. Nothing is kept
// until the first row comes.
template <std::size_t n_planes>
class Units : public PredictorState {
public:
    [[nodiscard]] bool empty() const noexcept { return numbers_.empty(); }

    [[nodiscard]] std::size_t growth(const Shape&, const Row&,
                                     std::size_t n_classes) const noexcept final;
    void reshape(const Shape& from, const Shape& to) final;
    // The units as they are, and the moments with the weight of a few examples, so that those of
    // the child soon outweigh them.
    void inherit(const Shape&, const PredictorState& parent) final;
    // The moments lose weight. The units stay: new rows replace what they have learned.
    void forget(const Shape&, double share) final;
    // The mean of the units, and the moments of all rows [chan1983].
    void merge(const Shape&, const PredictorState& other, double share) final;
    void save(const Shape&, std::vector<double>& out) const final;
    void restore(const Shape&, const std::int32_t* categories, std::size_t n_classes,
                 double weight, const double* numbers, std::size_t count) final;

    // Numbers of one row, in whole vectors.
    static std::size_t n_inputs(const Shape& s) noexcept {
        return (s.numeric + 1 + s.categorical + 3) / 4 * 4;
    }
    // Room for the inputs of one row, and as many numbers in each of the other rooms.
    static void fit(const Shape&, AnswerScratch&, std::size_t rooms);

    static constexpr double inherited_weight = 30.0;  // of the moments, at most

protected:
    // How many units there are for so many classes.
    [[nodiscard]] virtual std::size_t units_for(std::size_t n_classes) const noexcept = 0;
    // What the numbers of a plane begin with, and what they can be.
    [[nodiscard]] virtual double first(std::size_t plane) const noexcept = 0;
    [[nodiscard]] virtual bool possible(std::size_t plane, double x) const noexcept = 0;
    // After the first units were there, more were made behind them.
    virtual void added(const Shape&, std::size_t before) { (void)before; }

    [[nodiscard]] std::size_t n_units(const Shape& s) const noexcept {
        return empty() ? 0 : (numbers_.size() - moment_planes * s.stride) / unit_size(s);
    }
    [[nodiscard]] double* plane(const Shape& s, std::size_t unit, std::size_t p) noexcept {
        return numbers_.data() + moment_planes * s.stride + unit * unit_size(s) + p * plane_size(s);
    }
    [[nodiscard]] const double* plane(const Shape& s, std::size_t unit,
                                      std::size_t p) const noexcept {
        return const_cast<Units*>(this)->plane(s, unit, p);
    }
    [[nodiscard]] std::size_t plane_size(const Shape& s) const noexcept {
        return dense(s) + (n_cells() + 3) / 4 * 4;
    }
    [[nodiscard]] std::size_t unit_size(const Shape& s) const noexcept {
        return n_planes * plane_size(s);
    }
    // Features up to the last that ever had a value here. In sums, whose last bits depend on the
    // order, the constant stands behind them: a column that is there before its first value
    // moves nothing.
    [[nodiscard]] std::size_t known_features(const Shape&) const noexcept;
    // Where the numbers of a category stand in a plane; 0 where there are none.
    [[nodiscard]] std::size_t cell(const Shape&, std::size_t c, std::int32_t code) const noexcept;

    // Units for the classes and cells for the categories of a row.
    void make_room_for(const Shape&, const Row&, std::size_t n_classes);
    // Learns the moments, and writes the inputs, those of the categories behind the constant.
    // Gives the place of the constant.
    std::size_t learn_inputs(const Shape&, const Row&, double w, double* x);
    // Writes the inputs up to the constant, and gives its place.
    std::size_t find_inputs(const Shape&, const Row&, double* x) const;
    // The sum of weights in a plane over the inputs; `room` has room for the inputs.
    [[nodiscard]] double output(const Shape&, const double* plane, std::size_t constant,
                                const Row&, const double* x, double* room) const noexcept;
    // Calls visit(place among the inputs, place in a plane) for the inputs that are not 0.
    template <class Visit>
    void each_input(const Shape& s, std::size_t constant, const Row& row, Visit&& visit) const {
        for (std::size_t i = 0; i < constant; ++i) visit(i, i);
        visit(constant, s.numeric);
        for (std::size_t c = 0; c < s.categorical; ++c) {
            const std::size_t place = cell(s, c, row.codes[c]);
            if (place) visit(constant + 1 + c, place);
        }
    }
    // A weight of 3 is three examples. A larger one than there are repetitions ends with one long
    // step.
    template <class Once>
    static void repeat(double w, Once&& once) {
        constexpr int most_repetitions = 16;
        for (int times = 0; w > 1.0 && times < most_repetitions; ++times, w -= 1.0) once(1.0);
        once(w);
    }

private:
    static constexpr std::size_t moment_planes = 3;

    // Inputs that every row has, in whole vectors.
    static std::size_t dense(const Shape& s) noexcept { return (s.numeric + 4) / 4 * 4; }

    [[nodiscard]] std::size_t n_cells() const noexcept { return starts_.empty() ? 0 : starts_.back(); }
    [[nodiscard]] std::size_t size_of(const Shape& s, std::size_t units) const noexcept {
        return moment_planes * s.stride + units * unit_size(s);
    }
    [[nodiscard]] PooledMoments moments(const Shape& s) const noexcept {
        auto* const first = const_cast<double*>(numbers_.data());
        return {first, first + s.stride, first + 2 * s.stride};
    }
    void lay_out(const Shape&, std::size_t units, Held<std::uint32_t> starts);
    void move_to(const Shape& from, const Shape& to, Held<std::uint32_t> starts);
    void add_units(const Shape&, std::size_t units);

    Held<std::uint32_t> starts_;  // [categorical + 1] of each feature's cells
    HeldDoubles numbers_;  // the moments, then a unit after the other
};

// What predictors with units have in common. The state fills probabilities; where it knows nothing,
// and at an inactive leaf, the majority predicts.
template <class UnitState>
struct UnitPredictor {
    static constexpr bool observes = false;
    using State = UnitState;

    [[nodiscard]] static constexpr bool needs_derived() noexcept { return false; }

    [[nodiscard]] std::int32_t answer(const LeafView& leaf, const Row& row,
                                      AnswerScratch& scratch) const {
        return class_of(leaf, row, scratch);
    }

    std::int32_t observe(const LeafView& leaf, const Row& row, AnswerScratch& scratch, LeafNumbers&,
                         std::size_t, double) const {
        return class_of(leaf, row, scratch);
    }

    static void probabilities(const LeafView& leaf, const Row& row, AnswerScratch& scratch,
                              double* out) {
        if (!known(leaf, row, scratch, out)) {
            Majority{}.probabilities(leaf, row, scratch, out);
        }
    }
    // The mean over the parts of an example with uncertain values.
    static void probabilities(const LeafView& leaf, Spread& spread, AnswerScratch& scratch,
                              double* out) {
        if (!has_learned(leaf)) return Majority{}.probabilities(leaf, spread, scratch, out);
        const std::size_t n = leaf.n_classes;
        std::vector<double>& shares = spread.room.likelihoods;
        shares.resize(n);
        std::fill_n(out, n, 0.0);
        spread.each_part([&](const Row& part, double weight) {
            probabilities(leaf, part, scratch, shares.data());
            for (std::size_t k = 0; k < n; ++k) out[k] += weight * shares[k];
        });
    }

    [[nodiscard]] static std::int32_t class_of(const LeafView& leaf, const Row& row,
                                               AnswerScratch& scratch) {
        double* const shares = scratch.scores.data();
        if (!known(leaf, row, scratch, shares)) return Majority::class_of(leaf);
        return largest_class(shares, leaf.n_classes);
    }
    [[nodiscard]] static std::int32_t class_of(const LeafView& leaf, Spread& spread,
                                               AnswerScratch& scratch) {
        if (!has_learned(leaf)) return Majority::class_of(leaf);
        std::vector<double>& shares = spread.room.shares;
        shares.resize(leaf.n_classes);
        probabilities(leaf, spread, scratch, shares.data());
        return largest_class(shares.data(), leaf.n_classes);
    }

    bool operator==(const UnitPredictor&) const = default;

protected:
    [[nodiscard]] static bool has_learned(const LeafView& leaf) noexcept {
        return leaf.state && !static_cast<const State*>(leaf.state)->empty();
    }

private:
    [[nodiscard]] static bool known(const LeafView& leaf, const Row& row, AnswerScratch& scratch,
                                    double* out) {
        return leaf.state && static_cast<const State*>(leaf.state)
                                 ->probabilities(leaf.shape, row, leaf.n_classes, scratch, out);
    }
};

}  // namespace riparian
