// Reevaluation: an inner node whose test is no longer the best gets a better one [manapragada2018].
#include "reevaluation.hpp"

#include <algorithm>
#include <utility>

#include "subtrees.hpp"

namespace riparian {
namespace {

class ReevaluationTree : public Subtrees {
public:
    ReevaluationTree(const Reevaluation& how, Growth& growth)
        : Subtrees(growth, {.keeps = true, .replaces = true}), how_(how) {}

    std::int32_t learn(std::int32_t start, const Row&, std::size_t y, double w) override;
    void learn(Spread&, std::size_t y, double w) override;

protected:
    [[nodiscard]] Role role() const noexcept override { return Role::child; }

private:
    // Whether an inner node still makes the best of its examples; true: its children are new,
    // or gone.
    bool reconsider(std::int32_t node);
    void prune(std::int32_t node);
    void move_cut(std::int32_t node, const Decision&);

    Reevaluation how_;
};

// The row is learned at every node of its path. What changes there, changes for the rows to
// come: this one goes on as it began, or ends where its path did.
std::int32_t ReevaluationTree::learn(std::int32_t start, const Row& row,
                                     std::size_t y, double w) {
    const std::int32_t leaf = growth_.route_on(start, row);
    const std::int32_t predicted = growth_.observe(leaf, row, y, std::min(w, 1.0));
    growth_.arrive(row, y);
    trace(leaf, 0);
    for (; !path_.empty(); path_.pop_back()) {
        const std::int32_t node = path_.back();
        if (!growth_.learn_inside(node, row, y, w)) continue;
        const NodeRecord& kept = leaves_[place(node)];
        if (kept.weight - kept.checked < how_.every || kept.classes < 2) continue;
        if (reconsider(node)) {
            finish_row();
            return predicted;
        }
    }
    growth_.learn_at(leaf, row, y, w);
    finish_row();
    return predicted;
}

// In fractions it is learned everywhere first: another test gives nodes other ids.
void ReevaluationTree::learn(Spread& spread, std::size_t y, double w) {
    growth_.arrive(spread, y);
    explore(spread, 0, 1.0, y, w, false);
    for (std::size_t v = 0; v < spread.visits.size(); ++v) {
        const Spread::Visit here = spread.visits[v];
        spread.go_back(v);
        growth_.learn_parts(here.node, spread, y, here.share * w);
        if (here.ends) growth_.observe_again(here.node, spread, y, here.share, w);
    }
    for (const Spread::Visit& here : spread.visits) {
        if (here.ends) continue;
        const NodeRecord& kept = leaves_[place(here.node)];
        if (!kept.statistics.is_open() || kept.classes < 2) continue;
        if (kept.weight - kept.checked >= how_.every && reconsider(here.node)) break;
    }
    finish_row();
}

bool ReevaluationTree::reconsider(std::int32_t node) {
    const std::size_t place = this->place(node);
    const Node& n = at(node);
    const Candidate test{n.feature, n.test, nodes_.threshold(node), n.category, 0.0};
    leaves_[place].checked = leaves_[place].weight;
    Review found = [&] {
        const Charge charge(working_);
        return growth_.checker().review(growth_.leaf_case(leaves_[place], growth_.case_room()), test);
    }();
    Decision& d = found.decision;
    growth_.spend(delta_of_check(settings_, d.evidence));
    ++leaves_[place].checks;
    const double bound = settings_.epsilons * d.epsilon;
    const auto begin = [&](double ours, double theirs) {
        Change change = change_at(node);
        change.bound = bound;
        change.ours = {ours, leaves_[place].weight};
        change.theirs = {theirs, leaves_[place].weight};
        return change;
    };
    if (d.best.feature == none) return false;  // no cut to judge by: nothing speaks against the test
    if (!(d.best.gain > settings_.min_gain)) {  // the null cut wins
        Change change = begin(found.now, 0.0);
        change.kind = ChangeKind::pruned;
        prune(node);
        log_change(change);
        return true;
    }
    const bool same = d.best.feature == test.feature;
    // Other categories would be other examples: only thresholds move and keep their children.
    if (same && d.best.test == test.test && d.best.category == test.category) {
        // Where a leaf would wait, the cut stays too.
        if (d.verdict == Verdict::wait || !found.improves) return false;
        if (!growth_.make_room_for(growth_.growth(0, true), node)) return false;
        Change change = begin(found.now, d.best.gain);
        change.kind = ChangeKind::moved;
        change.after = {d.best.threshold, d.best.feature, d.best.category, d.best.test};
        change.leaves_after = change.leaves_before;
        move_cut(node, d);
        log_change(change);
        return false;
    }
    Candidate rival = same ? test : found.own;
    if (same) rival.gain = found.now;
    if (!(rival.gain > 0.0)) rival = {};
    const double lead = d.best.gain - rival.gain;
    // Of two that are as good as each other either would replace the other for ever: a tie
    // is broken by a lead of half of tau, as CVFDT and MOA do.
    if (lead > bound) {
        d.verdict = Verdict::bound;
    } else if (d.epsilon < settings_.tau && lead >= settings_.tau / 2.0) {
        d.verdict = Verdict::tie;
    } else {
        return false;
    }
    d.second = rival;
    if (rival.feature != none) d.ranking = ranked_against(rival, d.ranking);
    Change change = begin(rival.gain, d.best.gain);
    prune(node);
    growth_.split(static_cast<std::size_t>(at(node).place), d);
    change.kind = at(node).test == Test::leaf ? ChangeKind::pruned : ChangeKind::resplit;
    change.after = nodes_.cut_of(node);
    change.leaves_after = nodes_.leaves_below(node);
    log_change(change);
    return true;
}

// An inner node becomes a leaf with the statistics that it has kept. Ids up to its own stay.
void ReevaluationTree::prune(std::int32_t node) {
    const auto n = static_cast<std::int32_t>(nodes_.size());
    for (std::int32_t i = node + 1; i < n; ++i) {
        if (at(i).parent == node) note(given_up_, i);
    }
    growth_.certificates().rename(node, none);
    Node& to = at(node);
    to.test = Test::leaf;
    to.feature = to.category = to.heavy = none;
    to.place = std::exchange(side(node).record, none);
    nodes_.set_gate(node, 0.0);
    // An inner node learns without what naive Bayes derives.
    const NodeRecord& leaf = leaves_[static_cast<std::size_t>(to.place)];
    if (shape().derives() && leaf.statistics.is_open()) {
        leaf.statistics.find_bayes(shape(), leaves_.own_counts(leaf));
    }
    compact();
}

void ReevaluationTree::move_cut(std::int32_t node, const Decision& d) {
    {
        const Charge charge(structure_);
        growth_.certificates().forget(node);
    }
    growth_.certify(node, d);
    growth_.settle();
    nodes_.set_gate(node, d.best.threshold);
    reroute();
}

}  // namespace

std::unique_ptr<Adaptation> Reevaluation::begin(Growth& growth) const {
    return std::make_unique<ReevaluationTree>(*this, growth);
}

}  // namespace riparian
