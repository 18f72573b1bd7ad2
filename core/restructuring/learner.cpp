#include "learner.hpp"

#include <algorithm>

#include "../data/limits.hpp"
#include "../data/weight_steps.hpp"
#include "../demand.hpp"

namespace riparian::restructuring {

void Learner::add_names(std::size_t bytes) {
    const auto lock = turnstile_.writing();
    names_ += bytes;
}

void Learner::expect_classes(const std::vector<std::uint32_t>& bytes) {
    const auto lock = turnstile_.writing();
    for (const std::uint32_t b : bytes) names_ += b;
}

void Learner::expect_categories(std::size_t, const std::vector<std::uint32_t>& bytes) {
    expect_classes(bytes);
}

void Learner::expect_nothing(std::size_t bytes) noexcept {
    const auto lock = turnstile_.writing();
    names_ -= bytes;
}

void Learner::declare_classes(std::size_t count) {
    const auto lock = turnstile_.writing();
    classes_ = std::max(classes_, count);
}

void Learner::check(const Batch& batch, const std::int32_t* y, const double* w) const {
    const auto lock = turnstile_.reading();
    double weight = 0.0;
    std::size_t learned = 0;
    for (std::size_t r = 0; r < batch.rows; ++r) {
        if (y[r] < 0) continue;
        weight += w ? in_steps(w[r]) : 1.0;
        ++learned;
    }
    if (!exact_in_steps(weight_ + weight)) {
        throw std::invalid_argument(
            "the weights sum to more than 2^33, beyond which they are not exact");
    }
    demand_room(learned);
}

void Learner::finish_row(const Batch& batch, std::size_t row, std::int32_t y, const double* w,
                         Stop* stop) {
    poll(stop);
    const Section section(reserve_, most_of_a_row());
    const auto lock = turnstile_.writing();
    stop_ = stop;
    unfinished_ = true;
    learn_row(batch, row, y, w ? in_steps(w[row]) : 1.0);
    unfinished_ = false;
    if (reserve_.used()) throw std::bad_alloc();
}

void Learner::learn(const Batch& batch, const std::int32_t* y, const double* w, Stop* stop) {
    check(batch, y, w);
    for (std::size_t r = 0; r < batch.rows; ++r) {
        if (y[r] >= 0) finish_row(batch, r, y[r], w, stop);
    }
}

void Learner::prequential(const Batch& batch, const std::int32_t* y, const double* w,
                          const Predictions& predictions, Stop* stop) {
    check(batch, y, w);
    PredictionRoom room;
    for (std::size_t r = 0; r < batch.rows; ++r) {
        {
            const auto lock = read_lock(stop);
            predict_row(batch, r, predictions, room);
        }
        if (y[r] >= 0) finish_row(batch, r, y[r], w, stop);
    }
}

void Learner::predict(const Batch& batch, const Predictions& predictions, Stop* stop,
                      Moment* moment) const {
    constexpr std::size_t at_once = 64;
    const auto lock = read_lock(stop);
    if (moment) *moment = {seen_, classes_};
    PredictionRoom room;
    for (std::size_t row = 0; row < batch.rows; ++row) {
        if (row % at_once == 0) poll(stop);
        predict_row(batch, row, predictions, room);
    }
}

Description Learner::describe(const Batch* rows) const {
    const auto lock = read_lock();
    Description d = described();
    if (rows) d.ends = ends_in(d, *rows);
    return d;
}

Facts Learner::facts() const {
    const auto lock = turnstile_.reading();
    return {categories_.size(), classes_, seen_};
}

std::size_t Learner::n_categories(std::size_t feature) const {
    const auto lock = turnstile_.reading();
    return static_cast<std::size_t>(categories_.at(feature));
}

std::size_t Learner::depth() const {
    const Description d = describe();
    return static_cast<std::size_t>(*std::max_element(d.depth.begin(), d.depth.end()));
}

Counters Learner::counters() const {
    const auto lock = read_lock();
    return counters_;
}

double Learner::weight() const {
    const auto lock = turnstile_.reading();
    return weight_;
}

void Learner::save(LearnerSnapshot& s, const std::vector<Kind>& kinds) const {
    s.seen = {seen_};
    s.counters = {counters_.additions, counters_.scores, counters_.restructurings};
    s.classes = {static_cast<std::uint32_t>(classes_)};
    for (std::size_t f = 0; f < kinds.size(); ++f) {
        const bool categorical = kinds[f] == Kind::categorical;
        s.kinds.push_back(categorical);
        if (categorical) s.categories.push_back(categories_[f]);
    }
}

std::vector<Kind> Learner::check(const LearnerSnapshot& s) {
    demand(s.seen.size() == 1 && s.seen[0] <= most_seen, "seen must be one number");
    demand(s.counters.size() == 3, "counters must be three numbers");
    for (const std::uint64_t counter : s.counters)
        demand(counter <= most_seen, "an impossible counter");
    demand(s.classes.size() == 1 && s.classes[0] <= max_classes, "classes must be one number");
    demand(s.kinds.size() <= max_features, "too many features");
    std::vector<Kind> kinds;
    std::size_t categorical = 0;
    for (const std::uint8_t kind : s.kinds) {
        demand(kind <= 1, "an unknown kind of feature");
        kinds.push_back(kind ? Kind::categorical : Kind::numeric);
        categorical += kind;
    }
    demand(s.categories.size() == categorical,
           "categories must have one entry per categorical feature");
    for (const std::int32_t c : s.categories) {
        demand(c >= 0 && c <= static_cast<std::int32_t>(max_categories), "impossible categories");
    }
    return kinds;
}

void Learner::restore(const LearnerSnapshot& s, double weight) {
    seen_ = s.seen[0];
    counters_ = {s.counters[0], s.counters[1], s.counters[2]};
    classes_ = s.classes[0];
    weight_ = weight;
    for (std::size_t f = 0, c = 0; f < s.kinds.size(); ++f) {
        if (s.kinds[f]) categories_[f] = s.categories[c++];
    }
}

}  // namespace riparian::restructuring
