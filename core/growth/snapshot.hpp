// The whole state of a tree as flat arrays: what a model file holds.
#pragma once

#include <cstdint>
#include <vector>

namespace riparian {

// One row a node in the order of ids, then one a leaf in the same order, or where inner
// nodes keep statistics one for each node that has some. K is the
// number of classes known to the tree, F that of numeric features, C of
// categorical ones. What can be derived (depth, children, caches) is not here.
struct Snapshot {
    std::vector<std::uint64_t> seen;        // [1] examples learned
    std::vector<std::uint32_t> classes;     // [1] K
    std::vector<std::uint8_t> kinds;        // [features] 0 numeric, 1 categorical
    std::vector<std::uint32_t> categories;  // [C] values seen

    std::vector<std::uint8_t> test;                                      // [node]
    std::vector<std::int32_t> parent, branch, feature, category, heavy;  // [node]
    std::vector<double> threshold;                                       // [node]
    std::vector<double> counts, inherited;                               // [node][K]

    std::vector<double> weight, inherited_weight, checked;  // [leaf]
    std::vector<double> right_majority, right_bayes;        // [leaf]
    std::vector<std::uint8_t> gaps;                         // [leaf][class seen] 1: `known` follows
    std::vector<double> gaussian;          // [leaf][class seen][mean, squares, low, high][F]
    std::vector<double> known;             // [leaf][class with gaps][F]
    std::vector<std::uint32_t> values;     // [leaf][C] rows of the count table
    std::vector<std::uint8_t> table_gaps;  // [leaf][C] 1: `table_known` follows
    std::vector<double> cells;             // [leaf][C][value][K]
    std::vector<double> table_known;       // [leaf][C with gaps][K]

    std::vector<std::int32_t> split_node;  // [split], oldest first
    std::vector<std::uint64_t> split_seen;
    std::vector<std::uint8_t> split_verdict;
    std::vector<double> split_n, split_gain_range, split_epsilon, split_gain;
    std::vector<std::int32_t> second_feature, second_category;
    std::vector<std::uint8_t> second_test;
    std::vector<double> second_threshold, second_gain;

    // Since format 2. Absent from older files, which had none of it.
    std::vector<double> spent;                          // [1] delta of all checks
    std::vector<std::uint32_t> checks;                  // [leaf]
    std::vector<std::uint8_t> met;                      // [feature] 1: a row had a value for it
    std::vector<double> split_delta, split_spent;       // [split]
    std::vector<std::uint8_t> split_criterion, rivals;  // [split] how many cuts lost
    std::vector<std::int32_t> rival_feature, rival_category;  // [rival], after the second
    std::vector<std::uint8_t> rival_test;
    std::vector<double> rival_threshold, rival_gain;
    // What policies keep at leaves in addition (LeafExtras); in files it is called "watch".
    std::vector<std::uint64_t> extras_sizes;  // [leaf], where they keep anything
    std::vector<double> extras;

    // Since format 3, where the leaf predictor keeps a state; else empty, and may be absent.
    std::vector<double> right_idbd;         // [leaf] how often that predictor was right
    std::vector<std::uint64_t> unit_sizes;  // [leaf] how many numbers its state has
    std::vector<double> units;              // of the states, one after the other

    template <class Self, class Visit>
    static void each_of_units(Self& s, Visit&& visit) {
        visit("right_idbd", s.right_idbd);
        visit("unit_sizes", s.unit_sizes);
        visit("units", s.units);
    }

    // Since format 3.
    std::vector<std::uint8_t> inactive;    // [leaf] 1: no statistics, 2: they started over
    std::vector<double> recent;            // [leaf that started over][K] weights since then
    std::vector<std::uint64_t> ranked_at;  // [1] examples seen when leaves were ranked
    std::vector<double> least_promise;     // [1] of those that were active then

    template <class Self, class Visit>
    static void each_since_3(Self& s, Visit&& visit) {
        visit("inactive", s.inactive);
        visit("recent", s.recent);
        visit("ranked_at", s.ranked_at);
        visit("least_promise", s.least_promise);
    }

    template <class Self, class Visit>
    static void each_later(Self& s, Visit&& visit) {
        visit("spent", s.spent);
        visit("checks", s.checks);
        visit("met", s.met);
        visit("split_delta", s.split_delta);
        visit("split_spent", s.split_spent);
        visit("split_criterion", s.split_criterion);
        visit("rivals", s.rivals);
        visit("rival_feature", s.rival_feature);
        visit("rival_category", s.rival_category);
        visit("rival_test", s.rival_test);
        visit("rival_threshold", s.rival_threshold);
        visit("rival_gain", s.rival_gain);
        visit("watch_sizes", s.extras_sizes);
        visit("watch", s.extras);
    }

    // Since format 3: how often the data were presented.
    std::vector<std::uint32_t> passes;      // [1], the first included
    std::vector<std::uint32_t> split_pass;  // [split]

    template <class Self, class Visit>
    static void each_of_passes(Self& s, Visit&& visit) {
        visit("passes", s.passes);
        visit("split_pass", s.split_pass);
    }

    // Since format 3, and empty without the settings that ask for them.
    std::vector<std::uint8_t> dropped;       // [leaf][feature], drop_poor_features: statistics have
                                             // the others only
    std::vector<double> delay;               // [leaf], adaptive_grace
    std::vector<double> recalled;            // [leaf], short_memory
    std::vector<double> estimated;           // [node][K], inherited before examples were recalled
    std::vector<double> memory_values;       // [example, the oldest first][F]
    std::vector<std::int32_t> memory_codes;  // [example][C]
    std::vector<std::int32_t> memory_labels;  // [example]
    std::vector<double> memory_weights;       // [example]

    template <class Self, class Visit>
    static void each_of_growth(Self& s, Visit&& visit) {
        visit("delay", s.delay);
        visit("dropped", s.dropped);
        visit("recalled", s.recalled);
        visit("estimated", s.estimated);
        visit("memory_values", s.memory_values);
        visit("memory_codes", s.memory_codes);
        visit("memory_labels", s.memory_labels);
        visit("memory_weights", s.memory_weights);
    }

    // Since format 4, of a tree whose leaves draw the features that they track; else empty, and
    // may be absent.
    std::vector<std::uint64_t> draws;        // [1] so far
    std::vector<std::uint64_t> draw_number;  // [leaf]
    std::vector<double> draw_share;          // [leaf]

    template <class Self, class Visit>
    static void each_of_draws(Self& s, Visit&& visit) {
        visit("draws", s.draws);
        visit("draw_number", s.draw_number);
        visit("draw_share", s.draw_share);
    }

    // Since format 4, of a tree that follows change; else empty, and may be absent.
    std::vector<std::uint8_t> role;            // [node] 0 child, 1 alternate
    std::vector<std::uint64_t> born;           // [node]
    std::vector<std::uint64_t> births;         // [1] nodes made so far
    std::vector<std::uint64_t> monitor_sizes;  // [node]
    std::vector<double> monitors;
    std::vector<std::uint64_t> change_totals;  // [kind of change]
    std::vector<std::uint64_t> change_seen;    // [change]
    std::vector<std::uint8_t> change_kind;
    std::vector<std::int32_t> change_places;  // [change][change_places_each]
    std::vector<double> change_values;        // [change][change_values_each]
    // The same, with a window of examples.
    std::vector<std::uint64_t> since, there;     // [node]
    std::vector<std::uint64_t> recent_since;     // [leaf that started over]
    std::vector<std::uint64_t> window;           // [2] its length, examples since all was counted
    std::vector<double> window_values;           // [example, the oldest first][F]
    std::vector<std::int32_t> window_codes;      // [example][C]
    std::vector<std::int32_t> window_labels;     // [example]
    std::vector<double> window_weights;          // [example]
    std::vector<std::uint8_t> window_uncertain;  // [example] 1: has distributions; empty: none has
    std::vector<double> window_numbers;          // of these, as Spread::write has them
    std::vector<std::uint8_t> on_trial;          // [node] 1: `trials` follows
    std::vector<double> trials;                  // [node on trial][trial_values_each]
    static constexpr std::size_t trial_values_each = 6;
    static constexpr std::size_t change_places_each = 13;
    static constexpr std::size_t change_values_each = 8;

    template <class Self, class Visit>
    static void each_of_adaptation(Self& s, Visit&& visit) {
        visit("role", s.role);
        visit("born", s.born);
        visit("births", s.births);
        visit("monitor_sizes", s.monitor_sizes);
        visit("monitors", s.monitors);
        visit("change_totals", s.change_totals);
        visit("change_seen", s.change_seen);
        visit("change_kind", s.change_kind);
        visit("change_places", s.change_places);
        visit("change_values", s.change_values);
        visit("since", s.since);
        visit("there", s.there);
        visit("recent_since", s.recent_since);
        visit("window", s.window);
        visit("window_values", s.window_values);
        visit("window_codes", s.window_codes);
        visit("window_labels", s.window_labels);
        visit("window_weights", s.window_weights);
        visit("window_uncertain", s.window_uncertain);
        visit("window_numbers", s.window_numbers);
        visit("on_trial", s.on_trial);
        visit("trials", s.trials);
    }

    // Since format 4, where replaced subtrees are kept; else empty, and may be absent.
    std::vector<std::uint64_t> archive;         // [archived][archive_each]
    std::vector<std::uint64_t> archived;        // [1] how many there were so far
    std::vector<std::int32_t> archive_places;   // [node of it][archive_places_each]
    std::vector<double> archive_thresholds;     // [node of it]
    std::vector<std::uint64_t> archive_splits;  // [node with a test][archive_splits_each]
    std::vector<double> archive_evidence;       // [node with a test][archive_evidence_each]
    std::vector<std::int32_t> archive_rivals;   // [rival][archive_rivals_each]
    std::vector<double> archive_gains;          // [rival][threshold, gain]
    std::vector<std::uint64_t> trial_from;      // [node on trial] its number in the archive
    static constexpr std::size_t archive_each = 3;
    static constexpr std::size_t archive_places_each = 6;
    static constexpr std::size_t archive_splits_each = 6;
    static constexpr std::size_t archive_evidence_each = 6;
    static constexpr std::size_t archive_rivals_each = 3;

    template <class Self, class Visit>
    static void each_of_archive(Self& s, Visit&& visit) {
        visit("archive", s.archive);
        visit("archived", s.archived);
        visit("archive_places", s.archive_places);
        visit("archive_thresholds", s.archive_thresholds);
        visit("archive_splits", s.archive_splits);
        visit("archive_evidence", s.archive_evidence);
        visit("archive_rivals", s.archive_rivals);
        visit("archive_gains", s.archive_gains);
        visit("trial_from", s.trial_from);
    }

    // The evidence of the last check of each leaf. Absent from files before it was kept.
    std::vector<double> check_n;           // [leaf] 0: not checked yet
    std::vector<double> check_numbers;     // [leaf that was checked][LastCheck::numbers_each]
    std::vector<std::int32_t> check_cuts;  // [leaf that was checked][LastCheck::cuts_each]

    template <class Self, class Visit>
    static void each_of_checks(Self& s, Visit&& visit) {
        visit("check_n", s.check_n);
        visit("check_numbers", s.check_numbers);
        visit("check_cuts", s.check_cuts);
    }

    // Of a tree with leaves whose rows are sparse (SparseMoments); else empty, and absent.
    std::vector<std::uint8_t> sparse;             // [leaf] 1: it has these instead of `gaussian`
    std::vector<std::uint64_t> sparse_sizes;      // [sparse leaf] how many pairs it has
    std::vector<std::uint64_t> sparse_rows;       // [sparse leaf][K] rows of the class
    std::vector<std::uint32_t> sparse_features;   // [pair]
    std::vector<std::uint32_t> sparse_classes;    // [pair]
    std::vector<std::uint64_t> sparse_pair_rows;  // [pair] that are not 0
    std::vector<double> sparse_moments;           // [pair][sparse_moments_each]
    static constexpr std::size_t sparse_moments_each = 6;

    template <class Self, class Visit>
    static void each_of_sparse(Self& s, Visit&& visit) {
        visit("sparse", s.sparse);
        visit("sparse_sizes", s.sparse_sizes);
        visit("sparse_rows", s.sparse_rows);
        visit("sparse_features", s.sparse_features);
        visit("sparse_classes", s.sparse_classes);
        visit("sparse_pair_rows", s.sparse_pair_rows);
        visit("sparse_moments", s.sparse_moments);
    }

    // Only of a tree that splits by races; else empty, and absent.
    std::vector<double> split_evidence;  // [split] logarithm; 0 for a split without a race

    template <class Self, class Visit>
    static void each_of_races(Self& s, Visit&& visit) {
        visit("split_evidence", s.split_evidence);
    }

    // Only of a tree whose alternates replace their nodes by betting; else empty, and absent.
    std::vector<std::uint64_t> duel_born;  // [alternate] its birth
    std::vector<double> duel_values;       // [alternate][duel_values_each]
    static constexpr std::size_t duel_values_each = 6;

    template <class Self, class Visit>
    static void each_of_duels(Self& s, Visit&& visit) {
        visit("duel_born", s.duel_born);
        visit("duel_values", s.duel_values);
    }

    // Only of a tree that has replaced splits; else empty, and absent.
    std::vector<std::uint64_t> former_times;  // [split][former_times_each] made, gone, pass
    std::vector<std::int32_t> former_places;  // [split][former_places_each] place, reason and cuts
    std::vector<double> former_values;        // [split][former_values_each] evidence
    static constexpr std::size_t former_times_each = 3, former_places_each = 9,
                                 former_values_each = 10;

    template <class Self, class Visit>
    static void each_of_history(Self& s, Visit&& visit) {
        visit("former_times", s.former_times);
        visit("former_places", s.former_places);
        visit("former_values", s.former_values);
    }

    // All but the last four, which only few trees have.
    template <class Self, class Visit>
    static void each_of_all(Self& s, Visit&& visit) {
        each(s, visit);
        each_later(s, visit);
        each_of_passes(s, visit);
        each_of_units(s, visit);
        each_of_growth(s, visit);
        each_since_3(s, visit);
        each_of_draws(s, visit);
        each_of_adaptation(s, visit);
        each_of_archive(s, visit);
        each_of_checks(s, visit);
    }

    // Those of every format.
    template <class Self, class Visit>
    static void each(Self& s, Visit&& visit) {
        visit("seen", s.seen);
        visit("classes", s.classes);
        visit("kinds", s.kinds);
        visit("categories", s.categories);
        visit("test", s.test);
        visit("parent", s.parent);
        visit("branch", s.branch);
        visit("feature", s.feature);
        visit("category", s.category);
        visit("heavy", s.heavy);
        visit("threshold", s.threshold);
        visit("counts", s.counts);
        visit("inherited", s.inherited);
        visit("weight", s.weight);
        visit("inherited_weight", s.inherited_weight);
        visit("checked", s.checked);
        visit("right_majority", s.right_majority);
        visit("right_bayes", s.right_bayes);
        visit("gaps", s.gaps);
        visit("gaussian", s.gaussian);
        visit("known", s.known);
        visit("values", s.values);
        visit("table_gaps", s.table_gaps);
        visit("cells", s.cells);
        visit("table_known", s.table_known);
        visit("split_node", s.split_node);
        visit("split_seen", s.split_seen);
        visit("split_verdict", s.split_verdict);
        visit("split_n", s.split_n);
        visit("split_gain_range", s.split_gain_range);
        visit("split_epsilon", s.split_epsilon);
        visit("split_gain", s.split_gain);
        visit("second_feature", s.second_feature);
        visit("second_category", s.second_category);
        visit("second_test", s.second_test);
        visit("second_threshold", s.second_threshold);
        visit("second_gain", s.second_gain);
    }
};

}  // namespace riparian
