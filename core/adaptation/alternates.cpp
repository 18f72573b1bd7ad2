// Alternates: a subtree whose error rises gets an alternate [bifet2009].
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

// How often a node learns a row: Poisson(1) times but at least once, as in MOA.
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

class AlternatesTree final : public Subtrees {
public:
    AlternatesTree(const Alternates& how, RowLearner& rows)
        : Subtrees(rows, {.replaces = true}), how_(how) {}

    std::int32_t learn(const Example&, std::size_t y, double w) override;

protected:
    [[nodiscard]] Role role() const noexcept override { return Role::alternate; }
    void save_monitors(Snapshot&) const override;
    void restore_monitors(const Snapshot&) override;
    [[nodiscard]] bool bets() const noexcept override {
        return how_.replace_by == Alternates::ReplaceBy::betting;
    }

private:
    [[nodiscard]] Adwin::Parameters parameters() const noexcept {
        Adwin::Parameters p;
        p.delta = how_.drift_delta;
        return p;
    }
    // `v`: the index of the visit, for an example with uncertain values.
    void learn_below(const Example&, const Visit&, std::size_t v, std::size_t y, double w);
    // The weight of an example at a leaf, after the bootstrap draw.
    [[nodiscard]] double weight_at(std::int32_t node, double w) const noexcept;
    void note_error(std::int32_t node, bool wrong);
    // Updates the detector of an inner node. Returns whether its alternate has replaced it.
    bool judge(std::int32_t node, bool wrong);
    // Compares a node with its alternate, by an interval or by bets; true: it was replaced.
    bool compare(std::int32_t node, std::int32_t alternate);
    bool compare_bets(std::int32_t node, std::int32_t alternate);
    bool replace(std::int32_t node, std::int32_t alternate, Standing ours, Standing theirs,
                 double bound);

    Alternates how_;
};

// The example goes down the tree, and down every alternate of a node that it visits. Each subtree
// predicts, the detectors of its nodes count whether it was right, and its leaves learn.
//
// A detector counts an example as right or wrong if at least half of its weight reaches the node. So no
// example counts twice at one depth.
std::int32_t AlternatesTree::learn(const Example& example, std::size_t y, double w) {
    constexpr double enough = 0.5;
    const bool betting = bets();
    const std::int32_t predicted = each_visit_below(
        example, y, w,
        // False if the alternate has replaced the node.
        [&](const Visit& here, std::size_t v, bool, const auto& go_down) {
            const bool counts = here.share >= enough;
            if (betting && counts && at(here.node).role == Role::alternate) {
                if (Duel* const duel = duels_.find(side(here.node).born)) duel->bet(here.wrong);
            }
            bool replaced = false;
            if (!here.ends) {
                replaced = counts && judge(here.node, here.wrong);
            } else if (counts) {
                note_error(here.node, here.wrong);
            }
            if (here.ends || replaced) {
                learn_below(example, here, v, y, w);
            } else if (const std::int32_t alternate = side(here.node).first; alternate != none) {
                if (betting && counts) {
                    Duel* const duel = duel_of(alternate, how_.switch_after);
                    if (duel) duel->node_wrong = here.wrong;
                }
                go_down(alternate, here.share);
            }
            return !replaced;
        });
    finish_row();
    return predicted;
}

// Continues from a visited node, which may have been replaced by one with a test.
void AlternatesTree::learn_below(const Example& example, const Visit& here, std::size_t v,
                                 std::size_t y, double w) {
    if (example.certain()) {
        const std::int32_t leaf = here.ends ? here.node : rows_.route(here.node, *example.row);
        rows_.learn_at(leaf, *example.row, y, weight_at(leaf, w));
        return;
    }
    Spread& spread = *example.spread;
    const double weight = weight_at(here.node, w);
    each_leaf(spread, here.node, here.share, [&](std::int32_t leaf, double share) {
        rows_.learn_parts(leaf, spread, y, share * weight);
    });
    if (!here.ends) return;
    spread.go_back(v);
    rows_.observe_again(here.node, spread, y, here.share, weight);
}

double AlternatesTree::weight_at(std::int32_t node, double w) const noexcept {
    return how_.bootstrap ? w * times(how_.seed, state_.seen, side(node).born) : w;
}

// Detectors belong to the structure, which never shrinks to make room. A detector without room for a
// longer window starts over.
void AlternatesTree::note_error(std::int32_t node, bool wrong) {
    const auto has_room = [&] {
        return room_.may_add(room_of_monitor) && room_.make_room_for(room_of_monitor, none);
    };
    if (state_.limited() && !has_room()) {
        if (Monitor* const m = side(node).monitor.get(); m && m->errors.grows()) m->errors.reset();
        if (!side(node).monitor) return;
    }
    const Charge charge(structure_);
    const std::size_t before = structure_.held;
    Side& s = side(node);
    if (!s.monitor) s.monitor = std::make_unique<Monitor>(parameters());
    s.monitor->errors.update(wrong ? 1.0 : 0.0);
    if (structure_.held != before) room_.settle();
}

bool AlternatesTree::judge(std::int32_t node, bool wrong) {
    note_error(node, wrong);
    const Monitor* const here = side(node).monitor.get();
    if (!here) return false;
    if (here->errors.signal() == Signal::drift && here->errors.shift() > 0.0) {
        if (const std::int32_t old = side(node).first; old != none) {
            // An alternate that already errs less has learned the new concept, even if errors still rise.
            const Monitor* const theirs = side(old).monitor.get();
            if (!theirs || theirs->errors.estimate() < here->errors.estimate()) return false;
            drop(old);
        }
        if (attach(node, Role::alternate) != none) count_change(ChangeKind::started);
        return false;
    }
    const std::int32_t alternate = side(node).first;
    if (alternate == none) return false;
    return bets() ? compare_bets(node, alternate) : compare(node, alternate);
}

bool AlternatesTree::compare(std::int32_t node, std::int32_t alternate) {
    if (!side(alternate).monitor) return false;
    const Adwin& ours = side(node).monitor->errors;
    const Adwin& theirs = side(alternate).monitor->errors;
    const auto n = static_cast<double>(ours.width());
    const auto m = static_cast<double>(theirs.width());
    if (!(n > how_.switch_after && m > how_.switch_after)) return false;
    const double e = ours.estimate();
    const double bound =
        std::sqrt(2.0 * e * (1.0 - e) * ln(2.0 / how_.switch_delta) * (1.0 / m + 1.0 / n));
    if (e - theirs.estimate() > bound &&
        replace(node, alternate, {e, n}, {theirs.estimate(), m}, bound)) {
        return true;
    }
    if (theirs.estimate() - e > bound) drop(alternate);
    return false;
}

// The bets of the row at hand are not among them: the alternate has not predicted it yet.
bool AlternatesTree::compare_bets(std::int32_t node, std::int32_t alternate) {
    const Duel* const duel = duels_.find(side(alternate).born);
    if (!duel) return false;
    const double needed = -ln(how_.switch_delta);
    if (duel->ahead >= needed) {
        if (replace(node, alternate, duel->of_node(), duel->of_alternate(), 0.0)) return true;
    }
    if (duel->behind >= needed) drop(alternate);
    return false;
}

bool AlternatesTree::replace(std::int32_t node, std::int32_t alternate, Standing ours,
                             Standing theirs, double bound) {
    if (growth_.leaves_with(alternate) > settings_.max_leaves) return false;
    log_change(ChangeKind::replaced, node, nodes_.cut_of(alternate), nodes_.leaves_below(alternate),
               ours, theirs, bound);
    promote(node, alternate);
    return true;
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

std::unique_ptr<Adaptation> Alternates::begin(RowLearner& rows) const {
    return std::make_unique<AlternatesTree>(*this, rows);
}

}  // namespace riparian
