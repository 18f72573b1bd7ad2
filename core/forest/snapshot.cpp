// Saves and restores a forest as flat arrays. Their meaning is validated here only.
#include <algorithm>
#include <span>

#include "../demand.hpp"
#include "forest.hpp"

namespace riparian {
namespace {

bool counts(double x) noexcept { return x >= 0.0 && x <= heaviest; }

}  // namespace

ForestSnapshot Forest::snapshot() const {
    const auto lock = turnstile_.reading();
    ForestSnapshot s;
    save(s);
    s.met_at = schema_.met_at;
    const std::size_t n = schema_.kinds.size();
    for (const Member& m : members_) {
        s.right.push_back(m.accuracy_.right);
        s.predicted.push_back(m.accuracy_.predicted);
        if (of_last_) s.is_last.push_back(m.settings().once ? 1 : 0);
        s.generations.push_back(m.generations_);
        s.warnings.push_back(m.warnings_);
        s.drifts.push_back(m.drifts_);
        s.has_tree.push_back(m.front_.tree ? 1 : 0);
        s.has_back.push_back(m.back_.tree ? 1 : 0);
        for (const auto* const d : {&m.warning_, &m.drift_}) {
            const std::size_t before = s.detectors.size();
            if (*d) std::visit([&](const auto& x) { x.save(s.detectors); }, **d);
            s.detector_sizes.push_back(s.detectors.size() - before);
        }
        for (const GrownTree* const g : {&m.front_, &m.back_}) {
            if (!g->tree) continue;
            s.generation.push_back(g->generation);
            s.trees.push_back(g->tree->snapshot());
            if (!settings_.patch.draws()) continue;
            s.share.push_back(g->draw.share);
            const std::size_t first = s.left_out.size();
            s.left_out.resize(first + n, 1);
            for (const std::uint32_t f : g->patch) s.left_out[first + f] = 0;
        }
    }
    return s;
}

std::unique_ptr<Forest> Forest::restore(const ForestSettings& settings, const ForestSnapshot& s) {
    const std::size_t n = settings.members;
    demand_size(s.is_last, settings.last_tree ? n : 0, "is_last");
    for (const std::uint8_t is : s.is_last) {
        demand(is <= 1, "is_last holds another value than 0 and 1");
    }
    auto forest = std::make_unique<Forest>(settings, s.is_last);
    forest->restore_schema(s);
    demand_size(s.met_at, s.kinds.size(), "met_at");
    demand_size(s.right, n, "right");
    demand_size(s.predicted, n, "answered");
    demand_size(s.generations, n, "generations");
    demand_size(s.warnings, n, "warnings");
    demand_size(s.drifts, n, "drifts");
    demand_size(s.has_tree, n, "has_tree");
    demand_size(s.has_back, n, "has_back");
    demand_size(s.detector_sizes, 2 * n, "detector_sizes");
    std::size_t trees = 0;
    for (std::size_t m = 0; m < n; ++m) {
        const ForestSettings& own = forest->members_[m].settings();
        demand(s.has_tree[m] <= 1 && s.has_back[m] <= s.has_tree[m] &&
                   (s.has_tree[m] == 1) == (s.seen[0] > 0),
               "has_tree does not go with the rows seen");
        demand(s.has_back[m] == 0 || own.replacement == Replacement::background,
               "has_back without a background");
        demand(counts(s.right[m]) && counts(s.predicted[m]) && s.right[m] <= s.predicted[m],
               "right is more than answered");
        // A tree begins at the first row, at a warning, or at a drift if none has begun yet.
        const std::uint64_t warnings = s.warnings[m], drifts = s.drifts[m];
        demand(warnings <= (own.warning ? s.seen[0] : 0), "warnings that nobody gave");
        demand(drifts <= (own.replacement == Replacement::none ? 0 : s.seen[0]),
               "drifts that nobody found");
        // One more if the first rows had no value that a tree could draw.
        const std::uint64_t least = s.has_tree[m] + warnings;
        demand(s.generations[m] >= least &&
                   s.generations[m] <= least + drifts + (settings.patch.draws() ? 1 : 0),
               "generations do not go with warnings and drifts");
        trees += s.has_tree[m] + s.has_back[m];
    }
    const bool draws = settings.patch.draws();
    demand(s.trees.size() == trees, "a tree is absent");
    demand_size(s.generation, trees, "generation");
    demand_size(s.share, draws ? trees : 0, "share");
    demand_size(s.left_out, draws ? trees * s.kinds.size() : 0, "left_out");

    for (const std::uint64_t row : s.met_at) {
        demand(row == Schema::never || (row >= 1 && row <= s.seen[0]),
               "met_at holds a row that was not seen");
    }
    forest->schema_.met_at = s.met_at;

    std::span<const double> rest(s.detectors);
    std::size_t t = 0;
    for (std::size_t m = 0; m < n; ++m) {
        Member& member = forest->members_[m];
        member.accuracy_.right = s.right[m];
        member.accuracy_.predicted = s.predicted[m];
        member.warnings_ = s.warnings[m];
        member.drifts_ = s.drifts[m];
        std::size_t d = 2 * m;
        for (auto* const detector : {&member.warning_, &member.drift_}) {
            const std::uint64_t size = s.detector_sizes[d++];
            demand(size <= rest.size(), "detectors ends too early");
            demand(size > 0 || !*detector, "a detector is absent");
            demand(size == 0 || *detector, "a detector that the settings do not have");
            std::span<const double> own = rest.first(size);
            rest = rest.subspan(size);
            if (!*detector) continue;
            *detector = riparian::restore(**detector, own);
            demand(own.empty(), "detectors is too long");
        }
        for (const bool back : {false, true}) {
            if (!(back ? s.has_back[m] : s.has_tree[m])) continue;
            GrownTree& g = back ? member.back_ : member.front_;
            demand(s.generation[t] < s.generations[m], "generation of a tree that does not exist");
            demand(!back || s.generation[t] > s.generation[t - 1],
                   "a tree in the background that is the older one");
            member.generations_ = s.generation[t];
            // First as it began, for its settings and draws; then its present state.
            g = member.grow(forest->schema_, s.seen[0]);
            if (draws) {
                g.patch.clear();
                g.draw.share = s.share[t];
                demand(g.draw.share >= 0.0 && g.draw.share <= 1.0, "share is not one");
                for (std::size_t f = 0; f < s.kinds.size(); ++f) {
                    const std::uint8_t out = s.left_out[t * s.kinds.size() + f];
                    demand(out <= 1, "left_out holds another value than 0 and 1");
                    if (!out) g.patch.push_back(static_cast<std::uint32_t>(f));
                }
            }
            g.tree = forest->restore_tree(g.tree->settings(), s.trees[t],
                                          draws ? g.patch : forest->all_features());
            demand(g.tree->facts().seen <= s.seen[0], "a tree that has seen more than its forest");
            ++t;
        }
        member.generations_ = s.generations[m];
    }
    demand(rest.empty(), "detectors is too long");
    return forest;
}

}  // namespace riparian
