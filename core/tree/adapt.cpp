// Rows of a tree that follows change.
#include <algorithm>
#include <array>
#include <cmath>

#include "../random/philox.hpp"
#include "../simd/scalar.hpp"
#include "tree.hpp"

namespace riparian {
namespace {

constexpr std::size_t room_of_monitor = 2048;
constexpr std::size_t room_of_list = 64;

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

}  // namespace

void Tree::run_adapting(const Batch& batch, const std::int32_t* y, const double* w,
                        const Answers& answers, Stop* stop) {
    RowBuffer buffer(batch, features(), shape());
    std::array<std::int32_t, RowBuffer::most_rows> starts;
    const bool apart = answers.probabilities || costs_.classes;
    for (std::size_t first = 0, n = 0; first < batch.rows; first += n) {
        look(stop);
        const Section section(reserve_, reserve_bytes());
        n = std::min(pace_.rows(buffer.capacity()), batch.rows - first);
        buffer.read(first, n);
        const auto lock = turnstile_.writing();
        const Pace::Timer timer(pace_, n, turnstile_);
        const Charge charge(leaves_.account());
        nodes_.descend(buffer, n, starts.data());
        const std::uint64_t reroutings = reroutings_;
        each_row(n, [&](std::size_t i) {
            const Row row = buffer.row(i);
            const std::size_t r = first + i;
            const double weight = w ? w[r] : 1.0;
            const bool learned = y[r] >= 0 && weight > 0.0;
            // Where rows go other ways now, what was found for the whole block is void.
            const std::int32_t start = reroutings == reroutings_ ? starts[i] : 0;
            const bool asked = answers.classes || answers.probabilities;
            if (asked && (apart || !learned)) answer(start, row, answers, r);
            if (!learned) return;
            const auto label = static_cast<std::size_t>(y[r]);
            const std::int32_t predicted = adapt(start, row, label, weight);
            if (asked && !apart) answers.classes[r] = predicted;
        });
    }
}

// Learns a row, and gives what was said of it before.
std::int32_t Tree::adapt(std::int32_t start, const Row& row, std::size_t y, double w) {
    const std::int32_t predicted = std::visit(
        [&](const auto& how) { return follow(how, start, row, y, w); }, settings_.adaptation);
    if (!given_up_.empty()) compact();
    if (limited() && working_.held) give_back_room();
    return predicted;
}

// The lists of a row have room for what most rows need, which is part of the structure: a row
// below a limit of memory allocates nothing for them. A row that needs more has it for itself.
void Tree::open_lists() {
    for (auto* const list : {&path_, &fragments_, &given_up_, &tested_, &walks_}) {
        list->reserve(room_of_list);
    }
    if (!settings_.has_options()) return;
    reached_.roots.reserve(room_of_list);
    reached_.ends.reserve(room_of_list);
}

void Tree::give_back_room() {
    leave_room();
    const Charge charge(working_);
    for (auto* const list : {&path_, &fragments_, &given_up_, &tested_, &walks_, &reached_.roots,
                             &reached_.ends}) {
        if (list->capacity() <= room_of_list) continue;
        list->clear();
        set_room(*list, room_of_list);
    }
}

void Tree::trace(std::int32_t leaf, std::int32_t root) {
    const Charge charge(working_);
    path_.clear();
    for (std::int32_t i = leaf; i != root; i = at(i).parent) path_.push_back(at(i).parent);
}

// ---- a tree that only grows ----

std::int32_t Tree::follow(const Fixed&, std::int32_t start, const Row& row, std::size_t y, double w) {
    const std::int32_t leaf = route_on(start, row);
    const std::int32_t predicted = observe(leaf, row, y, std::min(w, 1.0));
    arrive(row, y);
    learn_at(leaf, row, y, w);
    return predicted;
}

// ---- alternates ----

// The tree and every subtree beside a node that the row passes: each answers, notes at its
// nodes whether it was right, and learns.
std::int32_t Tree::follow(const Alternates& how, std::int32_t start, const Row& row, std::size_t y,
                          double w) {
    std::int32_t answer = no_answer;
    fragments_.clear();
    note(fragments_, 0);
    for (std::size_t f = 0; f < fragments_.size(); ++f) {
        const std::int32_t root = fragments_[f];
        std::int32_t leaf = route_on(f == 0 ? start : root, row);
        const std::int32_t predicted = observe(leaf, row, y, std::min(w, 1.0));
        const bool wrong = predicted != static_cast<std::int32_t>(y);
        if (f == 0) {
            answer = predicted;
            arrive(row, y);
        }
        trace(leaf, root);
        bool replaced = false;
        while (!path_.empty() && !replaced) {  // inner nodes, the highest first
            const std::int32_t node = path_.back();
            path_.pop_back();
            replaced = judge(how, node, wrong);
            if (replaced) {
                leaf = route_on(node, row);
            } else if (side(node).first != none) {
                note(fragments_, side(node).first);
            }
        }
        if (!replaced) note_error(leaf, wrong);
        learn_at(leaf, row, y, how.bootstrap ? w * times(how.seed, seen_, side(leaf).born) : w);
    }
    return answer;
}

// The same in fractions. A detector hears an example, right or wrong, if at least half of it
// comes there: every other one counts for nothing, and none counts twice at a depth.
void Tree::follow(const Alternates& how, Spread& spread, std::size_t y, double w) {
    constexpr double enough = 0.5;
    const auto weight = [&](std::int32_t leaf) {
        return how.bootstrap ? w * times(how.seed, seen_, side(leaf).born) : w;
    };
    arrive(spread, y);
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
            const bool heard = here.share >= enough;
            spread.go_back(v++);
            if (here.ends) {
                if (heard) note_error(here.node, here.wrong);
                learn_below(spread, here.node, here.share, y, weight(here.node));
                spread.go_back(v - 1);
                observe_again(here.node, spread, y, here.share, weight(here.node));
            } else if (heard && judge(how, here.node, here.wrong)) {
                learn_below(spread, here.node, here.share, y, weight(here.node));
                const std::int32_t depth = at(here.node).depth;
                while (v < ends[f] && at(spread.visits[v].node).depth > depth) ++v;
            } else if (const std::int32_t beside = side(here.node).first; beside != none) {
                go_down(beside, here.share);
            }
        }
    }
}

Adwin::Parameters Tree::monitor_parameters() const noexcept {
    Adwin::Parameters p;
    if (const auto* const how = std::get_if<Alternates>(&settings_.adaptation)) {
        p.delta = how->drift_delta;
    }
    return p;
}

// Detectors are part of the structure: a leaf cannot give them up. Without memory for a
// longer window one begins anew.
void Tree::note_error(std::int32_t node, bool wrong) {
    if (limited() && !(may_add(room_of_monitor) && make_room_for(room_of_monitor, none))) {
        if (Monitor* const m = side(node).monitor.get(); m && m->errors.grows()) m->errors.reset();
        if (!side(node).monitor) return;
    }
    const Charge charge(structure_);
    const std::size_t before = structure_.held;
    Side& s = side(node);
    if (!s.monitor) s.monitor = std::make_unique<Monitor>(monitor_parameters());
    s.monitor->errors.update(wrong ? 1.0 : 0.0);
    if (structure_.held != before) settle();
}

// Whether what grows beside an inner node took its place.
bool Tree::judge(const Alternates& how, std::int32_t node, bool wrong) {
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
    const std::int32_t beside = side(node).first;
    if (beside == none || !side(beside).monitor) return false;
    const Adwin& ours = here->errors;
    const Adwin& theirs = side(beside).monitor->errors;
    const auto n = static_cast<double>(ours.width());
    const auto m = static_cast<double>(theirs.width());
    if (!(n > how.switch_after && m > how.switch_after)) return false;
    const double e = ours.estimate();
    const double bound =
        std::sqrt(2.0 * e * (1.0 - e) * ln(2.0 / how.switch_delta) * (1.0 / m + 1.0 / n));
    if (e - theirs.estimate() > bound && leaves_with(beside) <= settings_.max_leaves) {
        log_change(ChangeKind::replaced, node, nodes_.cut_of(beside), nodes_.leaves_below(beside),
                   {e, n}, {theirs.estimate(), m}, bound);
        promote(node, beside);
        return true;
    }
    if (theirs.estimate() - e > bound) drop(beside);
    return false;
}

void Tree::drop(std::int32_t beside) {
    count_change(ChangeKind::dropped);
    detach(beside);
}

}  // namespace riparian
