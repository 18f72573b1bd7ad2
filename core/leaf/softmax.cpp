#include "softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "units.ipp"
#include "units_numbers.ipp"

namespace riparian {

template class Units<1>;

namespace {

enum RoomOf : std::size_t { inputs_room, weights_room };

}  // namespace

bool SoftmaxState::possible(std::size_t, double x) const noexcept {
    return std::fabs(x) <= most_linear;
}

void SoftmaxState::find_outputs(const Shape& s, std::size_t constant, const Row& row,
                                std::size_t n_classes, PredictorScratch& scratch) const {
    double* const scores = scratch.scores.data();
    const double* const x = scratch.rooms[inputs_room].data();
    double* const room = scratch.rooms[weights_room].data();
    const std::size_t units = std::min(n_units(s), n_classes);
    outputs(s, units, constant, row, x, room, scores);
    std::fill(scores + units, scores + n_classes, 0.0);
}

void SoftmaxState::find_shares(std::size_t n_classes, PredictorScratch& scratch) {
    double* const scores = scratch.scores.data();
    std::fill(scores + n_classes, scores + scratch.scores.size(),
              -std::numeric_limits<double>::infinity());
    kernels().softmax(scores, n_classes, scratch.scores.size());
}

void SoftmaxState::learn(const Shape& s, const Row& row, std::size_t y, double w,
                         std::size_t n_classes, PredictorScratch& scratch) {
    make_room_for(s, row, n_classes);
    const std::size_t units = n_units(s);
    repeat(w, [&](double weight) {
        double* const x = scratch.rooms[inputs_room].data();
        const std::size_t constant = learn_inputs(s, row, weight, x);
        find_outputs(s, constant, row, units, scratch);
        find_shares(units, scratch);
        const double squares = kernels().dot(x, x, n_inputs(s));
        const double rate = std::min(predictor_->step * weight, 1.0 / squares);
        double* const factors = scratch.scores.data();
        for (std::size_t k = 0; k < units; ++k) {
            factors[k] = rate * ((k == y ? 1.0 : 0.0) - factors[k]);
        }
        double* const first = plane(s, 0, 0);
        const std::size_t size = unit_size(s);
        // The input at this place of all planes is 1.
        const auto step = [&](std::size_t place) {
            double* weight = first + place;
            for (std::size_t k = 0; k < units; ++k, weight += size) {
                *weight = std::min(std::max(*weight + factors[k], -most_linear), most_linear);
            }
        };
        kernels().step_along(first, units, size, x, constant, factors);
        step(s.numeric);
        for (std::size_t c = 0; c < s.categorical; ++c) {
            const std::size_t place = cell(s, c, row.codes[c]);
            if (place) step(place);
        }
    });
}

bool SoftmaxState::probabilities(const Shape& s, const Row& row, std::size_t n_classes,
                                 PredictorScratch& scratch, double* out) const {
    if (empty()) return false;
    const std::size_t constant = find_inputs(s, row, scratch.rooms[inputs_room].data());
    find_outputs(s, constant, row, n_classes, scratch);
    find_shares(n_classes, scratch);
    if (out != scratch.scores.data()) std::copy_n(scratch.scores.data(), n_classes, out);
    return true;
}

std::int32_t SoftmaxState::class_of(const Shape& s, const Row& row, std::size_t n_classes,
                                    PredictorScratch& scratch) const {
    if (empty()) return no_prediction;
    const std::size_t constant = find_inputs(s, row, scratch.rooms[inputs_room].data());
    find_outputs(s, constant, row, n_classes, scratch);
    const double* const outputs = scratch.scores.data();
    const std::int32_t best = largest_class(outputs, n_classes);
    // Probabilities have the order of the outputs, except where rounding makes two of them equal.
    constexpr double far = 1e-6;
    const double limit = outputs[best] - far;
    std::size_t close = 0;
    for (std::size_t k = 0; k < n_classes; ++k) close += outputs[k] >= limit;
    if (close == 1) return best;
    find_shares(n_classes, scratch);
    return largest_class(outputs, n_classes);
}

Formula SoftmaxState::formula(const Shape& s, std::size_t n_classes) const {
    Formula out;
    out.link = Formula::Link::softmax;
    std::vector<ClassScore> classes(n_classes);
    for (std::size_t k = 0; k < std::min(n_units(s), n_classes); ++k) classes[k] = {0.0, k, 1.0};
    describe(s, classes, out);
    return out;
}

}  // namespace riparian
