// Saves gradient trees, and checks every number of a saved one.
#include "snapshot.hpp"

#include <algorithm>
#include <cmath>

#include "../data/limits.hpp"
#include "../demand.hpp"
#include "gradient_trees.hpp"

namespace riparian {

GradientSnapshot GradientTrees::snapshot() const {
    const auto lock = turnstile_.reading();
    GradientSnapshot s;
    inputs_.save(s.inputs);
    s.classes = {static_cast<std::uint32_t>(n_classes_)};
    s.seen = {seen_};
    const std::vector<Input> inputs = inputs_.all();
    const std::size_t nodes = n_trees_ * settings_.inner_nodes();
    const std::size_t width = inputs_.layout().width();
    s.weights.reserve(nodes * inputs.size());
    for (std::size_t i = 0; i < nodes; ++i) {
        for (const Input& input : inputs) s.weights.push_back(weights_[i * width + input.place]);
    }
    s.biases.assign(biases_.begin(), biases_.end());
    return s;
}

// Each node has a bias, and a plane of length 1 over the inputs that have appeared.
void GradientTrees::restore_trees(const GradientSnapshot& s) {
    const std::vector<Input> inputs = inputs_.all();
    const std::size_t nodes = settings_.inner_nodes() * trees_for(n_classes_);
    for (const double b : s.biases) {
        demand(std::abs(b) <= SoftPass::most_bias, "biases: out of range");
    }
    add_trees(trees_for(n_classes_));
    fit(scratch_);
    std::copy(s.biases.begin(), s.biases.end(), biases_.begin());
    for (std::size_t i = 0; i < nodes; ++i) {
        const double* const from = s.weights.data() + i * inputs.size();
        double* const to = weights_.data() + i * inputs_.layout().width();
        double squares = 0.0;
        for (std::size_t j = 0; j < inputs.size(); ++j) {
            demand(std::abs(from[j]) <= 2.0, "weights: out of range");
            demand(from[j] == 0.0 || inputs_.has_appeared(inputs[j]),
                   "weights do not agree with met");
            squares += from[j] * from[j];
            to[inputs[j].place] = from[j];
        }
        demand(n_met_ > 0 ? std::abs(squares - 1.0) <= 1e-9 : squares == 0.0,
               "weights: the length of a plane is not 1");
    }
}

std::unique_ptr<GradientTrees> GradientTrees::restore(const GradientSettings& settings,
                                                      const GradientSnapshot& s) {
    demand(s.classes.size() == 1 && s.seen.size() == 1, "classes, seen: not one number each");
    demand(s.classes[0] <= max_classes, "classes: too many");
    demand(s.seen[0] <= most_seen && (s.seen[0] == 0 || s.classes[0] > 0),
           "seen does not agree with classes");
    // Sizes are checked first, so that a file cannot request more memory than it fills.
    const std::size_t nodes = trees_for(s.classes[0]) * settings.inner_nodes();
    std::size_t inputs = s.inputs.known.size();
    for (const std::int32_t count : s.inputs.categories) {
        demand(count >= 0 && static_cast<std::size_t>(count) <= max_categories,
               "categories: an impossible number");
        inputs += static_cast<std::size_t>(count);
        demand(nodes == 0 ? count == 0 : inputs <= s.weights.size(),
               "weights: not one per node and input");
    }
    demand(s.biases.size() == nodes, "biases: not one per node");
    demand(inputs <= s.weights.size() || nodes == 0, "weights: not one per node and input");
    demand(s.weights.size() == nodes * inputs, "weights: not one per node and input");

    auto made = std::make_unique<GradientTrees>(settings);
    made->settings_.max_bytes = SIZE_MAX;  // until everything is restored
    const Charge charge(made->held_);
    made->inputs_.restore(s.inputs);
    made->n_met_ = made->inputs_.appeared().size();
    demand(s.seen[0] > 0 || made->n_met_ == 0, "seen does not agree with met");
    made->n_classes_ = s.classes[0];
    made->seen_ = s.seen[0];
    made->restore_trees(s);
    made->set_max_bytes(settings.max_bytes);
    return made;
}

}  // namespace riparian
