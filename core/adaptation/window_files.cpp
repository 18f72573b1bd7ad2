// Saves and restores what a tree with a window has in addition: examples, trials and archive.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "../growth/files.hpp"
#include "sizes.hpp"
#include "window_tree.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

void WindowTree::check_sizes(const Snapshot& s, const Sizes& z) const {
    demand_sizes_of_subtrees(s, z.n_nodes);
    demand_sizes_of_window(s, z, z.n_nodes, how_.archive);
}

void WindowTree::save(Snapshot& s) const {
    Subtrees::save(s);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Side& side = sides_[i];
        s.since.push_back(side.since);
        s.there.push_back(side.there);
        s.on_trial.push_back(side.trial != nullptr);
        if (const Trial* const t = side.trial.get()) {
            s.trials.insert(s.trials.end(), {t->waited, t->tested, t->errors, t->own_tested,
                                             t->own_errors, t->least});
            if (how_.archive) s.trial_from.push_back(t->from);
        }
        const NodeRecord& leaf = leaves_[place(static_cast<std::int32_t>(i))];
        if (leaf.recent) s.recent_since.push_back(leaf.recent->since);
    }
    s.window = {window_, forgotten_};
    if (how_.archive) save_archive(s);
    examples_.save(s.window_values, s.window_codes, s.window_labels, s.window_weights);
    examples_.save_distributions(s.window_uncertain, s.window_numbers);
}

void WindowTree::save_archive(Snapshot& s) const {
    s.archived = {archived_};
    for (const Archived& a : archive_) {
        s.archive.insert(s.archive.end(),
                         {a.number, static_cast<std::uint64_t>(a.place), a.nodes.size()});
        for (const Archived::Node& n : a.nodes) {
            s.archive_places.insert(s.archive_places.end(),
                                    {static_cast<std::int32_t>(n.test), n.parent, n.branch,
                                     n.feature, n.category, n.heavy});
            s.archive_thresholds.push_back(n.threshold);
        }
        for (const Split& split : a.splits) {
            s.archive_splits.insert(s.archive_splits.end(),
                                    {split.seen, static_cast<std::uint64_t>(split.verdict),
                                     split.criterion, split.rivals, split.null_second, split.pass});
            s.archive_evidence.insert(
                s.archive_evidence.end(),
                {split.n, split.gain_range, split.epsilon, split.delta, split.spent, split.gain});
        }
        for (const Rival& r : a.rivals) {
            s.archive_rivals.insert(s.archive_rivals.end(),
                                    {static_cast<std::int32_t>(r.test), r.feature, r.category});
            s.archive_gains.insert(s.archive_gains.end(), {r.threshold, r.gain});
        }
    }
}

void WindowTree::restore(const Snapshot& s) {
    Subtrees::restore(s);
    demand(s.window[0] >= 1 && s.window[0] <= most_window, "window is out of range");
    window_ = fits_ = s.window[0];
    forgotten_ = s.window[1];
    demand(forgotten_ <= state_.seen, "window forgot more than was learned");
    NumberReader trials(s.trials, "trials");
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        Side& side = sides_[i];
        const std::int32_t parent = nodes_[i].parent;
        side.since = s.since[i];
        demand(side.since <= state_.seen + 1 &&
                   (parent == none || side.since >= this->side(parent).since),
               at_row("since", i) + "before its parent, or after the last example");
        side.there = s.there[i];
        demand(side.there <= side.since &&
                   (parent == none || side.there >= this->side(parent).since),
               at_row("there", i) + "after it began, or before its parent");
        demand((s.on_trial[i] == 1) == (side.first != none || nodes_[i].role == Role::alternate),
               at_row("on_trial", i) + "no trial where there is one, or one where there is none");
        if (!s.on_trial[i]) continue;
        const double* const t = trials.read(Snapshot::trial_values_each);
        for (std::size_t k = 0; k < Snapshot::trial_values_each; ++k) {
            demand(t[k] >= 0.0 && (t[k] <= heaviest || (k == 5 && t[k] == infinity)),
                   at_row("on_trial", i) + "not a weight");
        }
        side.trial = std::make_unique<Trial>();
        *side.trial = Trial{{}, t[0], t[1], t[2], t[3], t[4], t[5], 0};
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
        if (!leaves_[i].recent) continue;
        leaves_[i].recent->since = s.recent_since[next++];
        demand(leaves_[i].recent->since <= state_.seen + 1,
               at_row("leaf", i) + "begins again after the last example");
    }
    if (exact_in_steps(restore_examples(s))) demand_counts(s);
    if (how_.archive) restore_archive(s);
}

void WindowTree::settle_in() {
    fits_ = window_fits(settings_.max_bytes, leaves_.shape().numeric, leaves_.shape().categorical,
                        examples_.numbers().size());
}

// Returns their total weight.
double WindowTree::restore_examples(const Snapshot& s) {
    const std::size_t numeric = leaves_.shape().numeric, categorical = leaves_.shape().categorical;
    examples_.begin(state_.seen + 1 - s.window_labels.size());
    double total = 0.0;
    NumberReader numbers(s.window_numbers, "window_numbers");
    for (std::size_t i = 0; i < s.window_labels.size(); ++i) {
        const Where where = at_row("window_labels", i);
        const double w = s.window_weights[i];
        total += w;
        const double* const x = s.window_values.data() + i * numeric;
        const Row row{x, s.window_codes.data() + i * categorical,
                      std::any_of(x, x + numeric, [](double v) { return v != v; })};
        demand_example(state_, row, s.window_labels[i], w, where);
        const auto y = static_cast<std::size_t>(s.window_labels[i]);
        if (s.window_uncertain.empty() || !s.window_uncertain[i]) {
            examples_.push(row, y, w);
        } else {
            examples_.push(row, y, w, read_distributions(row, numbers, where));
        }
    }
    numbers.demand_end();
    return total;
}

// Every example of the window is forgotten one day, so the nodes must contain it.
void WindowTree::demand_counts(const Snapshot& s) {
    std::vector<double> counts(nodes_.size() * state_.known.n_classes, 0.0);
    Spread spread;
    std::size_t place = 0;
    for (std::size_t i = 0; i < s.window_labels.size(); ++i) {
        const std::uint64_t number = examples_.first() + i;
        const auto add = [&](std::int32_t node, double w) {
            counts[static_cast<std::size_t>(node) * state_.known.n_classes +
                   examples_.label(number)] += w;
        };
        const double w = examples_.weight(number);
        if (!examples_.is_uncertain(number)) {
            each_that_learned(examples_.row(number), number,
                              [&](std::int32_t node) { add(node, w); });
            continue;
        }
        place = examples_.distributions(place, spread.numbers);
        spread.begin(examples_.row(number), nodes_.features(), leaves_.shape());
        retrace(spread, number);
        for (const Spread::Visit& v : spread.visits) add(v.node, rows_.part_of(v.share, w));
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
        demand(nearly(counts[i], s.counts[i]),
               at_row("counts", i / state_.known.n_classes) + "not what the window holds");
    }
}

// In the layout of Spread::write. Each distribution stands for a value that the row lacks.
std::vector<double> WindowTree::read_distributions(const Row& row, NumberReader& numbers,
                                                   const Where& where) const {
    std::vector<double> all;
    const auto take = [&](std::size_t n) {
        const double* const taken = numbers.read(n);
        all.insert(all.end(), taken, taken + n);
        return taken;
    };
    const auto whole = [&](double most) {
        const double number = *take(1);
        demand(number >= 0.0 && number < most && number == std::floor(number),
               where + "not a distribution");
        return static_cast<std::size_t>(number);
    };
    const auto n_features = static_cast<double>(nodes_.features().size());
    const std::size_t n = whole(n_features + 1.0);
    demand(n > 0, where + "no distribution");
    std::size_t least = 0;  // features ascend
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t feature = whole(n_features);
        demand(feature >= least, where + "two distributions of one feature");
        least = feature + 1;
        Uncertain u;
        u.type = static_cast<Uncertain::Type>(whole(4.0));
        const std::size_t slot = nodes_.features()[feature].slot;
        const bool categories = u.type == Uncertain::Type::categories;
        demand(categories
                   ? nodes_.features()[feature].kind == Kind::categorical && row.codes[slot] < 0
                   : nodes_.features()[feature].kind == Kind::numeric && row.x[slot] != row.x[slot],
               where + "a distribution for a value that is certain");
        std::vector<Point> points;
        if (u.type == Uncertain::Type::interval || u.type == Uncertain::Type::normal) {
            const double* const bounds = take(2);
            u.low = bounds[0];
            u.high = bounds[1];
            if (u.type == Uncertain::Type::normal) {
                const double* const moments = take(2);
                u.mean = moments[0];
                u.deviation = moments[1];
            }
        } else {
            u.count = whole(0x1p52);
            demand(u.count <= numbers.left() / 2, where + "not a distribution");
            const double* const pairs = take(2 * u.count);
            for (std::size_t p = 0; p < u.count; ++p) {
                points.push_back({pairs[2 * p], pairs[2 * p + 1]});
            }
        }
        demand(u.possible(points, categories ? state_.known.categories[slot] : 0),
               where + "not a distribution");
    }
    return all;
}

// The nodes of an archived subtree, with the children of each.
void WindowTree::restore_archived_nodes(const Snapshot& s, std::size_t first, std::size_t n,
                                        Archived& a, const Where& where) const {
    std::vector<std::vector<std::int32_t>> children(n);  // their branches
    std::vector<std::int32_t> second(n, none);           // the id that it must have
    a.nodes.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::int32_t* const p =
            s.archive_places.data() + (first + i) * Snapshot::archive_places_each;
        const double threshold = s.archive_thresholds[first + i];
        demand(p[0] >= 0 && p[0] <= 3, where + "an impossible test");
        const Archived::Node node{threshold, p[1], p[2], p[3], p[4], p[5], static_cast<Test>(p[0])};
        if (node.test == Test::leaf) {
            demand(i > 0 && node.feature == none && node.category == none && node.heavy == none &&
                       threshold == 0.0,
                   where + "a leaf with a test");
        } else {
            demand(possible(s, nodes_.features(), static_cast<std::uint8_t>(p[0]), node.feature,
                            threshold, node.category),
                   where + "an impossible test");
        }
        a.nodes.push_back(node);
        if (i == 0) {
            demand(node.parent == none && node.branch == 0, where + "the root has a parent");
            continue;
        }
        demand(node.parent >= 0 && static_cast<std::size_t>(node.parent) < i,
               where + "no parent before it");
        const auto parent = static_cast<std::size_t>(node.parent);
        const Archived::Node& above = a.nodes[parent];
        auto& branches = children[parent];
        demand(above.test != Test::leaf, where + "its parent is a leaf");
        if (above.test == Test::every_value) {
            const auto feature = static_cast<std::size_t>(above.feature);
            const std::size_t slot = nodes_.features()[feature].slot;
            demand(node.branch >= 0 && node.branch < state_.known.categories[slot] &&
                       std::find(branches.begin(), branches.end(), node.branch) == branches.end(),
                   where + "no such category, or twice");
        } else {
            demand(node.branch == static_cast<std::int32_t>(branches.size()) && node.branch < 2 &&
                       (node.branch == 0 || second[parent] == static_cast<std::int32_t>(i)),
                   where + "children out of order");
            second[parent] = static_cast<std::int32_t>(i) + 1;
        }
        branches.push_back(node.branch);
    }
    for (std::size_t i = 0; i < n; ++i) {
        const Archived::Node& node = a.nodes[i];
        if (node.test == Test::leaf) continue;
        demand(node.heavy > 0 && static_cast<std::size_t>(node.heavy) < n &&
                   a.nodes[static_cast<std::size_t>(node.heavy)].parent ==
                       static_cast<std::int32_t>(i) &&
                   (node.test == Test::every_value || children[i].size() == 2),
               where + "a test without its children");
    }
}

void WindowTree::restore_archive(const Snapshot& s) {
    archived_ = s.archived[0];
    demand(archived_ <= (1ULL << 62), "archived is out of range");
    std::size_t node = 0, split = 0, rival = 0;
    for (std::size_t i = 0; i < s.archive.size() / Snapshot::archive_each; ++i) {
        const std::uint64_t* const p = s.archive.data() + i * Snapshot::archive_each;
        const Where where = at_row("archive", i);
        demand(p[0] >= 1 && p[0] <= archived_ && (i == 0 || p[0] > archive_.back().number),
               where + "not in the order of time");
        demand(p[1] < nodes_.size() && nodes_[p[1]].test != Test::leaf &&
                   nodes_[p[1]].role == Role::child,
               where + "no such place");
        demand(p[2] <= s.archive_thresholds.size() - node, "archive_thresholds ends too early");
        demand(p[2] >= 1, where + "no nodes");
        Archived a;
        a.number = p[0];
        a.place = static_cast<std::int32_t>(p[1]);
        restore_archived_nodes(s, node, p[2], a, where);
        node += p[2];
        for (std::size_t k = 0; k < a.nodes.size(); ++k) {
            if (a.nodes[k].test == Test::leaf) continue;
            demand((split + 1) * Snapshot::archive_evidence_each <= s.archive_evidence.size(),
                   "archive_evidence ends too early");
            const std::uint64_t* const q =
                s.archive_splits.data() + split * Snapshot::archive_splits_each;
            const double* const e =
                s.archive_evidence.data() + split * Snapshot::archive_evidence_each;
            ++split;
            demand(q[1] <= 255 && q[2] <= 255 && q[3] <= 255 && q[4] <= 1 && q[5] <= state_.passes,
                   where + "an impossible split");
            const Split stored{q[0],
                               e[0],
                               e[1],
                               e[2],
                               e[3],
                               e[4],
                               e[5],
                               static_cast<std::int32_t>(k),
                               static_cast<Verdict>(q[1]),
                               static_cast<std::uint8_t>(q[2]),
                               static_cast<std::uint8_t>(q[3]),
                               q[4] == 1,
                               static_cast<std::uint32_t>(q[5])};
            demand_split(state_, stored, a.nodes[k].test, where);
            demand(stored.null_second || stored.rivals > 0, where + "no runner-up");
            a.splits.push_back(stored);
            for (std::size_t r = 0; r < stored.rivals; ++r, ++rival) {
                demand(2 * rival < s.archive_gains.size(), "archive_gains ends too early");
                const std::int32_t* const t =
                    s.archive_rivals.data() + rival * Snapshot::archive_rivals_each;
                demand(t[0] >= 0 && t[0] <= 3, where + "an impossible runner-up");
                a.rivals.push_back(demand_rival(state_, s, static_cast<std::uint8_t>(t[0]), t[1],
                                                s.archive_gains[2 * rival], t[2],
                                                s.archive_gains[2 * rival + 1], where));
            }
        }
        trim(a.splits);
        trim(a.rivals);
        riparian::make_room(archive_);
        archive_.push_back(std::move(a));
    }
    demand(node == s.archive_thresholds.size() &&
               split * Snapshot::archive_evidence_each == s.archive_evidence.size() &&
               2 * rival == s.archive_gains.size(),
           "archive does not fit what is in it");
    std::size_t trial = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (!sides_[i].trial) continue;
        const std::uint64_t from = s.trial_from[trial++];
        demand(from <= archived_ && (from == 0 || nodes_[i].role == Role::alternate),
               at_row("trial_from", i) + "not in the archive");
        sides_[i].trial->from = from;
    }
}

}  // namespace riparian
