// The race of a leaf: one cut, the leader, bets against the cuts of all other features and against
// not splitting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../cuts/candidate.hpp"
#include "../data/feature.hpp"
#include "../data/row.hpp"
#include "../memory/account.hpp"
#include "ledger.hpp"

namespace riparian {

// A cut that competes, with the class weights of its branches as the statistics estimate them.
struct Nominee {
    Candidate cut;
    std::size_t slot = 0;
    std::size_t branches = 0;
    std::vector<double> table;  // [branch][class]
};

// What is at stake in a race. All of it is fixed before its first row.
struct Stakes {
    std::uint64_t number = 0;    // of the race at its leaf, from 1; 0: there was none
    double alpha = 0.0;          // probability of a false certificate
    double log_threshold = 0.0;  // ln(1 / alpha)
    double tolerance = 0.0;      // of the loss, against cuts; not splitting has none
    double begun = 0.0;          // weight of the leaf when the race began
    bool labels = false;         // losses are those of labels, not of probabilities
};

// How far a race has come. Numbers are natural logarithms.
struct RaceStanding {
    std::size_t closest = 0;  // the rival that has lost least, from 1
    double within = 0.0;      // evidence against "the closest rival is better by the tolerance"
    double better = 0.0;      // evidence against "a rival is at least as good", the least of all
};

// One race after the other. A race ends with a split, when a better one can begin, or with a class
// that was not known when it began. Each row counts once, whatever its weight.
class Race {
public:
    [[nodiscard]] bool runs() const noexcept { return !contenders_.empty(); }
    // Begins a race. The first nominee leads.
    void begin(const Stakes&, std::span<const Nominee>, std::size_t classes);
    void end() noexcept;
    // Whether the leaf has not been checked since it has this state; and how many numbers were used up
    // before, at a leaf of this weight. A leaf that lost its state must not use a number twice.
    [[nodiscard]] bool is_new() const noexcept { return stakes_.begun == 0.0; }
    void count_from(std::uint64_t used, double weight) noexcept {
        stakes_.number = used;
        stakes_.begun = weight;
    }
    // A row that no contender has counted. It may end the race.
    void learn(const Row&, std::size_t y) noexcept;

    [[nodiscard]] RaceStanding standing() const;
    // The two logarithms against one rival, from 1. The null cut is the last.
    [[nodiscard]] RaceStanding standing(std::size_t rival) const;
    // Adds the evidence of the same race on other rows, by another worker: the same contenders began it
    // with the same stakes. The next bets depend on all rows.
    void merge(const Race&);
    // Whether a new race may have better chances: the leaf has seen twice as much as when this one
    // began, and nearly all of the evidence is still missing.
    [[nodiscard]] bool is_stale(double weight, const RaceStanding&) const noexcept;
    // Whether the leader is within the tolerance of all rivals and better than not splitting; and
    // whether it is better than all.
    [[nodiscard]] bool is_won(const RaceStanding& s) const noexcept {
        return s.within >= stakes_.log_threshold;
    }
    [[nodiscard]] bool is_clear(const RaceStanding& s) const noexcept {
        return s.better >= stakes_.log_threshold;
    }

    [[nodiscard]] const Stakes& stakes() const noexcept { return stakes_; }
    [[nodiscard]] double rows() const noexcept { return static_cast<double>(rows_); }
    // The evidence at the last check, and the ledger of all checks of the leaf.
    [[nodiscard]] double evidence() const noexcept { return evidence_; }
    [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }
    void note(double weight, double evidence) {
        ledger_.note(weight, evidence);
        evidence_ = evidence;
    }
    // The leader, its rivals, and last the null cut; with gains by what was counted since the race
    // began, and by its first estimates.
    [[nodiscard]] std::size_t size() const noexcept { return contenders_.size(); }
    [[nodiscard]] Candidate contender(std::size_t) const;
    // The branch of the leader that gets missing values.
    [[nodiscard]] std::int32_t heavy() const noexcept { return contenders_[0].heavy; }

    void save(std::vector<double>& numbers) const;
    // Throws std::invalid_argument if the numbers cannot be the state of a leaf.
    std::size_t restore(const double* numbers, std::size_t count, const Features&,
                        std::size_t classes);

private:
    struct Contender {
        Candidate cut;
        std::uint32_t slot = 0;
        std::uint32_t branches = 1;
        std::uint32_t at = 0;  // of its numbers
        std::int32_t heavy = 0;

        [[nodiscard]] std::size_t branch(const Row&) const noexcept;
    };
    // Of the evidence against a rival, the part that does not depend on the rival's forecasts, and
    // what the next bet depends on. They are the first of its numbers.
    struct Bets {
        double wealth;        // sum of the logarithms of factors
        double product;       // of the factors that are not in it yet
        double slack;         // sum of the logarithms by which the tolerance helped at most, < 0
        double slack_factor;  // product of what is not in it yet
        double constant;
        double differences, squares;  // sums over rows
        double bet;
        double lost, even, won;  // logarithms of the factors, with labels

        static constexpr std::size_t size = 11;
        static Bets& at(double* numbers) noexcept { return *reinterpret_cast<Bets*>(numbers); }
        static const Bets& at(const double* numbers) noexcept {
            return *reinterpret_cast<const Bets*>(numbers);
        }
    };
    static_assert(sizeof(Bets) == Bets::size * sizeof(double));

    // Numbers of a branch: class weights, their sum, and the sum of their squares or the label.
    [[nodiscard]] std::size_t per_branch() const noexcept { return classes_ + 2; }
    [[nodiscard]] std::size_t sums() const noexcept { return stakes_.labels ? 1 : 2; }
    [[nodiscard]] std::size_t size_of(const Contender&, bool rival) const noexcept;
    [[nodiscard]] double loss(const double* branch, std::size_t y) const noexcept;
    void count(double* branch, std::size_t y) const noexcept;
    void place_bets() noexcept;
    void arrange();
    [[nodiscard]] RaceStanding evidence_against(std::size_t rival, double* q) const;
    [[nodiscard]] double gain(const Contender&, bool rival) const;

    Stakes stakes_;
    std::size_t classes_ = 0;
    std::uint64_t rows_ = 0;
    double evidence_ = 0.0;
    Ledger ledger_;
    Held<Contender> contenders_;
    Held<double> numbers_;
};

}  // namespace riparian
