// The tree of the last examples [hulten2001].
//
// Every node, also of the subtrees beside others, holds the statistics of those examples of
// the window that it has learned. An example has a number, and a node the number of the first
// one that it may have learned. Tests never change in place and children are younger than
// their node, so an example that leaves the window is at the nodes on its present path that
// are old enough, and at no others.
//
// Counts are exact sums, since weights are whole steps and a full window of the heaviest examples
// has no more of them than a double has digits (Window::heaviest). Moments are downdated, which
// leaves rounding behind, and minima and maxima stay. So all statistics are counted anew, from
// the window, whenever four times as many examples were forgotten as it holds: one more look at
// every fourth example. At every one it costs a quarter of the speed. They are also counted anew
// where hardly anything is left of a class but the rounding of a heavy example.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tree.hpp"

namespace riparian {
namespace {

constexpr std::size_t windows_between_counts = 4;

// Of the nodes with a test: where more became doubtful in one check, the window is halved.
constexpr double many_doubtful = 0.25;
constexpr std::size_t window_growth = 100;  // else it gets longer by a hundredth

// Subtrees beside nodes of subtrees beside nodes.
constexpr std::size_t most_levels = 2;

void lower(double& sum, double part) noexcept { sum = std::max(0.0, sum - part); }

}  // namespace

std::int32_t Tree::follow(const Window& how, std::int32_t start, const Row& row, std::size_t y,
                          double given) {
    const double w = in_steps(given);
    std::int32_t answer = no_answer;
    arrive(row, y);  // before it may ask for a branch, whose age is counted in rows
    fragments_.clear();
    note(fragments_, 0);
    path_.clear();
    tested_.clear();
    for (std::size_t f = 0; f < fragments_.size(); ++f) {
        const std::int32_t root = fragments_[f];
        const std::int32_t leaf = route_on(f == 0 ? start : root, row);
        const std::int32_t predicted = observe(leaf, row, y, std::min(w, 1.0));
        const bool wrong = predicted != static_cast<std::int32_t>(y);
        if (f == 0) answer = predicted;
        if (f > 0 && side(at(root).parent).trial->tested > 0.0) {
            Trial& trial = *side(root).trial;
            trial.own_tested += w;
            if (wrong) trial.own_errors += w;
        }
        note(path_, leaf);
        for (std::int32_t i = leaf; i != root;) {
            note(path_, i = at(i).parent);
            if (side(i).first != none) note_tests(how, i, wrong, w);
        }
    }
    remember(row, y, w);
    for (; !path_.empty(); path_.pop_back()) {  // every leaf after the nodes above it
        const std::int32_t i = path_.back();
        if (at(i).test == Test::leaf) {
            learn_at(i, row, y, w);
        } else {
            learn_inside(i, row, y, w);
        }
    }
    for (const std::int32_t node : tested_) conclude_test(how, node);
    if (seen_ % how.validity_period == 0) check_all_splits(how);
    return answer;
}

// The same in fractions, each in steps of its own: at every node that a part of the example
// comes to, and against every subtree beside such a node. A part is answered by the sum of the
// leaves below the node.
void Tree::follow(const Window& how, Spread& spread, std::size_t y, double given) {
    const double w = in_steps(given);
    arrive(spread, y);
    fragments_.clear();
    tested_.clear();
    explore(spread, 0, 1.0, y, w, true);
    for (std::size_t v = 0; v < spread.visits.size(); ++v) {
        const Spread::Visit here = spread.visits[v];
        if (side(here.node).first == none) continue;
        const double part = part_of(here.share, w);
        note_tests(how, here.node, here.wrong, part);
        for (std::int32_t b = side(here.node).first; b != none; b = side(b).next) {
            const std::size_t root = spread.visits.size();
            spread.go_back(v);
            explore(spread, b, here.share, y, w, true);
            if (!(side(here.node).trial->tested > 0.0)) continue;
            side(b).trial->own_tested += part;
            if (spread.visits[root].wrong) side(b).trial->own_errors += part;
        }
    }
    spread.go_back(0);
    remember(spread, y, w);
    for (std::size_t v = 0; v < spread.visits.size(); ++v) {
        const Spread::Visit here = spread.visits[v];
        spread.go_back(v);
        learn_parts(here.node, spread, y, part_of(here.share, w));
        if (here.ends) observe_again(here.node, spread, y, here.share, w);
    }
    for (const std::int32_t node : tested_) {
        const Trial* const trial = side(node).trial.get();  // two parts may end one test
        if (trial && trial->tested >= how.test_size) conclude_test(how, node);
    }
    if (seen_ % how.validity_period == 0) check_all_splits(how);
}

// ---- the window ----

void Tree::remember(const Row& row, std::size_t y, double w) {
    const std::size_t numbers = examples_.numbers().size();
    forget_down_to(fits_ - 1);
    const Charge charge(structure_);
    const std::size_t before = structure_.held;
    examples_.begin(seen_);
    examples_.push(row, y, w);
    if (numbers != examples_.numbers().size()) {
        fits_ = window_fits(settings_.max_bytes, shape().numeric, shape().categorical,
                            examples_.numbers().size());
        settle();
    } else if (structure_.held != before) {
        settle();
    }
}

void Tree::remember(Spread& spread, std::size_t y, double w) {
    spread.write();
    make_room_to_remember(spread.numbers.size());
    const Charge charge(structure_);
    examples_.begin(seen_);
    examples_.push(spread.certain_part(), y, w, spread.numbers);
    settle();
}

// Numbers of distributions take the room of examples.
void Tree::make_room_to_remember(std::size_t numbers) {
    const auto fits = [&] {
        return window_fits(settings_.max_bytes, shape().numeric, shape().categorical,
                           examples_.numbers().size() + numbers);
    };
    while (examples_.size() > 0 && examples_.size() >= fits()) forget_oldest();
    const auto more = [&] {
        const Charge charge(structure_);
        examples_.fit_blocks();
        fits_ = fits();
        return NumberQueue::bytes(examples_.numbers().size() + numbers) - examples_.numbers().bytes();
    };
    std::size_t bytes = more();
    while (limited() && examples_.size() > 0 && lasting() + bytes > settings_.max_bytes) {
        forget_oldest();
        bytes = more();
    }
    if (fits_ == 0) {
        const std::size_t least = least_window(shape().numeric, shape().categorical);
        throw LimitTooLow(settings_.max_bytes, 4 * (NumberQueue::bytes(numbers) + least));
    }
    settle();
    demand_structure(bytes);
    count_anew_if_due();
}

// For good: not for the next one to come.
void Tree::shorten(std::size_t limit, std::size_t numeric, std::size_t categorical) {
    const auto fits = [&] {
        return window_fits(limit, numeric, categorical, examples_.numbers().size());
    };
    while (examples_.size() > fits()) forget_oldest();
    fits_ = fits();
    count_anew_if_due();
    const Charge charge(structure_);
    examples_.fit_blocks();
    settle();
}

void Tree::demand_weights(const double* w, std::size_t rows) const {
    const auto* const how = std::get_if<Window>(&settings_.adaptation);
    if (!how || !w) return;
    const double most = how->heaviest();
    const double* const found = std::find_if(w, w + rows, [&](double x) { return x > most; });
    if (found == w + rows) return;
    std::ostringstream what;
    what << "sample_weight, row " << found - w << ": " << *found
         << " is too heavy for a window of up to " << how->longest()
         << " examples, whose weights must sum to less than 2**33 to be forgotten exactly; use "
            "weights up to "
         << std::fixed << std::setprecision(0) << std::floor(most)
         << ": divide all weights by one number, or shorten the window";
    throw std::invalid_argument(what.str());
}

void Tree::forget_down_to(std::size_t examples) {
    while (examples_.size() > examples) forget_oldest();
    count_anew_if_due();
}

void Tree::count_anew_if_due() {
    if (forgotten_ < windows_between_counts * std::max<std::size_t>(1, examples_.size())) return;
    forgotten_ = 0;
    count_anew();
}

void Tree::forget_oldest() {
    const std::uint64_t number = examples_.first();
    if (examples_.is_uncertain(number)) {
        Spread spread;
        examples_.distributions(0, spread.numbers);
        forget_oldest(spread);
    } else {
        const Row row = examples_.row(number);
        const std::size_t y = examples_.label(number);
        const double w = examples_.weight(number);
        const Charge charge(leaves_.account());
        each_that_learned(row, number, [&](std::int32_t i) { forget_at(i, row, y, w, number); });
    }
    examples_.pop();
    ++forgotten_;
}

// Tests are what they were, so it is in the same fractions at the same nodes.
void Tree::forget_oldest(Spread& spread) {
    const std::uint64_t number = examples_.first();
    const std::size_t y = examples_.label(number);
    const double w = examples_.weight(number);
    spread.begin(examples_.row(number), features(), shape());
    retrace(spread, number);
    const Charge charge(leaves_.account());
    for (std::size_t v = 0; v < spread.visits.size(); ++v) {
        const Spread::Visit here = spread.visits[v];
        spread.go_back(v);
        each_part(spread, part_of(here.share, w), [&](const Row& part, double weight) {
            forget_at(here.node, part, y, weight, number);
        });
    }
}

void Tree::forget_at(std::int32_t node, const Row& row, std::size_t y, double w,
                     std::uint64_t number) {
    const auto place = static_cast<std::size_t>(record(node));
    NodeRecord& leaf = leaves_[place];
    double* own = leaves_.counts(node);
    lower(own[y], w);
    if (!leaf.statistics.is_open()) return;
    if (leaf.recent) {
        if (number < leaf.recent->since) return;
        own = leaf.recent->counts.data();
        lower(own[y], w);
    }
    if (own[y] == 0.0) --leaf.classes;
    const double before = leaf.weight;
    lower(leaf.weight, w);
    const bool answers = at(node).test == Test::leaf;
    if (answers) {
        // Who was right about it is not known any more: about all examples alike.
        const double left = before > 0.0 ? leaf.weight / before : 0.0;
        for (double& number : leaf.numbers) number *= left;
        if (PredictorState* const state = leaves_.state(place)) state->forget(shape(), left);
    }
    // What is between the two arrived since the last check.
    leaf.checked -= w;
    try {
        const bool precise = answers ? leaf.statistics.forget(shape(), row, y, w, own)
                                     : leaf.statistics.forget_silently(shape(), row, y, w, own);
        if (!precise) forgotten_ += windows_between_counts * examples_.size();  // due now
    } catch (const OverLimit&) {
        leaves_.deactivate(place);
    }
}

void Tree::count_anew() {
    const Charge charge(leaves_.account());
    for (std::int32_t i = 0; static_cast<std::size_t>(i) < nodes_.size(); ++i) {
        double* const seen = leaves_.counts(i);
        std::fill_n(seen, shape().class_stride, 0.0);
        // What a split estimated from examples that are all gone.
        if (side(i).since <= examples_.first()) {
            std::fill_n(seen + shape().class_stride, shape().class_stride, 0.0);
        }
        const auto place = static_cast<std::size_t>(record(i));
        NodeRecord& leaf = leaves_[place];
        if (!leaf.statistics.is_open()) continue;
        leaf.recent.reset();
        leaf.statistics.close();
        leaf.classes = 0;
        leaf.checked -= std::exchange(leaf.weight, 0.0);
        try {
            leaf.statistics.open(shape());
        } catch (const OverLimit&) {
            leaves_.deactivate(place);
        }
    }
    relearn_window(examples_.first(), 0);
    if (!shape().derives()) return;
    for (const NodeRecord& leaf : leaves_) {
        if (!leaf.statistics.is_open() || at(leaf.node).test != Test::leaf) continue;
        leaf.statistics.find_bayes(shape(), leaves_.own_counts(leaf));
    }
}

// The nodes from `least` on count the examples of the window from number `from` on.
void Tree::relearn_window(std::uint64_t from, std::int32_t least) {
    const std::uint64_t end = examples_.first() + examples_.size();
    Spread spread;
    std::size_t place = 0;
    for (std::uint64_t number = examples_.first(); number < end; ++number) {
        const bool uncertain = examples_.is_uncertain(number);
        if (uncertain) place = examples_.distributions(place, spread.numbers);
        if (number < from) continue;
        const Row row = examples_.row(number);
        const std::size_t y = examples_.label(number);
        const double w = examples_.weight(number);
        if (!uncertain) {
            each_that_learned(row, number, [&](std::int32_t i) {
                if (i >= least) relearn(i, row, y, w);
            });
            continue;
        }
        spread.begin(row, features(), shape());
        retrace(spread, number);
        for (std::size_t v = 0; v < spread.visits.size(); ++v) {
            const Spread::Visit here = spread.visits[v];
            if (here.node < least) continue;
            spread.go_back(v);
            each_part(spread, part_of(here.share, w), [&](const Row& part, double weight) {
                relearn(here.node, part, y, weight);
            });
        }
    }
}

// ---- subtrees beside a node ----

// A row has passed a node with subtrees beside it, which was wrong about it or not.
void Tree::note_tests(const Window& how, std::int32_t node, bool wrong, double w) {
    Trial& trial = *side(node).trial;
    if (trial.waited < how.test_period) {
        trial.waited += w;
    } else {
        trial.tested += w;
        if (wrong) trial.errors += w;
        if (trial.tested >= how.test_size) note(tested_, node);
    }
    for (std::int32_t b = side(node).first; b != none; b = side(b).next) note(fragments_, b);
}

// The best of those that were there from the beginning of the test takes the place of the
// node, if it erred less; those that fall behind are given up.
void Tree::conclude_test(const Window& how, std::int32_t node) {
    for (std::int32_t i = node; i != none; i = at(i).parent) {
        if (std::find(given_up_.begin(), given_up_.end(), i) != given_up_.end()) return;
    }
    Trial& ours = *side(node).trial;
    std::int32_t best = none;
    for (std::int32_t b = side(node).first; b != none; b = side(b).next) {
        const Trial& theirs = *side(b).trial;
        if (theirs.own_tested != ours.tested) continue;
        if (best == none || theirs.own_errors < side(best).trial->own_errors) best = b;
    }
    if (best != none && side(best).trial->own_errors < ours.errors &&
        leaves_with(best) <= settings_.max_leaves) {
        const Trial& theirs = *side(best).trial;
        const bool back = theirs.from != 0;
        log_change(back ? ChangeKind::recalled : ChangeKind::replaced, node, nodes_.cut_of(best),
                   nodes_.leaves_below(best), {ours.errors / ours.tested, ours.tested},
                   {theirs.own_errors / theirs.own_tested, theirs.own_tested}, 0.0);
        if (how.archive) {
            const auto old = std::find_if(archive_.begin(), archive_.end(), [&](const Archived& a) {
                return back && a.number == theirs.from;
            });
            if (old != archive_.end()) give_up_archived(static_cast<std::size_t>(old - archive_.begin()));
            archive(how, node);
        }
        promote(node, best);
        // Its own trial against those beside it goes on.
        const Trial& before = *side(best).trial;
        Trial& after = *side(node).trial;
        after.waited = before.waited;
        after.tested = before.tested;
        after.errors = before.errors;
        tidy_trial(node);
        return;
    }
    for (std::int32_t b = side(node).first; b != none;) {
        const std::int32_t beside = std::exchange(b, side(b).next);
        Trial& theirs = *side(beside).trial;
        const bool whole = std::exchange(theirs.own_tested, 0.0) == ours.tested;
        const double more = (std::exchange(theirs.own_errors, 0.0) - ours.errors) / ours.tested;
        if (!whole) continue;
        if (more > theirs.least + how.prune_margin || ours.errors == 0.0 ||
            (more == 0.0 && theirs.least == 0.0)) {
            drop(beside);
        } else {
            theirs.least = std::min(theirs.least, more);
        }
    }
    ours.waited = ours.tested = ours.errors = 0.0;
    tidy_trial(node);
}

// None without a subtree beside the node, unless it is one itself.
void Tree::tidy_trial(std::int32_t node) {
    Side& s = side(node);
    if (s.first != none) return;
    const Charge charge(structure_);
    if (at(node).role == Role::alternate) {
        s.trial->waited = s.trial->tested = s.trial->errors = 0.0;
    } else {
        s.trial.reset();
        settle();
    }
}

// ---- the validity of splits ----

// Whether subtrees may grow beside a node. What could grow beside the root of one can as well
// grow beside the node that it stands beside; and each level takes a row to many more nodes.
bool Tree::may_have_beside(std::int32_t node) const noexcept {
    std::size_t levels = 0;
    for (std::int32_t root = nodes_.fragment(node); root != 0; root = nodes_.fragment(at(root).parent)) ++levels;
    return at(node).role == Role::child && levels < most_levels;
}

// Whether a split on the best cut should be tried beside the node.
bool Tree::is_doubtful(std::int32_t node, const Decision& d) const {
    if (d.verdict == Verdict::wait || d.best.feature == at(node).feature) return false;
    // A tie asks for more than at a leaf, or attributes that are equally good would take
    // turns for ever.
    if (d.verdict == Verdict::tie && d.gap() < settings_.tau / 2.0) return false;
    for (std::int32_t b = side(node).first; b != none; b = side(b).next) {
        if (at(b).feature == d.best.feature) return false;
    }
    return true;
}

bool Tree::start_beside(std::int32_t node, const Decision& d) {
    const std::vector<double> table = [&] {
        const Charge charge(working_);
        return checker_.branches(leaf_case(leaves_[static_cast<std::size_t>(record(node))], case_room_),
                                 d.best);
    }();
    const std::size_t more = 2 * taken(sizeof(Trial));
    if (!may_add(more) || !make_room_for(more, none)) return false;
    const std::int32_t root = attach(node, Role::alternate);
    if (root == none) return false;
    split(static_cast<std::size_t>(at(root).place), d, table);
    if (at(root).test == Test::leaf) {
        detach(root);
        return false;
    }
    const Charge charge(structure_);
    side(root).trial = std::make_unique<Trial>();
    if (!side(node).trial) side(node).trial = std::make_unique<Trial>();
    settle();
    count_change(ChangeKind::started);
    return true;
}

void Tree::check_all_splits(const Window& how) {
    if (!given_up_.empty()) compact();
    WindowReport report;
    const auto n = static_cast<std::int32_t>(nodes_.size());
    for (std::int32_t i = 0; i < n; ++i) {
        if (at(i).test == Test::leaf) continue;
        ++report.inner;
        NodeRecord& leaf = leaves_[static_cast<std::size_t>(record(i))];
        if (leaf.statistics.is_open() && leaf.classes >= 2 && may_have_beside(i)) {
            const Decision d = [&] {
                const Charge charge(working_);
                return checker_.check(leaf_case(leaf, case_room_));
            }();
            spent_ += delta_of_check(settings_, d.evidence);
            ++leaf.checks;
            if (is_doubtful(i, d)) {
                const bool fresh = start_beside(i, d);
                if (bring_back(how, i) || fresh) ++report.started;
            }
        }
        if (side(i).first != none) ++report.questionable;
    }
    for (const ChangeKind kind : {ChangeKind::replaced, ChangeKind::recalled}) {
        report.replaced += change_totals_[static_cast<std::size_t>(kind)];
    }
    report.rows = seen_;
    report.window = window_;
    if (how.dynamic) {
        const bool many = static_cast<double>(report.started) >
                          many_doubtful * static_cast<double>(report.inner);
        const auto least = std::min<std::size_t>(how.size, how.validity_period);
        set_window(many ? std::max(least, window_ / 2)
                        : std::min(how.widest(),
                                   window_ + std::max<std::size_t>(1, window_ / window_growth)));
    }
    if (how.hook) {
        const std::size_t wanted = how.hook->window(report);
        if (wanted) set_window(std::min(wanted, Window::most_hooked));
    }
}

void Tree::set_window(std::size_t examples) {
    if (examples == window_) return;
    window_ = examples;
    shorten(settings_.max_bytes, shape().numeric, shape().categorical);
}

// Rows that get wider leave room for fewer.
void Tree::make_room_for_wider(std::size_t numeric, std::size_t categorical) {
    numeric += shape().numeric;
    categorical += shape().categorical;
    if (window_fits(settings_.max_bytes, numeric, categorical, 0) == 0) {
        throw LimitTooLow(settings_.max_bytes, 4 * least_window(numeric, categorical));
    }
    shorten(settings_.max_bytes, numeric, categorical);
}

}  // namespace riparian
