#include "paired_gap.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "../simd/kernels.hpp"
#include "influence.hpp"

namespace riparian {
namespace {

constexpr double fewest = 100.0;
// No influence is larger, because it is a sum of logarithms of weights.
constexpr double largest_influence = 1e6;

}  // namespace

double Leader::of(const Row& row, std::size_t y) const noexcept {
    if (cut.feature == none || y >= classes) return 0.0;
    std::size_t branch = 0;
    if (cut.test == Test::threshold) {
        const double x = row.x[slot];
        if (x != x) return 0.0;
        branch = x <= cut.threshold ? 0 : 1;
    } else {
        const std::int32_t code = row.codes[slot];
        if (code < 0) return 0.0;
        branch = cut.test == Test::every_value ? static_cast<std::size_t>(code)
                 : code == cut.category        ? 0
                                               : 1;
    }
    const std::size_t cell = branch * classes + y;
    return cell < influence.size() ? influence[cell] : 0.0;
}

void PairedGap::learn(const Row& row, std::size_t y, double w) noexcept {
    if (first_.cut.feature == none) return;
    const double difference = first_.of(row, y) - second_.of(row, y);
    weight_ += w;
    const double step = difference - mean_;
    mean_ += w / weight_ * step;
    squares_ += w * step * (difference - mean_);
}

bool PairedGap::leads(std::int32_t a, std::int32_t b) const noexcept {
    const std::int32_t first = first_.cut.feature, second = second_.cut.feature;
    return first != none && ((first == a && second == b) || (first == b && second == a));
}

Leader PairedGap::leader(WaitingCheck& check, const Candidate& cut) {
    Leader out;
    out.cut = cut;
    if (cut.feature == none) return out;
    out.slot = check.features[static_cast<std::size_t>(cut.feature)].slot;
    out.classes = check.n_classes;
    const std::vector<double> table = check.branches(cut);
    const std::vector<double> adds =
        riparian::influence(check.measure, table.data(), table.size() / out.classes, out.classes);
    out.influence.assign(adds.begin(), adds.end());
    return out;
}

void PairedGap::after_check(WaitingCheck& check) {
    if (check.best.feature == none || leads(check.best.feature, check.second.feature)) return;
    Leader first = leader(check, check.best);
    second_ = leader(check, check.second);
    first_ = std::move(first);
    weight_ = mean_ = squares_ = 0.0;
}

double PairedGap::variance() const noexcept {
    return weight_ >= fewest ? squares_ / weight_ : std::numeric_limits<double>::quiet_NaN();
}

void PairedGap::save(std::vector<double>& out) const {
    for (const Leader* leader : {&first_, &second_}) {
        out.insert(out.end(),
                   {static_cast<double>(leader->cut.feature), static_cast<double>(leader->cut.test),
                    leader->cut.threshold, static_cast<double>(leader->cut.category),
                    leader->cut.gain, static_cast<double>(leader->classes),
                    static_cast<double>(leader->influence.size())});
        out.insert(out.end(), leader->influence.begin(), leader->influence.end());
    }
    out.insert(out.end(), {weight_, mean_, squares_});
}

std::size_t PairedGap::restore(const double* numbers, std::size_t count, const Features& features,
                               std::size_t classes, double weight) {
    std::size_t at = 0;
    const auto demand = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(std::string("pair: ") + what);
    };
    const auto next = [&] {
        demand(at < count, "too few numbers");
        const double x = numbers[at++];
        demand(std::isfinite(x), "a number is not finite");
        return x;
    };
    const auto whole = [&](double least, double most) {
        const double x = next();
        demand(x >= least && x <= most && x == std::floor(x), "a number is out of range");
        return x;
    };
    for (Leader* leader : {&first_, &second_}) {
        *leader = {};
        const auto last = static_cast<double>(features.size()) - 1.0;
        leader->cut.feature = static_cast<std::int32_t>(whole(-1.0, last));
        leader->cut.test = static_cast<Test>(whole(0.0, 3.0));
        leader->cut.threshold = next();
        demand(std::fabs(leader->cut.threshold) <= largest_value, "a threshold is out of range");
        leader->cut.category = static_cast<std::int32_t>(whole(-1.0, 1e6));
        leader->cut.gain = next();
        demand(std::fabs(leader->cut.gain) <= 1e300, "a gain is out of range");
        leader->classes = static_cast<std::size_t>(whole(0.0, static_cast<double>(classes)));
        const auto cells = static_cast<std::size_t>(whole(0.0, static_cast<double>(count - at)));
        for (std::size_t i = 0; i < cells; ++i) {
            leader->influence.push_back(next());
            demand(std::fabs(leader->influence[i]) <= largest_influence,
                   "an influence is out of range");
        }
        trim(leader->influence);
        if (leader->cut.feature == none) continue;
        const Feature& f = features[static_cast<std::size_t>(leader->cut.feature)];
        leader->slot = f.slot;
        demand((leader->cut.test == Test::threshold) == (f.kind == Kind::numeric) &&
                   leader->cut.test != Test::leaf,
               "a cut does not fit its feature");
    }
    weight_ = next();
    mean_ = next();
    squares_ = next();
    demand(weight_ >= 0.0 && weight_ <= weight * (1.0 + 1e-9), "not the leaf's weight");
    const double most = 2.0 * largest_influence;
    demand(std::fabs(mean_) <= most && squares_ >= 0.0 && squares_ <= 2.0 * weight_ * most * most,
           "impossible moments");
    return at;
}

}  // namespace riparian
