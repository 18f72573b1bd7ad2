#include "list_scan.hpp"

#include <vector>

namespace riparian {

void scan_lists(const ListSection& s, const AnyImpurity& impurity, double least, double* thresholds,
                double* gains) {
    CutGains cuts(impurity, s.classes, least);
    std::vector<double> left(s.classes), candidates;
    for (std::size_t node = 0; node < s.nodes; ++node) {
        left.assign(s.before + node * s.classes, s.before + (node + 1) * s.classes);
        candidates.clear();
        cuts.begin(s.known + node * s.classes, s.weight[node]);
        double last = s.last[node];
        for (auto i = s.starts[node]; i < s.starts[node + 1]; ++i) {
            if (s.values[i] > last) {  // never if last is NaN
                candidates.push_back(last);
                cuts.add(left.data());
            }
            last = s.values[i];
            left[s.labels[i]] += 1.0;
        }
        const CutGains::Best best = cuts.best();
        gains[node] = best.gain;
        thresholds[node] = best.gain > 0.0 ? candidates[best.place] : 0.0;
    }
}

}  // namespace riparian
