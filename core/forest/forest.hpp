// A forest whose trees learn the same rows and predict together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "../growth/snapshot.hpp"
#include "ensemble.hpp"
#include "member.hpp"
#include "settings.hpp"
#include "threads.hpp"

namespace riparian {

// The whole state of a forest as flat arrays, and its trees. Names of arrays are those of files.
struct ForestSnapshot : SchemaSnapshot {
    std::vector<std::uint64_t> met_at;  // [feature]

    std::vector<double> right, predicted;          // [member]
    std::vector<std::uint64_t> generations;        // [member]
    std::vector<std::uint64_t> warnings, drifts;   // [member]
    std::vector<std::uint8_t> has_tree, has_back;  // [member]
    std::vector<std::uint64_t> generation;         // [tree]
    std::vector<double> share;                     // [tree], where members draw features
    std::vector<std::uint8_t> left_out;            // [tree][feature], where members draw features
    std::vector<std::uint64_t> detector_sizes;     // [member][warning, drift]
    std::vector<double> detectors;
    // [member] 1: its tree is the last one of the settings. Empty where the settings have none.
    std::vector<std::uint8_t> is_last;

    template <class Self, class Visit>
    static void each(Self& s, Visit&& visit) {
        SchemaSnapshot::each(s, visit);
        visit("met_at", s.met_at);
        visit("right", s.right);
        visit("answered", s.predicted);
        visit("generations", s.generations);
        visit("warnings", s.warnings);
        visit("drifts", s.drifts);
        visit("has_tree", s.has_tree);
        visit("has_back", s.has_back);
        visit("generation", s.generation);
        visit("share", s.share);
        visit("left_out", s.left_out);
        visit("detector_sizes", s.detector_sizes);
        visit("detectors", s.detectors);
    }
    template <class Self, class Visit>
    static void each_of_kinds(Self& s, Visit&& visit) {
        visit("is_last", s.is_last);
    }

    // The trees of all members in turn, each followed by its background tree, if any.
    std::vector<Snapshot> trees;
};

// What a forest reports of a member.
struct Record {
    std::shared_ptr<Tree> tree;
    // The features that the tree sees, where members draw features; none: all of them.
    std::optional<std::vector<std::uint32_t>> features;
    double weight = 0.0;    // of its vote
    double accuracy = 0.0;  // since it began, on rows that it had not learned
    std::uint64_t warnings = 0, drifts = 0;
    bool background = false;
    bool is_last = false;  // its tree is the last one of the settings
};

class Forest final : public Ensemble {
public:
    explicit Forest(const ForestSettings&);
    // [member] 1: it has the last tree of the settings. Forests that were joined have several.
    Forest(const ForestSettings&, const std::vector<std::uint8_t>& is_last);

    // With a `moment`, which is filled, one state predicts all rows, and learners wait for it.
    void predict(const Batch&, const Predictions&, Stop* stop = nullptr,
                 Moment* moment = nullptr) const;
    // Class probabilities of one row by each member, [member][width], and the weights of their votes.
    void votes(const Batch&, std::size_t width, std::vector<double>& shares,
               std::vector<double>& weights) const;

    // Votes of the members on the rows of prequential calls, where they are kept (ForestSettings).
    struct StoredVotes {
        std::vector<double> shares;   // [row][member][width of the call]
        std::vector<double> weights;  // [row][member]
    };
    // Returns those since the last time.
    [[nodiscard]] StoredVotes take_votes();

    [[nodiscard]] std::size_t memory_bytes() const;
    [[nodiscard]] std::size_t n_members() const noexcept { return members_.size(); }
    [[nodiscard]] std::vector<Record> records() const;
    // The tree of a member, or none before the first row.
    [[nodiscard]] std::shared_ptr<Tree> tree(std::size_t member) const;

    [[nodiscard]] ForestSnapshot snapshot() const;
    // Throws std::invalid_argument, naming what is wrong, unless learning could have made it.
    [[nodiscard]] static std::unique_ptr<Forest> restore(const ForestSettings&,
                                                         const ForestSnapshot&);

private:
    void give_features(const std::vector<Kind>&) override;
    void each_tree_with(std::size_t feature,
                        const std::function<void(Tree&, std::size_t place)>&) const override;
    void give_classes(std::size_t) override;
    void give_limit(std::size_t) override;
    [[nodiscard]] std::size_t bytes_of_a_tree(std::size_t limit) const noexcept override;
    [[nodiscard]] std::size_t limit_for(std::size_t of_a_tree) const noexcept override;
    [[nodiscard]] std::vector<std::shared_ptr<Tree>> trees() const override;
    [[nodiscard]] std::vector<TreeSettings> settings_of_trees() const override;
    void run(const Batch&, const std::int32_t* y, const double* w, const Predictions*,
             Stop*) override;
    void run_block(const Block&, const Predictions*, std::size_t first);
    void keep(const std::vector<Votes>&, std::size_t rows, std::size_t width);
    void note(const Block&);
    void note_sparse(const Block&);
    void replace_worst(const Block&, std::vector<Member::Rises>&, const std::vector<Votes>&);
    [[nodiscard]] std::size_t most_of_rows(std::size_t rows) const override;
    [[nodiscard]] std::size_t trees_a_member() const noexcept {
        return settings_.replacement == Replacement::background ? 2 : 1;
    }
    [[nodiscard]] std::size_t own_bytes() const noexcept;
    [[nodiscard]] std::size_t without_trees() const noexcept;

    const std::unique_ptr<const ForestSettings> made_;
    const ForestSettings& settings_ = *made_;              // as it was made
    const std::unique_ptr<const ForestSettings> of_last_;  // of members that have the last tree
    std::deque<Member> members_;
    struct Work {
        Shift shift;
        StoredVotes kept;
    };
    std::unique_ptr<Work> work_ = std::make_unique<Work>();
};

}  // namespace riparian
