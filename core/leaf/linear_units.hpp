// Linear units with a learned step size a weight: what the leaf "idbd" keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../memory/account.hpp"
#include "../statistics/leaf_statistics.hpp"

namespace riparian {

// How units learn: the step size of the step sizes, and the logarithm of the first ones.
struct StepSizes {
    double theta = 0.01;
    double log_alpha = -2.995732273553991;  // ln 0.05

    bool operator==(const StepSizes&) const = default;
};

// Room for the inputs of one row and for a unit's numbers of the inputs that are not 0.
struct LinearScratch {
    HeldDoubles inputs, weights, log_steps, traces, steps;

    void fit(const Shape&);
};

// The units of one leaf [sutton1992, fig. 2]. Up to two classes are one unit with the
// targets -1 and +1; K > 2 are K units with the targets 0 and 1. Inputs, in this order:
//
//     the numeric features, standardised by the moments of all classes together
//     the constant 1
//     a 1 for the category of each categorical feature
//
// A missing value and a category that was never learned here are 0. Nothing is kept
// until the first row comes.
class LinearUnits : public HeldObject {
public:
    [[nodiscard]] bool empty() const noexcept { return n_units_ == 0; }

    void learn(const Shape&, const Row&, std::size_t y, double w, std::size_t n_classes,
               const StepSizes&, LinearScratch&);
    // Fills n_classes numbers that sum to 1; false if the units know nothing of these
    // classes.
    [[nodiscard]] bool probabilities(const Shape&, const Row&, std::size_t n_classes,
                                     LinearScratch&, double* out) const;

    // What a child of this leaf begins with: the units as they are, and the moments with
    // the weight of a few examples, so that its own soon outweigh them.
    [[nodiscard]] LinearUnits for_child(const Shape&) const;
    // Becomes equal to the other, which has the same shape; this one is empty.
    void copy_from(const Shape&, const LinearUnits& other);
    void reshape(const Shape& from, const Shape& to, const StepSizes&);

    // What a row would take besides, before it gives the old block back.
    [[nodiscard]] std::size_t growth(const Shape&, const Row&, std::size_t n_classes) const noexcept;

    // The state as numbers, and back; std::invalid_argument unless they can be one.
    void save(const Shape&, const StepSizes&, std::vector<double>& out) const;
    void restore(const Shape&, const std::int32_t* categories, std::size_t n_classes,
                 const StepSizes&, const double* numbers, std::size_t count);

    static constexpr double inherited_weight = 30.0;  // of the moments, at most

    double right = 0.0;  // as `Track` has it for the other predictors

private:
    enum UnitPlane : std::size_t { weights, log_steps, traces };
    static constexpr std::size_t unit_planes = 3;
    static constexpr std::size_t moment_planes = 3;

    // Inputs that every row has, in whole vectors.
    static std::size_t dense(const Shape& s) noexcept { return (s.numeric + 4) / 4 * 4; }

    [[nodiscard]] std::size_t n_cells() const noexcept { return starts_.empty() ? 0 : starts_.back(); }
    [[nodiscard]] std::size_t plane_size(const Shape& s) const noexcept {
        return dense(s) + (n_cells() + 3) / 4 * 4;
    }
    [[nodiscard]] std::size_t unit_size(const Shape& s) const noexcept {
        return unit_planes * plane_size(s);
    }
    [[nodiscard]] std::size_t size_of(const Shape& s, std::size_t units) const noexcept {
        return moment_planes * s.stride + units * unit_size(s);
    }
    [[nodiscard]] double* plane(const Shape& s, std::size_t unit, std::size_t p) noexcept {
        return numbers_.data() + moment_planes * s.stride + unit * unit_size(s) + p * plane_size(s);
    }
    [[nodiscard]] const double* plane(const Shape& s, std::size_t unit,
                                      std::size_t p) const noexcept {
        return const_cast<LinearUnits*>(this)->plane(s, unit, p);
    }
    [[nodiscard]] PooledMoments moments(const Shape& s) const noexcept {
        auto* const first = const_cast<double*>(numbers_.data());
        return {first, first + s.stride, first + 2 * s.stride};
    }
    // Features up to the last that ever had a value here. In sums, whose last bits hang on the
    // order, the constant stands behind them: a column that is there before its first value
    // moves nothing.
    [[nodiscard]] std::size_t met(const Shape&) const noexcept;
    // Where the numbers of a category stand in a plane; 0 where there are none.
    [[nodiscard]] std::size_t cell(const Shape&, std::size_t c, std::int32_t code) const noexcept;

    void lay_out(const Shape&, std::size_t units, Held<std::uint32_t> starts,
                 const StepSizes&);
    void move_to(const Shape& from, const Shape& to, Held<std::uint32_t> starts,
                 const StepSizes&);
    void add_units(const Shape&, std::size_t n_classes, const StepSizes&);
    void make_cells(const Shape&, const Row&, const StepSizes&);
    void step(const Shape&, std::size_t met, std::size_t unit, const Row&, double target, double w,
              const StepSizes&, LinearScratch&);
    double output(const Shape&, std::size_t met, std::size_t unit, const Row&,
                  LinearScratch&) const noexcept;

    std::size_t n_units_ = 0;
    Held<std::uint32_t> starts_;  // [categorical + 1] of each feature's cells
    HeldDoubles numbers_;  // the moments, then a unit after the other
};

}  // namespace riparian
