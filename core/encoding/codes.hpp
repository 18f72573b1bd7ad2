// Codes for values, in the order of their first appearance.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "../data/batch.hpp"

namespace riparian {

// The codes of numbers. Small whole numbers, the usual case, are looked up in a table, all others
// in a hash map. `Value` is an integer or a double; NaN is missing.
template <class Value>
class CodeTable {
public:
    // `next`: the code of the first new value. `room`: how many new values get a code of their own; all
    // others share one code, `other`, or the next one if that is unseen_code.
    explicit CodeTable(std::int32_t next, std::size_t room = SIZE_MAX,
                       std::int32_t other = unseen_code)
        : next_(next), other_(other), room_(room) {}

    void know(Value value, std::int32_t code) { *find(value) = code; }

    std::int32_t code(Value value, bool grow) {
        if (value >= Value{0} && value < Value{small}) [[likely]] {
            const auto place = static_cast<std::uint32_t>(value);
            if (static_cast<Value>(place) == value && direct_[place] >= 0) return direct_[place];
        }
        return unusual(value, grow);
    }

    // The code that the next new value would get.
    [[nodiscard]] std::int32_t next() const noexcept { return next_; }
    // The values that got a code of their own, oldest first.
    [[nodiscard]] const std::vector<Value>& added() const noexcept { return added_; }
    // Whether the shared code was first used here. It then comes after those of all new values.
    [[nodiscard]] bool added_other() const noexcept { return added_other_; }

private:
    static constexpr int small = 256;

    [[gnu::noinline]] std::int32_t unusual(Value value, bool grow) {
        if (value != value) return missing_code;
        std::int32_t* const code = find(value);
        if (*code != unseen_code) return *code;
        if (other_ != unseen_code) return other_;
        if (!grow) return unseen_code;
        if (added_.size() < room_) {
            *code = next_++;
            added_.push_back(value);
            return *code;
        }
        added_other_ = true;
        return other_ = next_++;
    }

    std::int32_t* find(Value value) {
        const bool inside = value >= Value{0} && value < Value{small};
        const auto place = static_cast<std::size_t>(inside ? value : Value{0});
        if (static_cast<Value>(place) == value) [[likely]]
            return &direct_[place];
        return &others_.try_emplace(value, unseen_code).first->second;
    }

    static std::array<std::int32_t, small> filled() {
        std::array<std::int32_t, small> codes;
        codes.fill(unseen_code);
        return codes;
    }

    std::array<std::int32_t, small> direct_ = filled();
    std::unordered_map<Value, std::int32_t> others_;
    std::vector<Value> added_;
    std::int32_t next_, other_;
    std::size_t room_;
    bool added_other_ = false;
};

// The distinct codes below `values`, in the order of their first appearance.
[[nodiscard]] std::vector<std::int32_t> first_seen(const std::int32_t* codes, std::size_t n,
                                                   std::size_t values);

void encode(const std::int64_t* values, std::size_t n, CodeTable<std::int64_t>&, bool grow,
            std::int32_t* codes);

// Encodes several columns at once, which may be columns of one matrix. Codes are written as
// [row][column], as int8 or int32. Returns the place of the first infinite value, if there is one.
template <class Code>
std::optional<Place> encode(const Batch&, std::vector<CodeTable<double>>&, bool grow, Code* codes);

}  // namespace riparian
