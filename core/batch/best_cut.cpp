#include "best_cut.hpp"

#include <memory>

#include "../simd/kernels.hpp"

namespace riparian {
namespace {

constexpr double least_gain = 1e-9;  // as min_gain of the streaming tree

// Lanes are read with aligned loads.
double* aligned(std::vector<double>& room, std::size_t size) {
    room.resize(size + 8);
    void* first = room.data();
    std::size_t space = room.size() * sizeof(double);
    return static_cast<double*>(std::align(64, size * sizeof(double), first, space));
}

}  // namespace

void CutGains::begin(const double* known, double total) {
    known_.assign(known, known + classes_);
    total_ = total;
    lefts_.clear();
}

CutGains::Best CutGains::best() {
    const std::size_t cuts = lefts_.size() / classes_;
    gains_.resize(cuts + 4);
    const ListCheck check{lefts_.data(),
                          cuts,
                          classes_,
                          known_.data(),
                          total_,
                          least_,
                          aligned(scratch_, numeric_scratch(classes_)),
                          gains_.data()};
    std::visit([&](const auto& i) { kernels().list_gains[impurity_.index()](&i, check); },
               impurity_);
    Best best{0, least_gain};
    bool any = false;
    for (std::size_t i = 0; i < cuts; ++i) {
        if (!(gains_[i] > best.gain)) continue;
        best = {i, gains_[i]};
        any = true;
    }
    return any ? best : Best{0, 0.0};
}

BatchCut best_cut(CutGains& gains, const std::uint64_t* table, const std::uint8_t* categorical,
                  const std::uint32_t* n_bins, std::size_t features, std::size_t width,
                  std::size_t classes) {
    BatchCut best;
    std::vector<double> known(classes), left(classes);
    for (std::size_t f = 0; f < features; ++f) {
        const std::uint64_t* const bins = table + f * width * classes;
        double total = 0.0;
        known.assign(classes, 0.0);
        for (std::size_t b = 0; b <= n_bins[f]; ++b) {
            for (std::size_t k = 0; k < classes; ++k) {
                const auto count = static_cast<double>(bins[b * classes + k]);
                total += count;
                if (b > 0) known[k] += count;
            }
        }
        gains.begin(known.data(), total);
        left.assign(classes, 0.0);
        for (std::size_t b = 1; b < n_bins[f]; ++b) {
            for (std::size_t k = 0; k < classes; ++k) {
                const auto count = static_cast<double>(bins[b * classes + k]);
                left[k] = categorical[f] ? count : left[k] + count;
            }
            gains.add(left.data());
        }
        const CutGains::Best found = gains.best();
        if (found.gain > best.gain) {
            best = {static_cast<std::int32_t>(f), static_cast<std::int32_t>(found.place + 1),
                    found.gain};
        }
    }
    return best;
}

}  // namespace riparian
