// Linear units over the inputs of a leaf: the state of the linear predictors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "majority.hpp"

namespace riparian {

// Units with several planes each. A plane holds one number per input. The inputs are, in this
// order:
//
//     the numeric features, standardised by the moments of all classes together
//     the constant 1
//     a 1 for the category of each categorical feature
//
// A missing value and a category that was never learned here are 0. Nothing is allocated before the
// first row.
template <std::size_t n_planes>
class Units : public PredictorState {
public:
    [[nodiscard]] bool empty() const noexcept { return numbers_.empty(); }

    [[nodiscard]] std::size_t growth(const Shape&, const Row&,
                                     std::size_t n_classes) const noexcept final;
    void reshape(const Shape& from, const Shape& to) final;
    void leave_out(const Shape&, std::size_t slot) final;
    // Copies the units. The moments are copied with the weight of a few examples, so that those of
    // the child soon dominate.
    void inherit(const Shape&, const PredictorState& parent) final;
    // Reduces the weight of the moments. The units stay, because new rows replace what they have
    // learned.
    void forget(const Shape&, double share) final;
    // Uses the mean of the units, and the moments of all rows [chan1983].
    void merge(const Shape&, const PredictorState& other, double share) final;
    void save(const Shape&, std::vector<double>& out) const final;
    void restore(const Shape&, const std::int32_t* categories, std::size_t n_classes, double weight,
                 const double* numbers, std::size_t count) final;

    // Number of inputs of one row, rounded up to whole vectors.
    static std::size_t n_inputs(const Shape& s) noexcept {
        return (s.numeric + 1 + s.categorical + 3) / 4 * 4;
    }
    // Makes room for the inputs of one row, and for as many numbers in each of the other rooms.
    static void fit(const Shape&, PredictorScratch&, std::size_t rooms);

    static constexpr double inherited_weight = 30.0;  // largest weight of inherited moments

protected:
    // The number of units for this many classes.
    [[nodiscard]] virtual std::size_t units_for(std::size_t n_classes) const noexcept = 0;
    // The initial number of a plane, and which numbers are possible in it.
    [[nodiscard]] virtual double first(std::size_t plane) const noexcept = 0;
    [[nodiscard]] virtual bool possible(std::size_t plane, double x) const noexcept = 0;
    // Called when units were added after the first ones. `before` is how many there were.
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
    // The features up to the last one that ever had a value here. The last bits of a sum depend on
    // the order of its terms. The constant comes right after these features, so that a column
    // without any value does not change the sum.
    [[nodiscard]] std::size_t known_features(const Shape&) const noexcept;
    // Index of a category's number in a plane; 0 if it has none.
    [[nodiscard]] std::size_t cell(const Shape&, std::size_t c, std::int32_t code) const noexcept;

    // Adds units for the classes and cells for the categories of a row.
    void make_room_for(const Shape&, const Row&, std::size_t n_classes);
    // Learns the moments and writes the inputs; those of the categories come after the constant.
    // Returns the index of the constant.
    std::size_t learn_inputs(const Shape&, const Row&, double w, double* x);
    // Writes the inputs up to the constant and returns its index.
    std::size_t find_inputs(const Shape&, const Row&, double* x) const;
    // The sum of a plane's weights times the inputs. `room` has room for the inputs.
    [[nodiscard]] double output(const Shape&, const double* plane, std::size_t constant, const Row&,
                                const double* x, double* room) const noexcept;
    // The same for plane 0 of the first units.
    void outputs(const Shape&, std::size_t units, std::size_t constant, const Row&, const double* x,
                 double* room, double* out) const noexcept;
    // Of a class: constant + factor * the output of a unit.
    struct ClassScore {
        double constant = 0.0;
        std::size_t unit = 0;
        double factor = 0.0;
    };
    // Writes the scores of classes as sums of the terms of each value. The weights are in plane 0.
    void describe(const Shape&, const std::vector<ClassScore>&, Formula& out) const;
    // Calls visit(index of the input, index in a plane) for the inputs that are not 0.
    template <class Visit>
    void each_input(const Shape& s, std::size_t constant, const Row& row, Visit&& visit) const {
        for (std::size_t i = 0; i < constant; ++i) visit(i, i);
        visit(constant, s.numeric);
        for (std::size_t c = 0; c < s.categorical; ++c) {
            const std::size_t place = cell(s, c, row.codes[c]);
            if (place) visit(constant + 1 + c, place);
        }
    }
    // Repeats an update: a weight of 3 counts as three examples. After most_repetitions the rest of
    // the weight is one long step.
    template <class Once>
    static void repeat(double w, Once&& once) {
        constexpr int most_repetitions = 16;
        for (int times = 0; w > 1.0 && times < most_repetitions; ++times, w -= 1.0) once(1.0);
        once(w);
    }

private:
    static constexpr std::size_t moment_planes = 3;

    // The inputs that every row has, rounded up to whole vectors.
    static std::size_t dense(const Shape& s) noexcept { return (s.numeric + 4) / 4 * 4; }

    [[nodiscard]] std::size_t n_cells() const noexcept {
        return starts_.empty() ? 0 : starts_.back();
    }
    [[nodiscard]] std::size_t size_of(const Shape& s, std::size_t units) const noexcept {
        return moment_planes * s.stride + units * unit_size(s);
    }
    // Cells up to the last one that ever learned; the others are spare capacity.
    [[nodiscard]] std::size_t used_cells(const Shape&, std::size_t c) const noexcept;
    [[nodiscard]] PooledMoments moments(const Shape& s) const noexcept {
        auto* const first = const_cast<double*>(numbers_.data());
        return {first, first + s.stride, first + 2 * s.stride};
    }
    void lay_out(const Shape&, std::size_t units, Held<std::uint32_t> starts);
    void move_to(const Shape& from, const Shape& to, Held<std::uint32_t> starts);
    void add_units(const Shape&, std::size_t units);

    Held<std::uint32_t> starts_;  // [categorical + 1]: where the cells of each feature start
    HeldDoubles numbers_;         // the moments, then the units
};

// What predictors with units have in common. The state computes the probabilities. If it has
// learned nothing, or the leaf is inactive, the majority class is predicted.
template <class UnitState>
struct UnitPredictor {
    static constexpr bool observes = false;
    using State = UnitState;

    [[nodiscard]] static constexpr bool needs_derived() noexcept { return false; }

    [[nodiscard]] std::int32_t predict(const LeafView& leaf, const Row& row,
                                       PredictorScratch& scratch) const {
        return class_of(leaf, row, scratch);
    }

    std::int32_t observe(const LeafView& leaf, const Row& row, PredictorScratch& scratch,
                         LeafNumbers&, std::size_t, double) const {
        return class_of(leaf, row, scratch);
    }

    static void probabilities(const LeafView& leaf, const Row& row, PredictorScratch& scratch,
                              double* out) {
        if (!known(leaf, row, scratch, out)) {
            Majority{}.probabilities(leaf, row, scratch, out);
        }
    }
    // The mean of the predictions for the parts of an example with uncertain values.
    static void probabilities(const LeafView& leaf, Spread& spread, PredictorScratch& scratch,
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
                                               PredictorScratch& scratch) {
        if constexpr (requires(const State& state) {
                          state.class_of(leaf.shape, row, leaf.n_classes, scratch);
                      }) {
            if (!has_learned(leaf)) return Majority::class_of(leaf);
            return static_cast<const State*>(leaf.state)
                ->class_of(leaf.shape, row, leaf.n_classes, scratch);
        } else {
            double* const shares = scratch.scores.data();
            if (!known(leaf, row, scratch, shares)) return Majority::class_of(leaf);
            return largest_class(shares, leaf.n_classes);
        }
    }
    // Writes the probabilities and returns the class.
    static std::int32_t class_and_shares(const LeafView& leaf, const Row& row,
                                         PredictorScratch& scratch, double* out) {
        if (known(leaf, row, scratch, out)) return largest_class(out, leaf.n_classes);
        Majority{}.probabilities(leaf, row, scratch, out);
        return Majority::class_of(leaf);
    }
    [[nodiscard]] static std::int32_t class_of(const LeafView& leaf, Spread& spread,
                                               PredictorScratch& scratch) {
        if (!has_learned(leaf)) return Majority::class_of(leaf);
        std::vector<double>& shares = spread.room.shares;
        shares.resize(leaf.n_classes);
        probabilities(leaf, spread, scratch, shares.data());
        return largest_class(shares.data(), leaf.n_classes);
    }

    [[nodiscard]] static Formula describe(const LeafView& leaf, PredictorScratch&) {
        if (!has_learned(leaf)) return {};
        return static_cast<const State*>(leaf.state)->formula(leaf.shape, leaf.n_classes);
    }

    bool operator==(const UnitPredictor&) const = default;

protected:
    [[nodiscard]] static bool has_learned(const LeafView& leaf) noexcept {
        return leaf.state && !static_cast<const State*>(leaf.state)->empty();
    }

private:
    [[nodiscard]] static bool known(const LeafView& leaf, const Row& row, PredictorScratch& scratch,
                                    double* out) {
        return leaf.state && static_cast<const State*>(leaf.state)
                                 ->probabilities(leaf.shape, row, leaf.n_classes, scratch, out);
    }
};

}  // namespace riparian
