// The evidence of the checks of a leaf, those that waited included, in constant memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../memory/account.hpp"

namespace riparian {

// Keeps at most 16 checks. When it is full, every second one goes, and from then on half as many are
// noted, so what is kept is evenly spaced over all checks of the leaf. Numbers are single precision:
// they are reported, and nothing is decided by them.
class Ledger {
public:
    static constexpr std::size_t most = 16;
    struct Entry {
        float weight;    // of the leaf at the check
        float evidence;  // natural logarithm, against the closest rival
    };

    // The first check allocates the room of all.
    void note(double weight, double evidence) {
        if (entries_.capacity() == 0) entries_.reserve(most);
        if (skipped_ + 1 < step_) {
            ++skipped_;
            return;
        }
        skipped_ = 0;
        if (entries_.size() == most) {
            for (std::size_t i = 0; 2 * i + 1 < most; ++i) entries_[i] = entries_[2 * i + 1];
            entries_.resize(most / 2);
            step_ *= 2;
            skipped_ = 1;
            return;
        }
        entries_.push_back({static_cast<float>(weight), static_cast<float>(evidence)});
    }
    [[nodiscard]] const Held<Entry>& entries() const noexcept { return entries_; }

    void save(std::vector<double>& out) const {
        const auto number = [](auto x) { return static_cast<double>(x); };
        out.insert(out.end(), {number(entries_.size()), number(step_), number(skipped_)});
        for (const Entry& e : entries_)
            out.insert(out.end(), {number(e.weight), number(e.evidence)});
    }
    // Both functions return the next number, which they check: whole numbers, and any.
    template <class Whole, class Number>
    void restore(Whole&& whole, Number&& number) {
        entries_ = {};
        const auto size = static_cast<std::size_t>(whole(0.0, static_cast<double>(most)));
        step_ = static_cast<std::uint32_t>(whole(1.0, 2147483648.0));
        skipped_ = static_cast<std::uint32_t>(whole(0.0, static_cast<double>(step_) - 1.0));
        if (size > 0 || step_ > 1 || skipped_ > 0) entries_.reserve(most);
        for (std::size_t i = 0; i < size; ++i) {
            const double weight = number(0.0, 3e38);
            entries_.push_back(
                {static_cast<float>(weight), static_cast<float>(number(-3e38, 3e38))});
        }
    }

private:
    Held<Entry> entries_;
    std::uint32_t step_ = 1, skipped_ = 0;
};

}  // namespace riparian
