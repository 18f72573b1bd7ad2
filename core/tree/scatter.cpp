// An example with uncertain values goes down every branch that it may take, with the
// probability of that branch and its distributions conditioned on it [liang2010].
#include <algorithm>

#include "tree.hpp"

namespace riparian {
namespace {

// What a point of a distribution takes while its row is learned.
constexpr std::size_t bytes_of_a_point = 512;

// For each row with uncertain values and each run of rows without.
template <class Certain, class Uncertainly>
void in_turn(const Batch& batch, Certain&& certain, Uncertainly&& uncertainly) {
    const Uncertain* value = batch.uncertain.data();
    const Uncertain* const end = value + batch.uncertain.size();
    for (std::size_t row = 0; row < batch.rows;) {
        const std::size_t next = value == end ? batch.rows : value->row;
        if (row < next) certain(row, next - row);
        row = next;
        if (value == end) continue;
        const Uncertain* const first = value;
        while (value != end && value->row == row) ++value;
        uncertainly(row, first, value);
        ++row;
    }
}

Answers from(const Answers& answers, std::size_t row) noexcept {
    return {answers.classes ? answers.classes + row : nullptr,
            answers.probabilities ? answers.probabilities + row * answers.width : nullptr,
            answers.width};
}

}  // namespace

// ---- routing ----

// `pass` is told every node with a test and the share of the example that comes there; false:
// it goes no further. `way` is given a node, the child for its value and the code of that, and
// says the child, which may be none where there is none; `arrive` is told every leaf, or
// deepest node, and the share.
template <class Pass, class Way, class Arrive>
void Tree::scatter(Spread& spread, Pass&& pass, Way&& way, Arrive&& arrive) const {
    Spread::Waiting here;
    while (spread.next(here)) {
        while (at(here.node).test != Test::leaf) {
            if (!pass(here.node, here.share)) {
                here.share = 0.0;
                break;
            }
            const Node& node = at(here.node);
            const std::int32_t value = spread.find(static_cast<std::size_t>(node.feature));
            if (value < 0) {
                std::int32_t child = nodes_.step(here.node, spread.row());
                const std::int32_t code =
                    child == none ? spread.row().codes[nodes_.slot(node)] : missing_code;
                child = way(here.node, child, code);
                if (child == none) break;
                here.node = child;
            } else if (node.test == Test::every_value) {
                here.share = fan_out(spread, static_cast<std::size_t>(value), here, way);
                break;
            } else if (!halve(spread, static_cast<std::size_t>(value), here)) {
                here.share = 0.0;
                break;
            }
        }
        if (here.share > 0.0) arrive(here.node, here.share);
    }
}

// One child a category, the first of them next; returns what stays for want of a branch.
template <class Way>
double Tree::fan_out(Spread& spread, std::size_t v, const Spread::Waiting& here, Way&& way) const {
    const Uncertain whole = spread.values[v];
    const double all = whole.weight(spread.points);
    auto& children = spread.room.children;
    children.clear();
    double staying = 0.0;
    for (std::size_t p = 0; p < whole.count; ++p) {
        const Point point = spread.points[whole.first + p];
        const double share = here.share * (point.weight / all);
        std::int32_t child = none;
        if (share >= least_share) {
            const auto code = static_cast<std::int32_t>(point.value);
            child = nodes_.branches(at(here.node)).find(code);
            child = way(here.node, child, code);
            if (child == none) staying += share;
        }
        children.push_back({child, share});
    }
    for (std::size_t p = whole.count; p-- > 0;) {
        if (children[p].node == none) continue;
        spread.values[v].first = whole.first + p;
        spread.values[v].count = 1;
        spread.wait(children[p].node, children[p].share);
    }
    return staying;
}

// Of two children one is next and the other waits; false if too little goes to either.
bool Tree::halve(Spread& spread, std::size_t v, Spread::Waiting& here) const {
    const Node& node = at(here.node);
    const bool number = node.test == Test::threshold;
    const double threshold = nodes_.threshold(here.node);
    const std::int32_t first = node.place;
    Uncertain& value = spread.values[v];
    const Uncertain whole = value;
    const double p = number ? whole.below(threshold, spread.points)
                            : whole.of(node.category, spread.points);
    const auto keep = [&](bool yes) {
        value = whole;
        if (number && yes) value.keep_below(threshold, spread.points);
        else if (number) value.keep_above(threshold, spread.points);
        else if (yes) value.keep_only(node.category, spread.points);
        else value.leave_out(node.category, spread.points);
    };
    const double left = here.share * p;
    const double right = here.share * (1.0 - p);
    if (right >= least_share) {
        keep(false);
        if (left >= least_share) {
            spread.wait(first + 1, right);
        } else {
            here = {first + 1, right};
            return true;
        }
    }
    if (left < least_share) return false;
    keep(true);
    here = {first, left};
    return true;
}

// ---- answering ----

void Tree::answer(Spread& spread, AnswerScratch& scratch, const Answers& answers,
                  std::size_t row) const {
    const std::size_t n = answers.probabilities ? std::min(n_classes_, answers.width) : n_classes_;
    std::vector<double>& sum = spread.room.answer;
    std::vector<double>& shares = spread.room.shares;
    sum.assign(std::max(n_classes_, answers.width), 0.0);
    shares.resize(sum.size());
    double all = 0.0;
    spread.wait(0, 1.0);
    scatter(
        spread,
        [&](std::int32_t node, double share) {
            if (!settings_.has_options()) return true;
            for (std::int32_t o = side(node).first; o != none; o = side(o).next) {
                spread.wait(o, share);
            }
            return true;
        },
        [](std::int32_t, std::int32_t child, std::int32_t) { return child; },
        [&](std::int32_t node, double share) {
            LeafView leaf = view_of(node);
            leaf.n_classes = n;
            if (at(node).test != Test::leaf) {
                Majority{}.probabilities(leaf, spread, scratch, shares.data());
            } else {
                std::visit(
                    [&](const auto& policy) {
                        policy.probabilities(leaf, spread, scratch, shares.data());
                    },
                    settings_.leaf);
            }
            for (std::size_t k = 0; k < n; ++k) sum[k] += share * shares[k];
            all += share;
        });
    for (std::size_t k = 0; k < n; ++k) {
        sum[k] = all > 0.0 ? sum[k] / all : 1.0 / static_cast<double>(n);
    }
    if (answers.probabilities) {
        std::copy_n(sum.begin(), answers.width, answers.probabilities + row * answers.width);
    }
    if (!answers.classes) return;
    answers.classes[row] = !seen_           ? no_answer
                           : costs_.classes ? costs_.cheapest(sum.data(), n)
                                            : largest_class(sum.data(), n);
}

void Tree::predict_uncertain(const Batch& batch, const Answers& answers, const BlockLocks& locks,
                             Stop* stop) const {
    std::optional<RowBuffer> buffer;
    AnswerScratch scratch;
    Spread spread;
    in_turn(
        batch,
        [&](std::size_t first, std::size_t n) {
            predict_certain(batch.certain_rows(first, n), from(answers, first), locks, stop);
        },
        [&](std::size_t row, const Uncertain* first, const Uncertain* last) {
            look(stop);
            const auto lock = locks.of_block();
            if (!buffer || !buffer->reads(shape())) buffer.emplace(batch, features(), shape());
            fit(scratch, settings_.leaf, shape(), costs_.classes > 0);
            buffer->read(row, 1);
            spread.begin(buffer->row(0), features(), shape(), first, last, batch.points);
            answer(spread, scratch, answers, row);
        });
}

// ---- learning ----

void Tree::observe(std::int32_t node, Spread& spread, std::size_t y, double w) {
    std::visit(
        [&]<class Policy>(const Policy& policy) {
            if constexpr (Observes<Policy>) {
                policy.observe(view_of(node), spread, scratch_, numbers(node), y, w);
            }
        },
        settings_.leaf);
}

void Tree::arrive(const Spread& spread, std::size_t y) {
    arrive(spread.row(), y);
    for (const Uncertain& u : spread.values) {
        if (u.type != Uncertain::Type::categories) continue;
        const std::size_t slot = features()[u.feature].slot;
        for (std::size_t p = 0; p < u.count; ++p) {
            const auto code = static_cast<std::int32_t>(spread.points[u.first + p].value);
            if (code >= categories_[slot]) add_category(slot, code);
        }
    }
}

bool Tree::observes() const noexcept {
    return std::visit([](const auto& policy) { return policy.observes; }, settings_.leaf);
}

void Tree::follow(const Fixed&, Spread& spread, std::size_t y, double w) {
    arrive(spread, y);
    const bool observes = this->observes();
    spread.wait(0, 1.0);
    scatter(
        spread, [](std::int32_t, double) { return true; },
        [&](std::int32_t node, std::int32_t child, std::int32_t code) {
            return child == none ? add_branch(node, code) : child;
        },
        [&](std::int32_t leaf, double share) {
            if (observes) observe(leaf, spread, y, share * std::min(w, 1.0));
            learn_parts(leaf, spread, y, share * w);
            observe_again(leaf, spread, y, share, w);
        });
}

// A weight of 3 is three examples: the second and the third met a leaf that knew the first.
void Tree::observe_again(std::int32_t leaf, Spread& spread, std::size_t y, double share, double w) {
    if (w > 1.0 && observes() && at(leaf).test == Test::leaf &&
        leaves_[static_cast<std::size_t>(at(leaf).place)].weight > 0.0) {
        const double more = settings_.forgets() ? part_of(share, w) - part_of(share, 1.0)
                                                : share * (w - 1.0);
        observe(leaf, spread, y, more);
    }
}

// ---- learning in a tree that follows change ----

// Down a tree from its root: notes every node, and has the leaves answer before they learn.
// Where that is asked, it finds whether what is below a node is wrong: the sum of the answers.
void Tree::explore(Spread& spread, std::int32_t root, double share, std::size_t y, double w,
                   bool judged) {
    const std::size_t first = spread.visits.size();
    std::vector<double>& below = spread.room.below;  // [visit since][class]
    std::vector<std::size_t>& above = spread.room.above;  // visits on the way here
    below.clear();
    above.clear();
    const bool observes = this->observes();
    const auto enter = [&](std::int32_t node, double share, bool ends) {
        spread.note(node, share, ends);
        if (!judged) return;
        while (!above.empty() && at(spread.visits[above.back()].node).depth >= at(node).depth) {
            above.pop_back();
        }
        above.push_back(spread.visits.size() - 1);
        below.resize(below.size() + n_classes_, 0.0);
    };
    spread.wait(root, share);
    scatter(
        spread,
        [&](std::int32_t node, double share) {
            enter(node, share, false);
            return true;
        },
        [&](std::int32_t node, std::int32_t child, std::int32_t code) {
            return child == none ? add_branch(node, code) : child;
        },
        [&](std::int32_t node, double share) {
            enter(node, share, true);
            if (judged) {
                std::vector<double>& shares = spread.room.shares;
                shares.resize(n_classes_);
                const LeafView leaf = view_of(node);
                std::visit(
                    [&](const auto& policy) {
                        policy.probabilities(leaf, spread, scratch_, shares.data());
                    },
                    settings_.leaf);
                for (const std::size_t v : above) {
                    double* const sum = below.data() + (v - first) * n_classes_;
                    for (std::size_t k = 0; k < n_classes_; ++k) sum[k] += share * shares[k];
                }
            }
            if (observes) observe(node, spread, y, part_of(share, std::min(w, 1.0)));
        });
    for (std::size_t v = first; judged && v < spread.visits.size(); ++v) {
        const double* const sum = below.data() + (v - first) * n_classes_;
        spread.visits[v].wrong = largest_class(sum, n_classes_) != static_cast<std::int32_t>(y);
    }
}

// Learns what comes to a node, at leaves only.
void Tree::learn_below(Spread& spread, std::int32_t node, double share, std::size_t y, double w) {
    spread.wait(node, share);
    scatter(
        spread, [](std::int32_t, double) { return true; },
        [&](std::int32_t node, std::int32_t child, std::int32_t code) {
            return child == none ? add_branch(node, code) : child;
        },
        [&](std::int32_t leaf, double share) { learn_parts(leaf, spread, y, share * w); });
}

// The nodes that have learned an example of the window, as its visits: see each_that_learned.
void Tree::retrace(Spread& spread, std::uint64_t number) const {
    const auto enter = [&](std::int32_t node, double share) {
        if (side(node).since > number) return false;
        spread.note(node, share, at(node).test == Test::leaf);
        for (std::int32_t b = side(node).first; b != none; b = side(b).next) spread.wait(b, share);
        return true;
    };
    spread.wait(0, 1.0);
    scatter(
        spread, enter,
        [&](std::int32_t node, std::int32_t child, std::int32_t) {
            return child == none || side(child).there > number ? at(node).heavy : child;
        },
        [&](std::int32_t leaf, double share) { enter(leaf, share); });
}

void Tree::learn(Spread& spread, std::size_t y, double w) {
    std::visit([&](const auto& how) { follow(how, spread, y, w); }, settings_.adaptation);
    if (!given_up_.empty()) compact();
    if (limited() && working_.held) give_back_room();
}

void Tree::run_uncertain(const Batch& batch, const std::int32_t* y, const double* w,
                         const Answers& answers, Stop* stop) {
    RowBuffer buffer(batch, features(), shape());
    Spread spread;
    const bool asked = answers.classes || answers.probabilities;
    in_turn(
        batch,
        [&](std::size_t first, std::size_t n) {
            const Batch rows = batch.certain_rows(first, n);
            const double* const weights = w ? w + first : nullptr;
            if (asked) prequential(rows, y + first, weights, from(answers, first), stop);
            else learn(rows, y + first, weights, stop);
        },
        [&](std::size_t row, const Uncertain* first, const Uncertain* last) {
            look(stop);
            const Section section(reserve_, reserve_bytes() + bytes_of_a_point * batch.points.size());
            buffer.read(row, 1);
            const auto lock = turnstile_.writing();
            const Charge charge(leaves_.account());
            const auto begin = [&] {
                spread.begin(buffer.row(0), features(), shape(), first, last, batch.points);
            };
            each_row(1, [&](std::size_t) {
                begin();
                if (asked) {
                    answer(spread, scratch_, answers, row);
                    begin();
                }
                const double weight = w ? w[row] : 1.0;
                if (y[row] < 0 || !(weight > 0.0)) return;
                learn(spread, static_cast<std::size_t>(y[row]), weight);
            });
        });
}

}  // namespace riparian
