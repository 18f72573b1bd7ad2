// Alternates: a subtree that errs more than before gets a rival [bifet2009].
#include "alternates.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "../random/philox.hpp"
#include "../simd/scalar.hpp"
#include "sizes.hpp"
#include "subtrees.hpp"

namespace riparian {
namespace {

constexpr std::size_t room_of_monitor = 2048;

// How often a node learns a row: Poisson(1), and once at least, as in MOA.
double times(std::uint64_t seed, std::uint64_t row, std::uint64_t node) noexcept {
    Philox random(seed, row);
    for (std::uint64_t skip = node % 4; skip > 0; --skip) (void)random.bits();
    const double u = random.uniform();
    double share = 0x1.78b56362cef38p-2;  // 1 / e
    double below = share;
    double n = 0.0;
    for (; u >= below && n < 20.0; below += share) share /= ++n;
    return std::max(1.0, n);
}

class AlternatesTree : public Subtrees {
public:
    AlternatesTree(const Alternates& how, Growth& growth)
        : Subtrees(growth, {.replaces = true}), how_(how) {}

    std::int32_t learn(std::int32_t start, const Row&, std::size_t y, double w) override;
    void learn(Spread&, std::size_t y, double w) override;

protected:
    [[nodiscard]] Role role() const noexcept override { return Role::alternate; }
    void save_monitors(Snapshot&) const override;
    void restore_monitors(const Snapshot&) override;

private:
    [[nodiscard]] Adwin::Parameters parameters() const noexcept {
        Adwin::Parameters p;
        p.delta = how_.drift_delta;
        return p;
    }
    void note_error(std::int32_t node, bool wrong);
    // Whether the alternate of an inner node took its place.
    bool judge(std::int32_t node, bool wrong);

    Alternates how_;
};

// The tree and every alternate of a node that the row passes: each predicts, notes at its
// nodes whether it was right, and learns.
std::int32_t AlternatesTree::learn(std::int32_t start, const Row& row, std::size_t y,
                                   double w) {
    std::int32_t of_the_tree = no_answer;
    fragments_.clear();
    note(fragments_, 0);
    for (std::size_t f = 0; f < fragments_.size(); ++f) {
        const std::int32_t root = fragments_[f];
        std::int32_t leaf = growth_.route_on(f == 0 ? start : root, row);
        const std::int32_t predicted = growth_.observe(leaf, row, y, std::min(w, 1.0));
        const bool wrong = predicted != static_cast<std::int32_t>(y);
        if (f == 0) {
            of_the_tree = predicted;
            growth_.arrive(row, y);
        }
        trace(leaf, root);
        bool replaced = false;
        while (!path_.empty() && !replaced) {  // inner nodes, the highest first
            const std::int32_t node = path_.back();
            path_.pop_back();
            replaced = judge(node, wrong);
            if (replaced) {
                leaf = growth_.route_on(node, row);
            } else if (side(node).first != none) {
                note(fragments_, side(node).first);
            }
        }
        if (!replaced) note_error(leaf, wrong);
        growth_.learn_at(leaf, row, y, how_.bootstrap ? w * times(how_.seed, growth_.seen(), side(leaf).born) : w);
    }
    finish_row();
    return of_the_tree;
}

// The same in fractions. A detector hears an example, right or wrong, if at least half of it
// comes there: every other one counts for nothing, and none counts twice at a depth.
void AlternatesTree::learn(Spread& spread, std::size_t y, double w) {
    constexpr double enough = 0.5;
    const auto weight = [&](std::int32_t leaf) {
        return how_.bootstrap ? w * times(how_.seed, growth_.seen(), side(leaf).born) : w;
    };
    growth_.arrive(spread, y);
    std::vector<std::size_t> ends;  // of the visits to one tree after the other
    const auto go_down = [&](std::int32_t root, double share) {
        explore(spread, root, share, y, w, true);
        ends.push_back(spread.visits.size());
    };
    go_down(0, 1.0);
    std::size_t v = 0;
    for (std::size_t f = 0; f < ends.size(); ++f) {
        while (v < ends[f]) {
            const Spread::Visit here = spread.visits[v];
            const bool counts = here.share >= enough;
            spread.go_back(v++);
            if (here.ends) {
                if (counts) note_error(here.node, here.wrong);
                learn_below(spread, here.node, here.share, y, weight(here.node));
                spread.go_back(v - 1);
                growth_.observe_again(here.node, spread, y, here.share, weight(here.node));
            } else if (counts && judge(here.node, here.wrong)) {
                learn_below(spread, here.node, here.share, y, weight(here.node));
                const std::int32_t depth = at(here.node).depth;
                while (v < ends[f] && at(spread.visits[v].node).depth > depth) ++v;
            } else if (const std::int32_t alternate = side(here.node).first; alternate != none) {
                go_down(alternate, here.share);
            }
        }
    }
    finish_row();
}

// Detectors are part of the structure: a leaf cannot give them up. Without memory for a
// longer window one starts over.
void AlternatesTree::note_error(std::int32_t node, bool wrong) {
    if (growth_.limited() && !(growth_.may_add(room_of_monitor) && growth_.make_room_for(room_of_monitor, none))) {
        if (Monitor* const m = side(node).monitor.get(); m && m->errors.grows()) m->errors.reset();
        if (!side(node).monitor) return;
    }
    const Charge charge(structure_);
    const std::size_t before = structure_.held;
    Side& s = side(node);
    if (!s.monitor) s.monitor = std::make_unique<Monitor>(parameters());
    s.monitor->errors.update(wrong ? 1.0 : 0.0);
    if (structure_.held != before) growth_.settle();
}

bool AlternatesTree::judge(std::int32_t node, bool wrong) {
    note_error(node, wrong);
    const Monitor* const here = side(node).monitor.get();
    if (!here) return false;
    if (here->errors.signal() == Signal::drift && here->errors.shift() > 0.0) {
        if (const std::int32_t old = side(node).first; old != none) {
            // One that errs less already is of the new concept: the rise goes on.
            const Monitor* const theirs = side(old).monitor.get();
            if (!theirs || theirs->errors.estimate() < here->errors.estimate()) return false;
            drop(old);
        }
        if (attach(node, Role::alternate) != none) count_change(ChangeKind::started);
        return false;
    }
    const std::int32_t alternate = side(node).first;
    if (alternate == none || !side(alternate).monitor) return false;
    const Adwin& ours = here->errors;
    const Adwin& theirs = side(alternate).monitor->errors;
    const auto n = static_cast<double>(ours.width());
    const auto m = static_cast<double>(theirs.width());
    if (!(n > how_.switch_after && m > how_.switch_after)) return false;
    const double e = ours.estimate();
    const double bound =
        std::sqrt(2.0 * e * (1.0 - e) * ln(2.0 / how_.switch_delta) * (1.0 / m + 1.0 / n));
    if (e - theirs.estimate() > bound && growth_.leaves_with(alternate) <= settings_.max_leaves) {
        log_change(ChangeKind::replaced, node, nodes_.cut_of(alternate), nodes_.leaves_below(alternate),
                   {e, n}, {theirs.estimate(), m}, bound);
        promote(node, alternate);
        return true;
    }
    if (theirs.estimate() - e > bound) drop(alternate);
    return false;
}

void AlternatesTree::save_monitors(Snapshot& s) const {
    for (const Side& side : sides_) {
        const std::size_t before = s.monitors.size();
        if (side.monitor) side.monitor->errors.save(s.monitors);
        s.monitor_sizes.push_back(s.monitors.size() - before);
    }
}

void AlternatesTree::restore_monitors(const Snapshot& s) {
    std::span<const double> rest(s.monitors);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (s.monitor_sizes[i] == 0) continue;
        demand(s.monitor_sizes[i] <= rest.size(), "monitors ends too early");
        std::span<const double> own = rest.first(s.monitor_sizes[i]);
        rest = rest.subspan(own.size());
        sides_[i].monitor = std::make_unique<Monitor>(parameters());
        sides_[i].monitor->errors = Adwin::restore(parameters(), own);
        demand(own.empty(), at_row("monitor_sizes", i) + "too long");
    }
    demand(rest.empty(), "monitors is too long");
}

}  // namespace

std::unique_ptr<Adaptation> Alternates::begin(Growth& growth) const {
    return std::make_unique<AlternatesTree>(*this, growth);
}

}  // namespace riparian
