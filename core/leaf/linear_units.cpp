#include "linear_units.hpp"

#include <algorithm>
#include <cmath>

#include "../simd/scalar.hpp"
#include "units.ipp"
#include "units_numbers.ipp"

namespace riparian {

template class Units<3>;

namespace {

// The planes of a unit, and the working memory for the inputs that are not 0.
enum Plane : std::size_t { weights, log_steps, traces };
enum RoomOf : std::size_t { inputs_room, weights_room, log_steps_room, traces_room, steps_room };

}  // namespace

double LinearUnitsState::first(std::size_t plane) const noexcept {
    return plane == log_steps ? ln(predictor_->step) : 0.0;
}

bool LinearUnitsState::possible(std::size_t plane, double x) const noexcept {
    return plane == log_steps ? x >= least_log_step && x <= most_log_step
                              : std::fabs(x) <= most_linear;
}

// The one unit for two classes becomes two units, which together predict the same.
void LinearUnitsState::added(const Shape& s, std::size_t before) {
    if (before != 1) return;
    std::copy_n(plane(s, 0, 0), unit_size(s), plane(s, 1, 0));
    const std::size_t known = known_features(s);
    for (const std::size_t p : {weights, traces}) {
        for (std::size_t i = 0; i < plane_size(s); ++i) {
            if (i >= known && i < s.numeric) continue;  // keeps the sign of zero
            plane(s, 0, p)[i] *= -0.5;
            plane(s, 1, p)[i] *= 0.5;
        }
    }
    plane(s, 0, weights)[s.numeric] += 0.5;
    plane(s, 1, weights)[s.numeric] += 0.5;
}

void LinearUnitsState::step(const Shape& s, std::size_t constant, std::size_t unit, const Row& row,
                            double target, double w, PredictorScratch& scratch) {
    double* const w_plane = plane(s, unit, weights);
    double* const b_plane = plane(s, unit, log_steps);
    double* const h_plane = plane(s, unit, traces);
    const double theta = predictor_->meta_step;
    auto& rooms = scratch.rooms;
    const double* const x = rooms[inputs_room].data();
    double* const steps = rooms[steps_room].data();
    if (s.categorical == 0 && constant == s.numeric) {
        kernels().linear_step({x, n_inputs(s), w_plane, b_plane, h_plane, steps, target, theta, w});
        return;
    }
    // Collects the inputs that are not 0 in contiguous arrays.
    double* const near_w = rooms[weights_room].data();
    double* const near_b = rooms[log_steps_room].data();
    double* const near_h = rooms[traces_room].data();
    each_input(s, constant, row, [&](std::size_t i, std::size_t place) {
        near_w[i] = w_plane[place];
        near_b[i] = b_plane[place];
        near_h[i] = h_plane[place];
    });
    kernels().linear_step({x, n_inputs(s), near_w, near_b, near_h, steps, target, theta, w});
    each_input(s, constant, row, [&](std::size_t i, std::size_t place) {
        w_plane[place] = near_w[i];
        b_plane[place] = near_b[i];
        h_plane[place] = near_h[i];
    });
}

void LinearUnitsState::learn(const Shape& s, const Row& row, std::size_t y, double w,
                             std::size_t n_classes, PredictorScratch& scratch) {
    make_room_for(s, row, n_classes);
    const std::size_t units = n_units(s);
    repeat(w, [&](double weight) {
        const std::size_t constant =
            learn_inputs(s, row, weight, scratch.rooms[inputs_room].data());
        if (units == 1) step(s, constant, 0, row, y == 0 ? -1.0 : 1.0, weight, scratch);
        for (std::size_t u = 0; units > 1 && u < units; ++u) {
            step(s, constant, u, row, u == y ? 1.0 : 0.0, weight, scratch);
        }
    });
}

bool LinearUnitsState::probabilities(const Shape& s, const Row& row, std::size_t n_classes,
                                     PredictorScratch& scratch, double* out) const {
    if (empty()) return false;
    double* const x = scratch.rooms[inputs_room].data();
    double* const room = scratch.rooms[weights_room].data();
    const std::size_t constant = find_inputs(s, row, x);
    const std::size_t units = n_units(s);
    const auto share = [](double y) { return std::min(std::max(y, 0.0), 1.0); };
    const auto output_of = [&](std::size_t unit) {
        return output(s, plane(s, unit, weights), constant, row, x, room);
    };
    std::fill_n(out, n_classes, 0.0);
    if (units == 1) {
        const double second = share(0.5 * (1.0 + output_of(0)));
        out[0] = 1.0 - second;
        if (n_classes > 1) out[1] = second;
    }
    for (std::size_t u = 0; units > 1 && u < std::min(units, n_classes); ++u) {
        out[u] = share(output_of(u));
    }
    double total = 0.0;
    for (std::size_t k = 0; k < n_classes; ++k) total += out[k];
    if (!(total > 0.0)) return false;
    for (std::size_t k = 0; k < n_classes; ++k) out[k] /= total;
    return true;
}

Formula LinearUnitsState::formula(const Shape& s, std::size_t n_classes) const {
    Formula out;
    if (n_classes < 2) return out;
    out.link = Formula::Link::clipped;
    std::vector<ClassScore> classes(n_classes);
    if (n_units(s) == 1) {
        // The targets -1 and +1 become 0 and 1.
        classes[0] = {0.5, 0, -0.5};
        classes[1] = {0.5, 0, 0.5};
    } else {
        for (std::size_t u = 0; u < std::min(n_units(s), n_classes); ++u)
            classes[u] = {0.0, u, 1.0};
    }
    describe(s, classes, out);
    return out;
}

}  // namespace riparian
