#include "snapshots.hpp"

#include <utility>

namespace nb = nanobind;
using namespace riparian;

void write_snapshot(Snapshot s, const std::string& prefix, nb::dict& out) {
    const auto write = [&](const char* name, auto& values) {
        out[(prefix + name).c_str()] = owned(std::move(values));
    };
    Snapshot::each_of_all(s, write);
    if (!s.sparse.empty()) Snapshot::each_of_sparse(s, write);
    if (!s.split_evidence.empty()) Snapshot::each_of_races(s, write);
    if (!s.duel_born.empty()) Snapshot::each_of_duels(s, write);
    if (!s.former_times.empty()) Snapshot::each_of_history(s, write);
}

// Files of older formats have fewer arrays.
Snapshot read_snapshot(ArrayReader& take, const TreeSettings& settings) {
    Snapshot s;
    Snapshot::each(s, take);
    if (take.has("spent")) {
        Snapshot::each_later(s, take);
    } else {
        fill_later_arrays(settings, s);
    }
    if (take.has("passes")) {
        Snapshot::each_of_passes(s, take);
    } else {
        fill_passes(s);
    }
    Snapshot::each_of_units(s, [&](const char* name, auto& values) {
        if (take.has(name)) take(name, values);
    });
    if (take.has("delay")) Snapshot::each_of_growth(s, take);
    fill_arrays_since_3(s);
    if (take.has("inactive")) Snapshot::each_since_3(s, take);
    if (take.has("draws")) Snapshot::each_of_draws(s, take);
    if (take.has("role")) Snapshot::each_of_adaptation(s, take);
    if (take.has("archive")) Snapshot::each_of_archive(s, take);
    if (take.has("check_n")) Snapshot::each_of_checks(s, take);
    if (take.has("sparse")) Snapshot::each_of_sparse(s, take);
    if (take.has("split_evidence")) Snapshot::each_of_races(s, take);
    if (take.has("duel_born")) Snapshot::each_of_duels(s, take);
    if (take.has("former_times")) Snapshot::each_of_history(s, take);
    return s;
}
