// One value on each axis of a forest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "../drift/any.hpp"
#include "../tree/settings.hpp"
#include "vote_rule.hpp"

namespace riparian {

// What happens when the errors of a member rise.
enum class Replacement : std::uint8_t {
    none,        // nothing [oza2001]
    worst,       // the member with the most errors starts over [bifet2010]
    background,  // a tree that was begun at a warning takes its place [gomes2017]
};

struct ForestSettings {
    TreeSettings tree;  // of every member
    // Of the last member, if it is another tree. That one learns each row once, sees all features and
    // is never replaced.
    std::shared_ptr<const TreeSettings> last_tree;
    std::size_t members = 10;
    double rate = 6.0;  // mean of the Poisson number that a row counts as
    double none = 0.0;  // its probability of 0
    bool once = false;  // instead, each row counts once
    Subspace patch;     // features that a member sees
    Replacement replacement = Replacement::none;
    bool drawn_background = false;  // a tree in the background counts rows as its member does
    VoteRule votes;
    bool keep_votes = false;         // of prequential calls, for a coordinator that adds them up
    std::uint32_t first_member = 0;  // number of the first one, where members are dealt to workers
    std::optional<AnyDetector> warning, drift;
    std::uint64_t seed = 0;
    std::size_t max_bytes = SIZE_MAX;
    std::size_t threads = 1;

    // The settings of a member that has `last_tree`.
    [[nodiscard]] ForestSettings of_last() const {
        ForestSettings own = *this;
        own.tree = *last_tree;
        own.once = true;
        own.patch = {};
        own.replacement = Replacement::none;
        own.warning = own.drift = std::nullopt;
        return own;
    }
};

}  // namespace riparian
