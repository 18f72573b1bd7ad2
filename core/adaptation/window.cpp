// A tree over a window of examples [hulten2001].
//
// Every node, including those of alternates, has the statistics of the examples in the window that it
// has learned. Each example has a number, and each node has the number of the first example that it
// may have learned. Tests never change in place, and children are younger than their node. So an
// example that leaves the window was learned at the nodes on its present path that are old enough,
// and nowhere else.
#include "window.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <stdexcept>

#include "window_tree.hpp"

namespace riparian {

WindowTree::WindowTree(const Window& how, RowLearner& rows)
    : Subtrees(rows, {.keeps = true, .forgets = true, .replaces = true}),
      how_(how),
      window_(how.size),
      fits_(window_fits(settings_.max_bytes, 0, 0, 0)) {}

std::unique_ptr<Adaptation> Window::begin(RowLearner& rows) const {
    return std::make_unique<WindowTree>(*this, rows);
}

std::int32_t WindowTree::learn(const Example& example, std::size_t y, double given) {
    const double w = in_steps(given);
    arrive(example, y);  // first, because it may need a branch whose age is counted in rows
    tested_.clear();
    std::int32_t predicted = no_prediction;
    if (example.certain()) {
        predicted = compare(example, y, w);
        remember(*example.row, y, w);
    } else {
        compare(*example.spread, y, w);
        example.spread->go_back(0);
        remember(*example.spread, y, w);
    }
    each_visited(example, [&](const Visit& here) {
        learn_at(example, here, y, w);
        return true;
    });
    for (const std::int32_t node : tested_) {
        // It may be gone: two parts of an example may end one test.
        const Trial* const trial = side(node).trial.get();
        if (trial && bets()) conclude_bets(node);
        else if (trial && trial->tested >= how_.test_size) conclude_test(node);
    }
    if (state_.seen % how_.validity_period == 0) check_all_splits();
    finish_row();
    return predicted;
}

// A row follows one path in each subtree, and one leaf predicts. Subtrees are compared with their
// alternates from the leaf upwards, and the last subtree learns first. With distributions it is the
// other way round. The order decides the ids of nodes that two subtrees add for one row and, below a
// memory limit, which leaf stays active. So one order for both would change models.
std::int32_t WindowTree::compare(const Example& example, std::size_t y, double w) {
    const Row& row = *example.row;
    std::int32_t of_the_tree = no_prediction;
    fragments_.clear();
    note(fragments_, 0);
    path_.clear();
    for (std::size_t f = 0; f < fragments_.size(); ++f) {
        const std::int32_t root = fragments_[f];
        const std::int32_t leaf = rows_.route(f == 0 ? example.start : root, row);
        const std::int32_t predicted = rows_.observe(leaf, row, y, std::min(w, 1.0));
        const bool wrong = predicted != static_cast<std::int32_t>(y);
        if (f == 0) of_the_tree = predicted;
        if (f > 0) note_own_test(root, wrong, w);
        note(path_, leaf);
        for (std::int32_t i = leaf; i != root;) {
            note(path_, i = at(i).parent);
            if (side(i).first == none) continue;
            note_test(i, wrong, w);
            for (std::int32_t b = side(i).first; b != none; b = side(b).next) note(fragments_, b);
        }
    }
    return of_the_tree;
}

// With distributions, a part of the example reaches a node. It is predicted by the sum of the leaves
// below the node, and its weight is its share, in steps.
void WindowTree::compare(Spread& spread, std::size_t y, double w) {
    explore(spread, 0, 1.0, y, w, true);
    for (std::size_t v = 0; v < spread.visits.size(); ++v) {
        const Visit here = spread.visits[v];
        if (side(here.node).first == none) continue;
        const double part = rows_.part_of(here.share, w);
        note_test(here.node, here.wrong, part);
        for (std::int32_t b = side(here.node).first; b != none; b = side(b).next) {
            const std::size_t root = spread.visits.size();
            spread.go_back(v);
            explore(spread, b, here.share, y, w, true);
            note_own_test(b, spread.visits[root].wrong, part);
        }
    }
}

template <class OfVisit>
void WindowTree::each_visited(const Example& example, OfVisit&& visit) {
    if (!example.certain()) {
        each_visit(*example.spread, visit);
        return;
    }
    for (; !path_.empty(); path_.pop_back()) {  // a leaf comes after the nodes above it
        const std::int32_t node = path_.back();
        visit(Visit{node, 1.0, at(node).test == Test::leaf});
    }
}

// ---- the window ----

void WindowTree::remember(const Row& row, std::size_t y, double w) {
    const std::size_t numbers = examples_.numbers().size();
    forget_down_to(fits_ - 1);
    const Charge charge(structure_);
    const std::size_t before = structure_.held;
    examples_.begin(state_.seen);
    examples_.push(row, y, w);
    if (numbers != examples_.numbers().size()) {
        fits_ = window_fits(settings_.max_bytes, leaves_.shape().numeric,
                            leaves_.shape().categorical, examples_.numbers().size());
        room_.settle();
    } else if (structure_.held != before) {
        room_.settle();
    }
}

void WindowTree::remember(Spread& spread, std::size_t y, double w) {
    spread.write();
    make_room_to_remember(spread.numbers.size());
    const Charge charge(structure_);
    examples_.begin(state_.seen);
    examples_.push(spread.certain_part(), y, w, spread.numbers);
    room_.settle();
}

// The numbers of distributions use memory that examples would use otherwise.
void WindowTree::make_room_to_remember(std::size_t numbers) {
    const auto fits = [&] {
        return window_fits(settings_.max_bytes, leaves_.shape().numeric,
                           leaves_.shape().categorical, examples_.numbers().size() + numbers);
    };
    while (examples_.size() > 0 && examples_.size() >= fits()) forget_oldest();
    const auto more = [&] {
        const Charge charge(structure_);
        examples_.fit_blocks();
        fits_ = fits();
        return NumberQueue::bytes(examples_.numbers().size() + numbers) -
               examples_.numbers().bytes();
    };
    std::size_t bytes = more();
    while (state_.limited() && examples_.size() > 0 &&
           room_.lasting() + bytes > settings_.max_bytes) {
        forget_oldest();
        bytes = more();
    }
    if (fits_ == 0) {
        const std::size_t least =
            least_window(leaves_.shape().numeric, leaves_.shape().categorical);
        throw LimitTooLow(settings_.max_bytes, 4 * (NumberQueue::bytes(numbers) + least));
    }
    room_.settle();
    room_.demand_structure(bytes);
    recount_if_due();
}

// Makes the window shorter permanently, not only for the next example.
void WindowTree::shorten(std::size_t limit, std::size_t numeric, std::size_t categorical) {
    const auto fits = [&] {
        return window_fits(limit, numeric, categorical, examples_.numbers().size());
    };
    while (examples_.size() > fits()) forget_oldest();
    fits_ = fits();
    recount_if_due();
    const Charge charge(structure_);
    examples_.fit_blocks();
    room_.settle();
}

void WindowTree::demand_weights(const double* w, std::size_t rows) const {
    if (!w) return;
    const double most = how_.heaviest();
    const double* const found = std::find_if(w, w + rows, [&](double x) { return x > most; });
    if (found == w + rows) return;
    std::ostringstream what;
    what << "sample_weight, row " << found - w << ": " << *found
         << " is too heavy for a window of up to " << how_.longest()
         << " examples, whose weights must sum to less than 2**33 to be forgotten exactly; use "
            "weights up to "
         << std::fixed << std::setprecision(0) << std::floor(most)
         << ": divide all weights by one number, or shorten the window";
    throw std::invalid_argument(what.str());
}

void WindowTree::set_window(std::size_t examples) {
    if (examples == window_) return;
    window_ = examples;
    shorten(settings_.max_bytes, leaves_.shape().numeric, leaves_.shape().categorical);
}

// Inner nodes do not predict.
void WindowTree::keep_record(std::int32_t node, std::size_t place) {
    Subtrees::keep_record(node, place);
    leaves_[place].numbers = {};
}

// Wider rows leave room for fewer examples.
void WindowTree::widen(std::size_t numeric, std::size_t categorical) {
    numeric += leaves_.shape().numeric;
    categorical += leaves_.shape().categorical;
    if (window_fits(settings_.max_bytes, numeric, categorical, 0) == 0) {
        throw LimitTooLow(settings_.max_bytes, 4 * least_window(numeric, categorical));
    }
    shorten(settings_.max_bytes, numeric, categorical);
}

}  // namespace riparian
