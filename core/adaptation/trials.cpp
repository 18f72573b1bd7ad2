// Alternates of a tree with a window: which splits are in doubt, and which alternates win.

#include <algorithm>
#include <utility>

#include "../simd/scalar.hpp"
#include "window_tree.hpp"

namespace riparian {
namespace {

// If a larger share of the nodes with a test becomes doubtful in one check, the window is halved.
constexpr double many_doubtful = 0.25;
constexpr std::size_t window_growth = 100;  // otherwise it grows by a hundredth

// The most levels of alternates of alternates.
constexpr std::size_t most_levels = 2;

}  // namespace

// Counts an example at a node with alternates, by whether the node predicted it wrongly.
void WindowTree::note_test(std::int32_t node, bool wrong, double w) {
    if (bets()) {
        note_bets(node, wrong);
        return;
    }
    Trial& trial = *side(node).trial;
    if (trial.waited < how_.test_period) {
        trial.waited += w;
        return;
    }
    trial.tested += w;
    if (wrong) trial.errors += w;
    if (trial.tested >= how_.test_size) note(tested_, node);
}

// Does the same for an alternate while its node is tested.
void WindowTree::note_own_test(std::int32_t alternate, bool wrong, double w) {
    if (bets()) {
        Duel* const duel = duels_.find(side(alternate).born);
        if (!duel) return;
        duel->bet(wrong);
        const double needed = -ln(settings_.delta);
        if (duel->ahead >= needed || duel->behind >= needed) note(tested_, at(alternate).parent);
        return;
    }
    if (!(side(at(alternate).parent).trial->tested > 0.0)) return;
    Trial& trial = *side(alternate).trial;
    trial.own_tested += w;
    if (wrong) trial.own_errors += w;
}

// The best alternate that took part in the whole test replaces the node if it erred less. Alternates
// that fall behind are dropped.
void WindowTree::conclude_test(std::int32_t node) {
    if (is_given_up(node)) return;
    Trial& ours = *side(node).trial;
    std::int32_t best = none;
    for (std::int32_t b = side(node).first; b != none; b = side(b).next) {
        const Trial& theirs = *side(b).trial;
        if (theirs.own_tested != ours.tested) continue;
        if (best == none || theirs.own_errors < side(best).trial->own_errors) best = b;
    }
    if (best != none && side(best).trial->own_errors < ours.errors &&
        growth_.leaves_with(best) <= settings_.max_leaves) {
        const Trial& theirs = *side(best).trial;
        replace(node, best, {ours.errors / ours.tested, ours.tested},
                {theirs.own_errors / theirs.own_tested, theirs.own_tested});
        return;
    }
    for (std::int32_t b = side(node).first; b != none;) {
        const std::int32_t alternate = std::exchange(b, side(b).next);
        Trial& theirs = *side(alternate).trial;
        const bool whole = std::exchange(theirs.own_tested, 0.0) == ours.tested;
        const double more = (std::exchange(theirs.own_errors, 0.0) - ours.errors) / ours.tested;
        if (!whole) continue;
        if (more > theirs.least + how_.prune_margin || ours.errors == 0.0 ||
            (more == 0.0 && theirs.least == 0.0)) {
            drop(alternate);
        } else {
            theirs.least = std::min(theirs.least, more);
        }
    }
    ours.waited = ours.tested = ours.errors = 0.0;
    tidy_trial(node);
}

void WindowTree::replace(std::int32_t node, std::int32_t best, Standing ours, Standing theirs) {
    const std::uint64_t from = side(best).trial->from;
    const bool back = from != 0;
    log_change(back ? ChangeKind::recalled : ChangeKind::replaced, node, nodes_.cut_of(best),
               nodes_.leaves_below(best), ours, theirs, 0.0);
    if (how_.archive) {
        const auto old = std::find_if(archive_.begin(), archive_.end(),
                                      [&](const Archived& a) { return back && a.number == from; });
        if (old != archive_.end())
            give_up_archived(static_cast<std::size_t>(old - archive_.begin()));
        archive(node);
    }
    promote(node, best);
    // Its own trial against its alternates continues.
    const Trial& before = *side(best).trial;
    Trial& after = *side(node).trial;
    after.waited = before.waited;
    after.tested = before.tested;
    after.errors = before.errors;
    tidy_trial(node);
}

void WindowTree::note_bets(std::int32_t node, bool wrong) {
    for (std::int32_t b = side(node).first; b != none; b = side(b).next) {
        Duel* const duel = duel_of(b, how_.test_size);
        if (duel) duel->node_wrong = wrong;
    }
}

// The alternate with the most evidence replaces the node if that is enough. Alternates that were shown
// to be worse are dropped.
void WindowTree::conclude_bets(std::int32_t node) {
    if (is_given_up(node)) return;
    const double needed = -ln(settings_.delta);
    const Duel* most = nullptr;
    std::int32_t best = none;
    for (std::int32_t b = side(node).first; b != none;) {
        const std::int32_t alternate = std::exchange(b, side(b).next);
        const Duel* const duel = duels_.find(side(alternate).born);
        if (!duel) continue;
        if (duel->behind >= needed) {
            drop(alternate);
        } else if (duel->ahead >= needed && (!most || duel->ahead > most->ahead)) {
            most = duel;
            best = alternate;
        }
    }
    if (best != none && growth_.leaves_with(best) <= settings_.max_leaves) {
        replace(node, best, most->of_node(), most->of_alternate());
        return;
    }
    tidy_trial(node);
}

// A node without alternates has no trial, unless it is the root of an alternate.
void WindowTree::tidy_trial(std::int32_t node) {
    Side& s = side(node);
    if (s.first != none) return;
    const Charge charge(structure_);
    if (at(node).role == Role::alternate) {
        s.trial->waited = s.trial->tested = s.trial->errors = 0.0;
    } else {
        s.trial.reset();
        room_.settle();
    }
}

// ---- the validity of splits ----

// Whether a node may have alternates. The root of an alternate has none, because they can be
// alternates of its node. Each level of nesting lets a row visit many more nodes.
bool WindowTree::may_have_alternates(std::int32_t node) const noexcept {
    std::size_t levels = 0;
    for (std::int32_t root = nodes_.fragment(node); root != 0;
         root = nodes_.fragment(at(root).parent))
        ++levels;
    return at(node).role == Role::child && levels < most_levels;
}

// Whether a split on the best cut should be tried as an alternate.
bool WindowTree::is_doubtful(std::int32_t node, const Decision& d) const {
    if (d.verdict == Verdict::wait || d.best.feature == at(node).feature) return false;
    // A tie needs more than at a leaf. Otherwise equally good features would replace each other
    // forever.
    if (d.verdict == Verdict::tie && d.gap() < settings_.tau / 2.0) return false;
    for (std::int32_t b = side(node).first; b != none; b = side(b).next) {
        if (at(b).feature == d.best.feature) return false;
    }
    return true;
}

bool WindowTree::start_alternate(std::int32_t node, const Decision& d) {
    const std::vector<double> table = checks_.branches(place(node), d.best);
    const std::size_t more = 2 * taken(sizeof(Trial));
    if (!room_.may_add(more) || !room_.make_room_for(more, none)) return false;
    const std::int32_t root = attach(node, Role::alternate, d, table);
    if (root == none) return false;
    const Charge charge(structure_);
    side(root).trial = std::make_unique<Trial>();
    if (!side(node).trial) side(node).trial = std::make_unique<Trial>();
    room_.settle();
    count_change(ChangeKind::started);
    return true;
}

void WindowTree::check_all_splits() {
    if (!given_up_.empty()) compact();
    WindowReport report;
    const auto n = static_cast<std::int32_t>(nodes_.size());
    for (std::int32_t i = 0; i < n; ++i) {
        if (at(i).test == Test::leaf) continue;
        ++report.inner;
        const NodeRecord& leaf = leaves_[place(i)];
        if (leaf.statistics.is_open() && leaf.classes >= 2 && may_have_alternates(i)) {
            const Decision d = checks_.decide(place(i));
            if (is_doubtful(i, d)) {
                const bool fresh = start_alternate(i, d);
                if (bring_back(i) || fresh) ++report.started;
            }
        }
        if (side(i).first != none) ++report.questionable;
    }
    for (const ChangeKind kind : {ChangeKind::replaced, ChangeKind::recalled}) {
        report.replaced += change_totals()[static_cast<std::size_t>(kind)];
    }
    report.rows = state_.seen;
    report.window = window_;
    if (how_.dynamic) {
        const bool many =
            static_cast<double>(report.started) > many_doubtful * static_cast<double>(report.inner);
        const auto least = std::min<std::size_t>(how_.size, how_.validity_period);
        set_window(many ? std::max(least, window_ / 2)
                        : std::min(how_.widest(),
                                   window_ + std::max<std::size_t>(1, window_ / window_growth)));
    }
    if (how_.hook) {
        const std::size_t wanted = how_.hook->window(report);
        if (wanted) set_window(std::min(wanted, Window::most_hooked));
    }
}

}  // namespace riparian
