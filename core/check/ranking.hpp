// The best candidates of one check.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "../cuts/candidate.hpp"
#include "../settings.hpp"

namespace riparian {

// At most five, the best first; of two with equal gains the one that came first. Where
// runners-up must be of another feature, each feature has its best cut here.
class Ranking {
public:
    static constexpr std::size_t most = 5;

    void clear(RunnerUp rule) noexcept {
        rule_ = rule;
        size_ = 0;
    }
    void offer(const Candidate& c) noexcept {
        if (size_ == most && !(c.gain > ranked_[most - 1].gain)) return;
        if (rule_ != RunnerUp::cut) {
            const auto same = std::find_if(
                begin(), end(), [&](const Candidate& r) { return r.feature == c.feature; });
            if (same != end()) {
                if (!(c.gain > same->gain)) return;
                std::move(same + 1, end(), same);
                --size_;
            }
        }
        const auto place =
            std::find_if(begin(), end(), [&](const Candidate& r) { return c.gain > r.gain; });
        if (size_ < most) ++size_;
        std::move_backward(place, end() - 1, end());
        *place = c;
    }

    // Adds a candidate behind all others, whatever its gain.
    void append(const Candidate& c) noexcept {
        if (size_ < most) ranked_[size_++] = c;
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] const Candidate& operator[](std::size_t i) const noexcept { return ranked_[i]; }
    [[nodiscard]] Candidate& operator[](std::size_t i) noexcept { return ranked_[i]; }

private:
    Candidate* begin() noexcept { return ranked_.data(); }
    Candidate* end() noexcept { return ranked_.data() + size_; }

    std::array<Candidate, most> ranked_{};
    std::size_t size_ = 0;
    RunnerUp rule_ = RunnerUp::feature;
};

// What a certificate ranks: the best cut, the one that it was compared with, and what is
// behind that.
[[nodiscard]] inline Ranking ranked_against(const Candidate& second, const Ranking& all) noexcept {
    Ranking out;
    out.clear(RunnerUp::cut);
    out.offer(all[0]);
    out.offer(second);
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i].feature != second.feature && all[i].gain <= second.gain) out.offer(all[i]);
    }
    return out;
}

}  // namespace riparian
