#include "last_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace riparian {
namespace {

float single(double x) noexcept {
    constexpr double most = std::numeric_limits<float>::max();
    return static_cast<float>(std::isfinite(x) ? std::clamp(x, -most, most) : x);
}

double place_of(const Candidate& c) noexcept {
    return c.test == Test::one_value ? static_cast<double>(c.category) : c.threshold;
}

Candidate cut(std::int32_t feature, std::uint32_t test, double place, float gain) noexcept {
    Candidate c;
    c.feature = feature;
    c.test = static_cast<Test>(test);
    if (c.test == Test::one_value) c.category = static_cast<std::int32_t>(place);
    else c.threshold = place;
    c.gain = static_cast<double>(gain);
    return c;
}

}  // namespace

LastCheck::LastCheck(const Decision& d) noexcept
    : n(d.evidence.n),
      best_place(place_of(d.best)),
      second_place(place_of(d.second)),
      best_gain(single(d.best.gain)),
      second_gain(single(d.second.gain)),
      epsilon(single(d.epsilon)),
      variance(d.evidence.variance >= 0.0 ? single(d.evidence.variance) : -1.0F),
      best_feature(d.best.feature),
      best_test(static_cast<std::uint32_t>(d.best.test)),
      second_feature(d.second.feature),
      second_test(static_cast<std::uint32_t>(d.second.test)),
      criterion(d.criterion),
      rough(d.gain_error > 0.0) {}

LastCheck::LastCheck(double n, const double* numbers, const std::int32_t* cuts) noexcept
    : n(n),
      best_place(numbers[0]),
      second_place(numbers[1]),
      best_gain(single(numbers[2])),
      second_gain(single(numbers[3])),
      epsilon(single(numbers[4])),
      variance(single(numbers[5])),
      best_feature(cuts[0]),
      best_test(static_cast<std::uint32_t>(cuts[1])),
      second_feature(cuts[2]),
      second_test(static_cast<std::uint32_t>(cuts[3])),
      criterion(cuts[4] != 0),
      rough(cuts[5] != 0) {}

void LastCheck::save(double* numbers, std::int32_t* cuts) const noexcept {
    const double all[numbers_each] = {best_place,
                                      second_place,
                                      static_cast<double>(best_gain),
                                      static_cast<double>(second_gain),
                                      static_cast<double>(epsilon),
                                      static_cast<double>(variance)};
    std::copy_n(all, numbers_each, numbers);
    const std::int32_t places[cuts_each] = {best_feature,
                                            static_cast<std::int32_t>(best_test),
                                            second_feature,
                                            static_cast<std::int32_t>(second_test),
                                            static_cast<std::int32_t>(criterion),
                                            static_cast<std::int32_t>(rough)};
    std::copy_n(places, cuts_each, cuts);
}

Decision LastCheck::decision(const Settings& settings) const noexcept {
    Decision d;
    d.criterion = criterion;
    d.best = cut(best_feature, best_test, best_place, best_gain);
    d.second = cut(second_feature, second_test, second_place, second_gain);
    d.epsilon = static_cast<double>(epsilon);
    d.gain_error = rough ? rough_gain_error(settings.impurity) : 0.0;
    d.evidence.n = n;
    if (variance >= 0.0F) d.evidence.variance = static_cast<double>(variance);
    return d;
}

}  // namespace riparian
