#include "sizes.hpp"

#include <algorithm>

#include "../growth/change.hpp"

namespace riparian {

void demand_sizes_of_subtrees(const Snapshot& s, std::size_t nodes) {
    demand_size(s.role, nodes, "role");
    demand_size(s.born, nodes, "born");
    demand_size(s.births, nodes ? 1 : 0, "births");
    demand_size(s.monitor_sizes, nodes, "monitor_sizes");
    demand(nodes || s.monitors.empty(), "monitors is too long");
    const std::size_t changes = s.change_seen.size();
    demand(changes <= (nodes ? most_changes : 0), "change_seen is too long");
    // Files from before a kind of change existed have none of that kind.
    demand(s.change_totals.size() <= n_change_kinds && s.change_totals.empty() == (nodes == 0),
           "change_totals has other kinds than there are");
    demand_size(s.change_kind, changes, "change_kind");
    demand_size(s.change_places, changes * Snapshot::change_places_each, "change_places");
    demand_size(s.change_values, changes * Snapshot::change_values_each, "change_values");
}

void demand_sizes_of_window(const Snapshot& s, const Sizes& z, std::size_t nodes,
                            std::size_t archive) {
    demand_size(s.since, nodes, "since");
    demand_size(s.there, nodes, "there");
    demand_size(s.recent_since, nodes ? z.n_restarted : 0, "recent_since");
    demand_size(s.window, nodes ? 2 : 0, "window");
    const std::size_t held = s.window_labels.size();
    demand(held <= (nodes ? std::min<std::uint64_t>(s.window[0], s.seen[0]) : 0),
           "window_labels has more examples than the window");
    demand_size(s.window_values, held * z.n_numeric, "window_values");
    demand_size(s.window_codes, held * z.n_categorical, "window_codes");
    demand_size(s.window_weights, held, "window_weights");
    demand_size(s.window_uncertain, s.window_uncertain.empty() ? 0 : held, "window_uncertain");
    demand(s.window_numbers.empty() || !s.window_uncertain.empty(), "window_numbers is too long");
    for (const std::uint8_t u : s.window_uncertain) {
        demand(u <= 1, "window_uncertain holds another value than 0 and 1");
    }
    demand_size(s.on_trial, nodes, "on_trial");
    std::size_t on_trial = 0;
    for (const std::uint8_t t : s.on_trial) {
        demand(t <= 1, "on_trial holds another value than 0 and 1");
        on_trial += t;
    }
    demand_size(s.trials, on_trial * Snapshot::trial_values_each, "trials");
    const std::size_t archives = archive ? 1 : 0;
    demand_size(s.trial_from, archives * on_trial, "trial_from");
    demand_size(s.archived, archives, "archived");
    demand(s.archive.size() % Snapshot::archive_each == 0 &&
               s.archive.size() / Snapshot::archive_each <= archive,
           "archive has more subtrees than adaptation__archive");
    demand_size(s.archive_places, s.archive_thresholds.size() * Snapshot::archive_places_each,
                "archive_places");
    demand_size(s.archive_splits, s.archive_evidence.size(), "archive_splits");
    demand(s.archive_gains.size() % 2 == 0, "archive_gains has half of a rival");
    demand_size(s.archive_rivals, s.archive_gains.size() / 2 * Snapshot::archive_rivals_each,
                "archive_rivals");
    demand(archives || (s.archive_thresholds.empty() && s.archive_evidence.empty() &&
                        s.archive_gains.empty()),
           "an archive without adaptation__archive");
}

}  // namespace riparian
