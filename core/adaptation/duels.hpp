// Alternates, or options, against their nodes by betting on the rows that both predict.
//
// With the losses of the node and of the alternate for a row, 0 or 1 each, and bets that were fixed
// before the row,
//
//     product over rows of 1 + lambda (loss of the node - loss of the alternate)
//
// is a supermartingale as long as the alternate is expected to lose at least as much as the node, and
// so reaches 1/delta with probability at most delta, at whatever row one looks [ville1939]. The
// mirrored product shows that the alternate is worse. docs/certainty.md has the proof.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../growth/change.hpp"
#include "../growth/snapshot.hpp"
#include "../memory/account.hpp"

namespace riparian {

// The bets on one alternate. Each row counts once, whatever its weight.
struct Duel {
    std::uint64_t born = 0;   // birth of the alternate, which stays when nodes get other ids
    double rows = 0.0;        // that were bet on; negative: rows until the first bet
    double errors = 0.0;      // of the node in these rows
    double difference = 0.0;  // sum of the node's losses minus the alternate's
    double unequal = 0.0;     // rows that one of the two predicted wrongly and the other correctly
    double ahead = 0.0;       // logarithm of the product
    double behind = 0.0;      // logarithm of the mirrored product
    bool node_wrong = false;  // about the row at hand

    void bet(bool alternate_wrong) noexcept;

    // The errors of both in the rows that were bet on.
    [[nodiscard]] Standing of_node() const noexcept { return {errors / rows, rows}; }
    [[nodiscard]] Standing of_alternate() const noexcept {
        return {(errors - difference) / rows, rows};
    }
};

// The duels of a tree, by birth. Alternates are few, and their births ascend.
class Duels {
public:
    // Null: there is none.
    [[nodiscard]] Duel* find(std::uint64_t born) noexcept;
    // Begins one, with this many rows before the first bet.
    Duel& begin(std::uint64_t born, double wait);
    [[nodiscard]] static Duel fresh(std::uint64_t born, double wait) noexcept;
    // Bytes that one more takes.
    [[nodiscard]] std::size_t growth() const noexcept {
        return growth_in_bytes(duels_, 1, sizeof(Duel));
    }
    // Keeps those whose alternate is still there.
    template <class IsThere>
    void keep(IsThere&& is_there) {
        std::size_t left = 0;
        for (const Duel& d : duels_) {
            if (is_there(d.born)) duels_[left++] = d;
        }
        cut_to(duels_, left);
    }

    void save(Snapshot&) const;
    // Throws std::invalid_argument unless these are duels of alternates.
    template <class IsThere>
    void restore(const Snapshot& s, IsThere&& is_there) {
        read(s);
        for (std::size_t i = 0; i < duels_.size(); ++i)
            demand_alternate(is_there(duels_[i].born), i);
    }

private:
    void read(const Snapshot&);
    static void demand_alternate(bool there, std::size_t place);

    Held<Duel> duels_;
};

}  // namespace riparian
