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
    std::uint32_t number = 0;    // of the race at its leaf, from 1; 0: there was none
    bool labels = false;         // losses are those of labels, not of probabilities
    double alpha = 0.0;          // probability of a false certificate
    double log_threshold = 0.0;  // ln(1 / alpha)
    double tolerance = 0.0;      // of the loss, against cuts; not splitting has none
    double begun = 0.0;          // weight of the leaf when the race began
};

// How far a race has come. Numbers are natural logarithms.
struct RaceStanding {
    std::size_t closest = 0;  // the rival that has lost least, from 1
    double within = 0.0;      // evidence against "the closest rival is better by the tolerance"
    double better = 0.0;      // evidence against "a rival is at least as good", the least of all
};

// What has been shown about a rival. Evidence that reached the threshold once is not taken back.
enum class Shown : std::uint8_t {
    nothing,
    within,       // it is not better by the tolerance; the bets go on, to show more
    within_only,  // the same, and the rival has left the race
    better,       // the leader is better, and the rival has left the race
};

// One race after the other. A race ends with a split, when a better one can begin, or with a class
// that was not known when it began. Each row counts once, whatever its weight.
//
// Forecasts and bets change at the end of a block of rows. Within a block, rows that are alike for the
// leader, a rival and the class change the evidence alike, so a row only adds 1 to a count for each
// rival. Blocks get longer with the race, so their cost per row falls.
class Race {
public:
    [[nodiscard]] bool runs() const noexcept { return !contenders_.empty(); }
    // Begins a race. The first nominee leads.
    void begin(const Stakes&, std::span<const Nominee>, std::size_t classes);
    void end() noexcept;
    // Whether the leaf has not been checked since it has this state; and how many numbers were used up
    // before, at a leaf of this weight. A leaf that lost its state must not use a number twice.
    [[nodiscard]] bool is_new() const noexcept { return stakes_.begun == 0.0; }
    void count_from(std::size_t used, double weight) noexcept {
        stakes_.number = static_cast<std::uint32_t>(used);
        stakes_.begun = weight;
    }
    // A row that no contender has counted. It may end the race.
    void learn(const Row&, std::size_t y) noexcept;
    // Ends the block: the evidence is then about all rows.
    void end_block() noexcept;

    // The least evidence against a rival that nothing was shown about, at the end of the last block.
    [[nodiscard]] RaceStanding standing() const;
    // The evidence against the rival that seems to have lost least; it costs less. Once the race is won, the
    // least evidence that has won it.
    [[nodiscard]] RaceStanding closest() const;
    // The same race for a worker. It counts, but nothing is shown by the rows of one worker alone.
    [[nodiscard]] Race for_worker() const;
    // Adds the evidence of the same race on other rows, by a worker: the same contenders began it
    // with the same stakes. The next bets depend on all rows.
    void merge(const Race&);
    // Whether a new race may have better chances: the leaf has seen twice as much as when its cuts were
    // last nominated, and nearly all of the evidence is still missing.
    [[nodiscard]] bool is_stale(double weight, double evidence) const noexcept {
        return weight >= 2.0 * nominated() && evidence < 0.2 * stakes_.log_threshold;
    }
    [[nodiscard]] double nominated() const noexcept { return static_cast<double>(nominated_); }
    void nominate(double weight) noexcept { nominated_ = static_cast<float>(weight); }
    // Whether the leader is within the tolerance of all rivals and better than not splitting; and
    // whether it is better than all.
    [[nodiscard]] bool is_won() const noexcept;
    [[nodiscard]] bool is_clear() const noexcept;

    [[nodiscard]] const Stakes& stakes() const noexcept { return stakes_; }
    [[nodiscard]] double rows() const noexcept { return static_cast<double>(rows_); }
    // The evidence at the last check, and the ledger of all checks of the leaf.
    [[nodiscard]] double evidence() const noexcept { return static_cast<double>(evidence_); }
    [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }
    void note(double weight, double evidence) {
        ledger_.note(weight, evidence);
        evidence_ = static_cast<float>(evidence);
        judged_ = 1;
    }
    // The leader, its rivals, and last the null cut; with gains by what was counted since the race
    // began, and by its first estimates.
    [[nodiscard]] std::size_t size() const noexcept { return contenders_.size(); }
    [[nodiscard]] Candidate contender(std::size_t) const;
    // The feature of its cut; none: the null cut.
    [[nodiscard]] std::int32_t feature_of(std::size_t i) const noexcept {
        return contenders_[i].cut.feature;
    }
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
        std::uint32_t at = 0;     // of its numbers
        std::uint32_t cells = 0;  // of its counts of the block
        std::int32_t heavy = 0;
        Shown shown = Shown::nothing;
        bool counts = false;  // by cells; otherwise each row changes the evidence at once

        [[nodiscard]] std::size_t branch(const Row&) const noexcept;
        [[nodiscard]] bool races() const noexcept { return shown <= Shown::within; }
    };
    // Of the evidence against a rival, the part that does not depend on the rival's forecasts, and
    // what the next bet depends on. They are the first of its numbers.
    struct Bets {
        double wealth;  // sum of the logarithms of factors, by the rival's own forecasts
        double slack;   // sum of the logarithms by which the tolerance helped at most, < 0
        double constant;
        double differences, squares;  // sums over rows
        double bet;
        double shown;  // the evidence that has shown what is shown

        static constexpr std::size_t size = 7;
        static Bets& at(double* numbers) noexcept { return *reinterpret_cast<Bets*>(numbers); }
        static const Bets& at(const double* numbers) noexcept {
            return *reinterpret_cast<const Bets*>(numbers);
        }
    };
    static_assert(sizeof(Bets) == Bets::size * sizeof(double));

    // Numbers of a branch: class weights, their sum, and the sum of their squares or the label.
    [[nodiscard]] std::size_t per_branch() const noexcept { return std::size_t{classes_} + 2; }
    [[nodiscard]] std::size_t sums() const noexcept { return stakes_.labels ? 1 : 2; }
    [[nodiscard]] std::size_t size_of(const Contender&, bool rival) const noexcept;
    [[nodiscard]] double tolerance(const Contender& c) const noexcept {
        return c.cut.feature == none ? 0.0 : stakes_.tolerance;
    }
    // What the losses of a forecast have in common: loss = half - inverse * (weight + prior).
    struct Forecast {
        double inverse = 0.0, half = 0.0;
    };
    class Cells;
    [[nodiscard]] Forecast forecast_of(const double* branch) const noexcept;
    [[nodiscard]] double label_of(const double* branch) const noexcept;
    [[nodiscard]] double loss(const Forecast&, const double* branch, std::size_t y) const noexcept;
    void count(double* branch, std::size_t y, double rows) const noexcept;
    void bet_at_once(const Contender&, std::size_t v, std::size_t y, double lost) noexcept;
    void add_cells(const Contender&, const double* lost) noexcept;
    void choose_labels(const Contender&, double* forecasts) const noexcept;
    void place_bet(const Contender&) noexcept;
    void begin_block() noexcept;
    void judge(std::size_t rival, double* q) noexcept;
    [[nodiscard]] std::size_t closest_rival() const noexcept;
    // The logarithm of the wealth by the rival's own forecasts; with labels the evidence itself.
    [[nodiscard]] double log_wealth(std::size_t rival) const noexcept;
    void arrange();
    // How many numbers are those of contenders; room follows.
    [[nodiscard]] std::size_t n_numbers() const noexcept {
        const Contender& last = contenders_[contenders_.size() - 1];
        return last.at + size_of(last, true);
    }
    [[nodiscard]] double* room() noexcept { return numbers_.data() + n_numbers(); }
    [[nodiscard]] RaceStanding evidence_against(std::size_t rival, double* q) const;
    [[nodiscard]] double most_evidence(std::size_t rival) const noexcept;
    [[nodiscard]] double gain(const Contender&, bool rival) const;

    Stakes stakes_;
    // Small types: every leaf of every tree has room for a race.
    std::uint32_t classes_ = 0;
    std::uint32_t left_ : 31 = 0;   // rows until the block ends
    std::uint32_t judged_ : 1 = 0;  // evidence_ is that of the last block
    std::uint64_t rows_ = 0;
    float evidence_ = 0.0F;
    float nominated_ = 0.0F;  // weight of the leaf at the last nomination
    Ledger ledger_;
    Held<Contender> contenders_;
    // Of each contender, then room for the losses of the leader and for those of a rival.
    Held<double> numbers_;
    // Rows of the block: [branch of the leader][class] for the leader, and then of each rival that counts
    // [branch of the leader][class][branch].
    Held<std::uint32_t> cells_;
};

}  // namespace riparian
