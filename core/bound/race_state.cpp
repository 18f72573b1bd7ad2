// A race as numbers, and back.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "../simd/kernels.hpp"
#include "race.hpp"
#include "wager.hpp"

namespace riparian {
namespace {

// No number of a race is larger, and none gets out of the range of doubles from here.
constexpr double largest = 1e15;

void demand(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("race: ") + what);
}

}  // namespace

void Race::save(std::vector<double>& out) const {
    const auto number = [](auto x) { return static_cast<double>(x); };
    out.insert(out.end(),
               {number(stakes_.number), stakes_.alpha, stakes_.log_threshold, stakes_.tolerance,
                stakes_.begun, number(stakes_.labels), nominated(), number(contenders_.size())});
    ledger_.save(out);
    if (!runs()) return;
    out.insert(out.end(), {number(classes_), rows(), number(left_), number(judged_), evidence()});
    for (const Contender& c : contenders_) {
        out.insert(out.end(), {number(c.cut.feature), number(c.cut.test), c.cut.threshold,
                               number(c.cut.category), c.cut.gain, number(c.branches),
                               number(c.heavy), number(c.shown)});
    }
    out.insert(out.end(), numbers_.begin(),
               numbers_.begin() + static_cast<std::ptrdiff_t>(n_numbers()));
    for (const std::uint32_t n : cells_) out.push_back(number(n));
}

std::size_t Race::restore(const double* numbers, std::size_t count, const Features& features,
                          std::size_t classes) {
    std::size_t at = 0;
    const auto next = [&] {
        demand(at < count, "too few numbers");
        const double x = numbers[at++];
        demand(std::fabs(x) <= std::max(largest, largest_value), "a number is out of range");
        return x;
    };
    const auto between = [&](double least, double most) {
        const double x = next();
        demand(x >= least && x <= most, "a number is out of range");
        return x;
    };
    const auto whole = [&](double least, double most) {
        const double x = between(least, most);
        demand(x == std::floor(x), "not a whole number");
        return x;
    };
    end();
    stakes_.number = static_cast<std::uint32_t>(whole(0.0, 2147483647.0));
    stakes_.alpha = between(0.0, 1.0);
    stakes_.log_threshold = between(0.0, 1e6);
    stakes_.tolerance = between(0.0, 1e6);
    stakes_.begun = between(0.0, 1e300);
    stakes_.labels = whole(0.0, 1.0) != 0.0;
    nominated_ = static_cast<float>(between(0.0, 3e38));
    const auto size =
        static_cast<std::size_t>(whole(0.0, static_cast<double>(features.size()) + 1.0));
    ledger_.restore(whole, between);
    if (size == 0) return at;
    demand(size >= 2, "a leader without a rival");
    classes_ = static_cast<std::uint32_t>(whole(2.0, static_cast<double>(classes)));
    rows_ = static_cast<std::uint64_t>(whole(0.0, 0x1p53));
    left_ = static_cast<std::uint32_t>(whole(1.0, 0x1p30)) & 0x7fffffffU;
    judged_ = whole(0.0, 1.0) != 0.0 ? 1U : 0U;
    evidence_ = static_cast<float>(between(-largest, largest));
    demand((count - at) / 8 >= size, "too few numbers");
    Held<Contender> contenders(size);
    std::size_t needed = 0;
    for (std::size_t i = 0; i < size; ++i) {
        Contender& c = contenders[i];
        const bool last = i + 1 == size;
        const auto most = last ? -1.0 : static_cast<double>(features.size()) - 1.0;
        c.cut.feature = static_cast<std::int32_t>(whole(last ? -1.0 : 0.0, most));
        c.cut.test = static_cast<Test>(whole(0.0, 3.0));
        c.cut.threshold = between(-largest_value, largest_value);
        c.cut.category = static_cast<std::int32_t>(whole(-1.0, 1e6));
        c.cut.gain = between(-1.0, 1.0);
        c.branches = static_cast<std::uint32_t>(whole(1.0, static_cast<double>(count)));
        c.heavy = static_cast<std::int32_t>(whole(0.0, static_cast<double>(c.branches) - 1.0));
        c.shown = static_cast<Shown>(whole(0.0, i == 0 ? 0.0 : 3.0));
        needed += size_of(c, i > 0);
        if (last) {
            demand(c.cut.test == Test::leaf && c.branches == 1 && c.cut.threshold == 0.0 &&
                       c.cut.category == none,
                   "no null cut");
            continue;
        }
        const Feature& f = features[static_cast<std::size_t>(c.cut.feature)];
        c.slot = static_cast<std::uint32_t>(f.slot);
        demand(c.cut.test != Test::leaf &&
                   (c.cut.test == Test::threshold) == (f.kind == Kind::numeric) &&
                   (c.cut.test == Test::every_value || c.branches == 2),
               "a cut does not fit its feature");
    }
    demand(needed <= count - at, "too few numbers");
    contenders_ = std::move(contenders);
    arrange();
    for (std::size_t i = 0; i < n_numbers(); ++i) {
        numbers_[i] = between(-largest, largest);
    }
    for (std::uint32_t& n : cells_) {
        n = static_cast<std::uint32_t>(whole(0.0, std::min(0x1p31, static_cast<double>(rows_))));
    }
    for (std::size_t i = 0; i < size; ++i) {
        const Contender& c = contenders_[i];
        const double* from = numbers_.data() + c.at;
        if (i > 0) {
            const Bets& b = Bets::at(from);
            demand(b.bet >= 0.0 && b.bet <= wager::most && b.squares >= 0.0, "impossible bets");
            from += Bets::size;
        }
        for (std::size_t v = 0; v < c.branches; ++v, from += per_branch()) {
            double sum = 0.0, squares = 0.0;
            for (std::size_t k = 0; k < classes_ + 2; ++k) {
                demand(from[k] >= 0.0, "a negative weight");
                if (k >= classes_) continue;
                sum += from[k];
                squares += from[k] * from[k];
            }
            const auto near = [](double a, double b) {
                return std::fabs(a - b) <= 1e-6 * (1.0 + b);
            };
            demand(near(from[classes_], sum) &&
                       (stakes_.labels || near(from[classes_ + 1], squares)),
                   "a sum of weights is wrong");
            const double label = from[classes_ + 1];
            demand(!stakes_.labels ||
                       (label < static_cast<double>(classes_) && label == std::floor(label)),
                   "no such label");
        }
    }
    return at;
}

}  // namespace riparian
