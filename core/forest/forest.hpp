// Trees that learn the same rows side by side and answer together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "../tree/snapshot.hpp"
#include "member.hpp"
#include "settings.hpp"

namespace riparian {

// The whole state of a forest as flat arrays, and its trees.
struct ForestSnapshot {
    std::vector<std::uint64_t> seen;        // [1] rows learned
    std::vector<std::uint32_t> classes;     // [1]
    std::vector<std::uint32_t> declared;    // [1] of them, by the user
    std::vector<std::uint8_t> kinds;        // [feature] 0 numeric, 1 categorical
    std::vector<std::uint32_t> categories;  // [categorical feature]
    std::vector<std::uint64_t> met_at;      // [feature]

    std::vector<double> right, answered;    // [member]
    std::vector<std::uint64_t> generations; // [member]
    std::vector<std::uint64_t> warnings, drifts;  // [member]
    std::vector<std::uint8_t> has_tree, has_back; // [member]
    std::vector<std::uint64_t> generation;  // [tree]
    std::vector<double> share;              // [tree], where members draw features
    std::vector<std::uint8_t> left_out;     // [tree][feature], likewise
    std::vector<std::uint64_t> detector_sizes;  // [member][warning, drift]
    std::vector<double> detectors;

    template <class Self, class Visit>
    static void each(Self& s, Visit&& visit) {
        visit("seen", s.seen);
        visit("classes", s.classes);
        visit("declared", s.declared);
        visit("kinds", s.kinds);
        visit("categories", s.categories);
        visit("met_at", s.met_at);
        visit("right", s.right);
        visit("answered", s.answered);
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

    // Of the members in turn, each with the one in its background, if any.
    std::vector<Snapshot> trees;
};

// How a member stands.
struct Record {
    double weight = 0.0;    // of its vote
    double accuracy = 0.0;  // since it began, on rows that it had not learned
    std::uint64_t warnings = 0, drifts = 0;
    bool background = false;
};

// Learning calls must not overlap each other; reading calls may overlap anything.
class Forest {
public:
    explicit Forest(const ForestSettings&);
    Forest(const Forest&) = delete;
    Forest& operator=(const Forest&) = delete;

    void add_features(const std::vector<Kind>&);
    void declare_classes(std::size_t count);
    void add_names(std::size_t bytes);
    void expect_classes(const std::vector<std::uint32_t>& bytes);
    void expect_categories(std::size_t feature, const std::vector<std::uint32_t>& bytes);
    void set_max_bytes(std::size_t);
    void set_threads(std::size_t threads) noexcept { settings_.threads = threads; }
    [[nodiscard]] std::size_t max_bytes() const noexcept { return settings_.max_bytes; }
    [[nodiscard]] std::size_t least_bytes() const;
    [[nodiscard]] bool surely_fits(std::size_t names) const;
    void set_costs(const double* matrix, std::size_t classes);

    void learn(const Batch&, const std::int32_t* y, const double* w);
    void prequential(const Batch&, const std::int32_t* y, const double* w, const Answers&);
    void predict(const Batch&, const Answers&) const;
    // Class probabilities of one row by each member, [member][width], and what they count.
    void votes(const Batch&, std::size_t width, std::vector<double>& shares,
               std::vector<double>& weights) const;

    [[nodiscard]] std::size_t n_features() const;
    [[nodiscard]] std::size_t n_classes() const;
    [[nodiscard]] std::uint64_t seen() const;
    [[nodiscard]] std::size_t memory_bytes() const;
    [[nodiscard]] std::size_t n_members() const noexcept { return members_.size(); }
    [[nodiscard]] std::vector<Record> records() const;
    // The tree of a member, or none before the first row; and the features that it sees.
    [[nodiscard]] std::shared_ptr<Tree> tree(std::size_t member) const;
    [[nodiscard]] std::vector<std::uint32_t> features_of(std::size_t member) const;

    [[nodiscard]] ForestSnapshot snapshot() const;
    // Throws std::invalid_argument, naming what is wrong, unless learning could have made it.
    [[nodiscard]] static std::unique_ptr<Forest> restore(const ForestSettings&,
                                                         const ForestSnapshot&);

private:
    void run(const Batch&, const std::int32_t* y, const double* w, const Answers*);
    void run_block(const Block&, const Answers*, std::size_t first);
    void note(const Block&);
    void replace_worst(const Block&, std::vector<Member::Rises>&, const std::vector<Votes>&);
    [[nodiscard]] std::size_t trees_a_member() const noexcept {
        return settings_.replacement == Replacement::background ? 2 : 1;
    }
    [[nodiscard]] std::size_t besides_trees() const noexcept;
    [[nodiscard]] std::size_t bytes_of_a_tree(std::size_t limit) const noexcept;

    ForestSettings settings_;
    Schema schema_;
    std::vector<std::uint32_t> categories_;  // [categorical feature]
    std::size_t n_classes_ = 0;
    std::uint64_t seen_ = 0;
    std::size_t names_ = 0;
    std::deque<Member> members_;
    Costs costs_;
    mutable Turnstile turnstile_;
};

}  // namespace riparian
