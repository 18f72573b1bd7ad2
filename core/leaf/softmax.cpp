#include "softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "units.ipp"

namespace riparian {

template class Units<1>;

namespace {

enum RoomOf : std::size_t { inputs_room, weights_room };

}  // namespace

bool SoftmaxState::possible(std::size_t, double x) const noexcept {
    return std::fabs(x) <= most_linear;
}

void SoftmaxState::find_shares(const Shape& s, std::size_t constant, const Row& row,
                               std::size_t n_classes, PredictorScratch& scratch) const {
    double* const scores = scratch.scores.data();
    const double* const x = scratch.rooms[inputs_room].data();
    double* const room = scratch.rooms[weights_room].data();
    const std::size_t units = std::min(n_units(s), n_classes);
    for (std::size_t k = 0; k < units; ++k) {
        scores[k] = output(s, plane(s, k, 0), constant, row, x, room);
    }
    std::fill(scores + units, scores + n_classes, 0.0);
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
        find_shares(s, constant, row, units, scratch);
        const double squares = kernels().dot(x, x, n_inputs(s));
        const double rate = std::min(predictor_->step * weight, 1.0 / squares);
        for (std::size_t k = 0; k < units; ++k) {
            const double factor = rate * ((k == y ? 1.0 : 0.0) - scratch.scores[k]);
            double* const weights = plane(s, k, 0);
            const auto step = [&](std::size_t place, double input) {
                const double moved = weights[place] + factor * input;
                weights[place] = std::min(std::max(moved, -most_linear), most_linear);
            };
            kernels().step_along(weights, x, constant, factor);
            step(s.numeric, x[constant]);
            for (std::size_t c = 0; c < s.categorical; ++c) {
                const std::size_t place = cell(s, c, row.codes[c]);
                if (place) step(place, x[constant + 1 + c]);
            }
        }
    });
}

bool SoftmaxState::probabilities(const Shape& s, const Row& row, std::size_t n_classes,
                                 PredictorScratch& scratch, double* out) const {
    if (empty()) return false;
    const std::size_t constant = find_inputs(s, row, scratch.rooms[inputs_room].data());
    find_shares(s, constant, row, n_classes, scratch);
    if (out != scratch.scores.data()) std::copy_n(scratch.scores.data(), n_classes, out);
    return true;
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
