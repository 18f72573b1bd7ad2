// Examples with uncertain values: what leaves predict for them, and who was right.
#include <algorithm>
#include <limits>

#include "../simd/scalar.hpp"
#include "rows.hpp"
#include "scatter.hpp"

namespace riparian {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::int32_t largest(const double* numbers, std::size_t n) noexcept {
    double top = -infinity;
    std::int32_t best = no_answer;
    for (std::size_t k = 0; k < n; ++k) {
        if (numbers[k] > top) {
            top = numbers[k];
            best = static_cast<std::int32_t>(k);
        }
    }
    return best;
}

// Naive Bayes where the likelihood of an uncertain value is its mean over the points. The
// class, or none where the leaf knows nothing; leaves the logarithms in scratch.scores.
std::int32_t bayes_of(const LeafView& leaf, Spread& spread, AnswerScratch& scratch) {
    const std::size_t n = leaf.n_classes;
    Spread::Room& room = spread.room;
    const auto add_scores = [&](const Row& row, std::vector<double>& out) {
        if (NaiveBayes::class_by_score(leaf, row, scratch) == no_answer) return false;
        out.insert(out.end(), scratch.scores.begin(),
                   scratch.scores.begin() + static_cast<std::ptrdiff_t>(n));
        return true;
    };
    room.sum.clear();
    room.nothing.clear();
    if (!add_scores(spread.certain_part(), room.sum)) return no_answer;
    add_scores(spread.nothing(), room.nothing);
    const auto& points = spread.draw();
    for (std::size_t v = 0; v < spread.values.size(); ++v) {
        room.scores.clear();
        for (const Point& p : points[v]) add_scores(spread.alone(v, p.value), room.scores);
        const std::size_t m = points[v].size();
        room.likelihoods.resize(m);
        for (std::size_t k = 0; k < n; ++k) {
            if (room.nothing[k] == -infinity) continue;
            double top = -infinity;
            for (std::size_t p = 0; p < m; ++p) top = std::max(top, room.scores[p * n + k]);
            for (std::size_t p = 0; p < m; ++p) room.likelihoods[p] = room.scores[p * n + k] - top;
            kernels().exponential(room.likelihoods.data(), m, room.likelihoods.data());
            double mean = 0.0;
            for (std::size_t p = 0; p < m; ++p) mean += points[v][p].weight * room.likelihoods[p];
            room.sum[k] += top + ln(mean) - room.nothing[k];
        }
    }
    std::copy(room.sum.begin(), room.sum.end(), scratch.scores.begin());
    return largest(room.sum.data(), n);
}

void probabilities_of(Speaker speaker, const LeafView& leaf, Spread& spread,
                      AnswerScratch& scratch, double* out) {
    const std::size_t n = leaf.n_classes;
    if (speaker == Speaker::idbd) {
        // A linear unit's output for the parts together is that for the means of all features.
        std::vector<double>& shares = spread.room.likelihoods;
        shares.resize(n);
        std::fill_n(out, n, 0.0);
        spread.each_part([&](const Row& part, double weight) {
            Idbd{}.probabilities(leaf, part, scratch, shares.data());
            for (std::size_t k = 0; k < n; ++k) out[k] += weight * shares[k];
        });
    } else if (speaker == Speaker::naive_bayes && bayes_of(leaf, spread, scratch) != no_answer) {
        std::fill(scratch.scores.begin() + static_cast<std::ptrdiff_t>(n), scratch.scores.end(),
                  -infinity);
        kernels().softmax(scratch.scores.data(), n, scratch.scores.size());
        std::copy_n(scratch.scores.begin(), n, out);
    } else {
        Majority{}.probabilities(leaf, spread.row(), scratch, out);
    }
}

}  // namespace

void Growth::probabilities(std::int32_t node, Spread& spread, AnswerScratch& scratch,
                           std::size_t n_classes, double* out) const {
    LeafView leaf = view_of(node);
    leaf.n_classes = n_classes;
    const Speaker speaker =
        at(node).test != Test::leaf
            ? Speaker::majority
            : std::visit([&](const auto& policy) { return policy.speaker(leaf); }, settings_.leaf);
    probabilities_of(speaker, leaf, spread, scratch, out);
}

void Growth::predict(Spread& spread, AnswerScratch& scratch, const Answers& answers,
                     std::size_t row) const {
    const std::size_t n = answers.probabilities ? std::min(n_classes_, answers.width) : n_classes_;
    std::vector<double>& sum = spread.room.answer;
    std::vector<double>& shares = spread.room.shares;
    sum.assign(std::max(n_classes_, answers.width), 0.0);
    shares.resize(sum.size());
    double all = 0.0;
    spread.wait(0, 1.0);
    scatter(
        nodes_, spread,
        [&](std::int32_t node, double share) {
            hooks_->send_to_options(node, share, spread);
            return true;
        },
        [](std::int32_t, std::int32_t child, std::int32_t) { return child; },
        [&](std::int32_t node, double share) {
            probabilities(node, spread, scratch, n, shares.data());
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
                                            : largest(sum.data(), n);
}

void Growth::observe(std::int32_t node, Spread& spread, std::size_t y, double w) {
    const LeafView leaf = view_of(node);
    const auto truth = static_cast<std::int32_t>(y);
    const std::int32_t majority = Majority::class_of(leaf);
    if (const auto* const best = std::get_if<Best>(&settings_.leaf); !best || best->majority) {
        if (majority == truth) track(node).majority += w;
    }
    if (needs_bayes(settings_.leaf)) {
        const std::int32_t bayes = bayes_of(leaf, spread, scratch_);
        if ((bayes == no_answer ? majority : bayes) == truth) track(node).bayes += w;
    }
    if (leaf.units) {
        std::vector<double>& shares = spread.room.shares;
        shares.resize(leaf.n_classes);
        const Speaker speaker = Idbd::speaker(leaf);
        probabilities_of(speaker, leaf, spread, scratch_, shares.data());
        const std::int32_t linear =
            speaker == Speaker::idbd ? largest(shares.data(), leaf.n_classes) : majority;
        if (linear == truth) leaf.units->right += w;
    }
}

void Growth::arrive(const Spread& spread, std::size_t y) {
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

bool Growth::observes() const noexcept {
    return std::visit([](const auto& policy) { return policy.observes; }, settings_.leaf);
}

// A weight of 3 is three examples: the second and the third met a leaf that knew the first.
void Growth::observe_again(std::int32_t leaf, Spread& spread, std::size_t y, double share, double w) {
    if (w > 1.0 && observes() && at(leaf).test == Test::leaf &&
        leaves_[static_cast<std::size_t>(at(leaf).place)].weight > 0.0) {
        const double more = hooks_->traits().forgets ? part_of(share, w) - part_of(share, 1.0)
                                                : share * (w - 1.0);
        observe(leaf, spread, y, more);
    }
}

}  // namespace riparian
