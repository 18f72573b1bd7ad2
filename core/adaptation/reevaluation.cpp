// Reevaluation: an inner node whose test is no longer the best gets a better one [manapragada2018].
#include "reevaluation.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "../simd/scalar.hpp"
#include "subtrees.hpp"

namespace riparian {
namespace {

class ReevaluationTree final : public Subtrees {
public:
    ReevaluationTree(const Reevaluation& how, RowLearner& rows)
        : Subtrees(rows, {.keeps = true, .replaces = true}), how_(how) {}

    std::int32_t learn(const Example&, std::size_t y, double w) override;

protected:
    [[nodiscard]] Role role() const noexcept override {
        return bets() ? Role::alternate : Role::child;
    }
    [[nodiscard]] bool bets() const noexcept override {
        return how_.replace_by == Reevaluation::ReplaceBy::betting;
    }

private:
    std::int32_t learn_and_bet(const Example&, std::size_t y, double w);
    [[nodiscard]] bool is_due(std::int32_t node) const noexcept;
    // Checks whether the test of an inner node is still the best; true: its children are new or gone.
    bool reconsider(std::int32_t node);
    void prune(std::int32_t node);
    void move_cut(std::int32_t node, const Decision&);
    // Begins an alternate with the best test of a decision; with a null pointer, as a leaf.
    void start_alternate(std::int32_t node, const Decision*);
    // Replaces a node by its alternate, or gives the alternate up, if the bets have shown enough.
    void conclude(std::int32_t node);

    Reevaluation how_;
};

// The example is learned at every node that it visits. A change at a node affects later examples only.
std::int32_t ReevaluationTree::learn(const Example& example, std::size_t y, double w) {
    if (bets()) return learn_and_bet(example, y, w);
    const bool one_path = example.certain();
    std::int32_t leaf = none, predicted = no_prediction;
    if (one_path) {
        leaf = rows_.route(example.start, *example.row);
        predicted = rows_.observe(leaf, *example.row, y, std::min(w, 1.0));
    }
    arrive(example, y);
    if (!one_path) explore(*example.spread, 0, 1.0, y, w, false);
    const auto each_node = [&](auto&& visit) {
        if (one_path) {
            each_on_path(0, leaf, false, visit);
        } else {
            each_visit(*example.spread, visit);
        }
    };
    const auto changed = [&](const Visit& here) {
        return !here.ends && is_due(here.node) && reconsider(here.node);
    };
    // A change replaces the nodes below, which on a single path then need not learn. With several paths it
    // would also change the ids of nodes that are still to visit, so all of them learn first.
    each_node([&](const Visit& here) {
        learn_at(example, here, y, w);
        return !(one_path && changed(here));
    });
    if (!one_path) each_node([&](const Visit& here) { return !changed(here); });
    finish_row();
    return predicted;
}

// The example goes down the tree, and down the alternate of every node that it visits. Each subtree
// predicts before it learns. An alternate that begins with the example learns the next one. Nodes are
// replaced at the end, because ids change then.
//
// A duel counts an example if at least half of its weight reaches the node, as a detector of HAT does.
std::int32_t ReevaluationTree::learn_and_bet(const Example& example, std::size_t y, double w) {
    constexpr double enough = 0.5;
    tested_.clear();
    const std::int32_t predicted = each_visit_below(
        example, y, w, [&](const Visit& here, std::size_t, bool main, const auto& go_down) {
            const bool counts = here.share >= enough;
            if (counts && at(here.node).role == Role::alternate) {
                Duel* const duel = duels_.find(side(here.node).born);
                if (duel) duel->bet(here.wrong);
                note(tested_, at(here.node).parent);
            }
            learn_at(example, here, y, w);
            if (here.ends) return true;
            const std::int32_t alternate = side(here.node).first;
            if (main && is_due(here.node)) reconsider(here.node);
            if (alternate == none || side(here.node).first != alternate) return true;
            if (counts) {
                Duel* const duel = duel_of(alternate, how_.switch_after);
                if (duel) duel->node_wrong = here.wrong;
            }
            go_down(alternate, here.share);
            return true;
        });
    for (const std::int32_t node : tested_) conclude(node);
    finish_row();
    return predicted;
}

void ReevaluationTree::conclude(std::int32_t node) {
    const std::int32_t alternate = side(node).first;
    if (alternate == none || is_given_up(node)) return;
    const Duel* const duel = duels_.find(side(alternate).born);
    if (!duel) return;
    const double needed = -ln(how_.switch_delta);
    if (duel->ahead >= needed && growth_.leaves_with(alternate) <= settings_.max_leaves) {
        log_change(ChangeKind::replaced, node, nodes_.cut_of(alternate),
                   nodes_.leaves_below(alternate), duel->of_node(), duel->of_alternate(), 0.0);
        promote(node, alternate);
    } else if (duel->behind >= needed) {
        drop(alternate);
        NodeRecord& kept = leaves_[place(node)];
        kept.checked = kept.weight;  // the next doubt comes after the usual time
    }
}

// An alternate with the same test goes on, and so does one that has made fewer errors than its node.
void ReevaluationTree::start_alternate(std::int32_t node, const Decision* d) {
    if (const std::int32_t old = side(node).first; old != none) {
        const Duel* const duel = duels_.find(side(old).born);
        const std::int32_t wanted = d ? d->best.feature : none;
        if (at(old).feature == wanted || (duel && duel->difference > 0.0)) return;
        drop(old);
    }
    // Making room may deactivate the node, so the branches are computed first.
    const std::int32_t root =
        d ? attach(node, Role::alternate, *d, checks_.branches(place(node), d->best))
          : attach(node, Role::alternate);
    if (root == none) return;
    count_change(ChangeKind::started);
}

bool ReevaluationTree::is_due(std::int32_t node) const noexcept {
    const NodeRecord& kept = leaves_[place(node)];
    return kept.statistics.is_open() && kept.classes >= 2 &&
           kept.weight - kept.checked >= how_.every;
}

bool ReevaluationTree::reconsider(std::int32_t node) {
    const std::size_t place = this->place(node);
    const Node& n = at(node);
    const Candidate test{n.feature, n.test, nodes_.threshold(node), n.category, 0.0};
    leaves_[place].checked = leaves_[place].weight;
    Review found = checks_.run(place, settings_, [&](Checker& checker, const LeafCase& here) {
        return checker.review(here, test);
    });
    Decision& d = found.decision;
    checks_.count(place, settings_, d.evidence);
    const double bound = settings_.epsilons * d.epsilon;
    const auto begin = [&](double ours, double theirs) {
        Change change = change_at(node);
        change.bound = bound;
        change.ours = {ours, leaves_[place].weight};
        change.theirs = {theirs, leaves_[place].weight};
        return change;
    };
    if (d.best.feature == none) return false;   // no cut to compare the test with
    if (!(d.best.gain > settings_.min_gain)) {  // the null cut wins
        if (bets()) {
            start_alternate(node, nullptr);
            return false;
        }
        Change change = begin(found.now, 0.0);
        change.kind = ChangeKind::pruned;
        prune(node);
        log_change(change);
        return true;
    }
    const bool same = d.best.feature == test.feature;
    // Only a threshold can move and keep its children. Another category would select other examples.
    if (same && d.best.test == test.test && d.best.category == test.category) {
        // If a leaf with these statistics would wait, the threshold stays.
        if (d.verdict == Verdict::wait || !found.improves) return false;
        if (!room_.make_room_for(room_.growth(0, true), node)) return false;
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
    // Two equally good cuts would replace each other forever. So a tie needs a lead of half of tau, as
    // in CVFDT and MOA.
    if (lead > bound) {
        d.verdict = Verdict::bound;
    } else if (d.epsilon < settings_.tau && lead >= settings_.tau / 2.0) {
        d.verdict = Verdict::tie;
    } else {
        return false;
    }
    d.second = rival;
    if (rival.feature != none) d.ranking = ranked_against(rival, d.ranking);
    if (bets()) {
        start_alternate(node, &d);
        return false;
    }
    Change change = begin(rival.gain, d.best.gain);
    prune(node);
    growth_.split(static_cast<std::size_t>(at(node).place), d);
    change.kind = at(node).test == Test::leaf ? ChangeKind::pruned : ChangeKind::resplit;
    change.after = nodes_.cut_of(node);
    change.leaves_after = nodes_.leaves_below(node);
    log_change(change);
    return true;
}

// Turns an inner node into a leaf with the statistics that it has kept. Ids up to its own do not change.
void ReevaluationTree::prune(std::int32_t node) {
    const auto n = static_cast<std::int32_t>(nodes_.size());
    for (std::int32_t i = node + 1; i < n; ++i) {
        if (at(i).parent == node) note(given_up_, i);
    }
    retire(node);
    state_.certificates.rename(node, none);
    Node& to = at(node);
    to.test = Test::leaf;
    to.feature = to.category = to.heavy = none;
    to.place = std::exchange(side(node).record, none);
    nodes_.set_gate(node, 0.0);
    // Inner nodes do not update the values derived for naive Bayes.
    const NodeRecord& leaf = leaves_[static_cast<std::size_t>(to.place)];
    if (leaves_.shape().derives() && leaf.statistics.is_open()) {
        leaf.statistics.find_bayes(leaves_.shape(), leaves_.own_counts(leaf));
    }
    compact();
}

void ReevaluationTree::move_cut(std::int32_t node, const Decision& d) {
    retire(node);
    {
        const Charge charge(structure_);
        state_.certificates.forget(node);
    }
    checks_.certify(node, d);
    room_.settle();
    nodes_.set_gate(node, d.best.threshold);
    reroute();
}

}  // namespace

std::unique_ptr<Adaptation> Reevaluation::begin(RowLearner& rows) const {
    return std::make_unique<ReevaluationTree>(*this, rows);
}

}  // namespace riparian
