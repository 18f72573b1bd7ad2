// The distinct values of a categorical column, numbered as they appear.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "buffers.hpp"

namespace riparian::arrow {

// A category to look up: a string, or the bits of a number in `head`. The first and last bytes of a
// string are stored here. For up to 16 bytes, these and the length are the whole string, which
// saves two calls to compare and one to hash in every row.
struct Key {
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    std::string_view text{};

    explicit Key(std::uint64_t bits) noexcept : head(bits) {}
    explicit Key(std::string_view string) noexcept : text(string) {
        const std::size_t n = string.size();
        if (n >= 8) {
            head = load<std::uint64_t>(&string[0], 0);
            tail = load<std::uint64_t>(&string[n - 8], 0);
        } else if (n >= 4) {
            head = load<std::uint32_t>(&string[0], 0);
            tail = load<std::uint32_t>(&string[n - 4], 0);
        } else if (n > 0) {
            head = load<std::uint8_t>(&string[0], 0) | load<std::uint8_t>(&string[n / 2], 0) << 8;
            tail = load<std::uint8_t>(&string[n - 1], 0);
        }
    }

    bool operator==(const Key& other) const noexcept {
        return head == other.head && tail == other.tail && text.size() == other.text.size() &&
               (text.size() <= 16 || text == other.text);
    }

    // The high bits of a product depend on all bits of its factors.
    [[nodiscard]] std::uint64_t hash() const noexcept {
        const std::uint64_t middle = text.size() > 16 ? std::hash<std::string_view>{}(text) : 0;
        const std::uint64_t first = (head ^ middle ^ text.size()) * 0x9E3779B97F4A7C15u;
        const std::uint64_t second = ((first ^ first >> 32) + tail) * 0xD6E8FEB86659FD93u;
        return (second ^ second >> 32) * 0x9E3779B97F4A7C15u;
    }
};

// Numbers distinct keys in the order of their first appearance. It uses open addressing in a table
// that is at most half full. The strings stay in the Arrow buffers.
class Vocabulary {
public:
    std::int32_t code(const Key& key) {
        // Equal values often follow each other.
        if (!keys_.empty() && keys_[static_cast<std::size_t>(last_)] == key) return last_;
        const std::uint64_t hash = key.hash();
        const auto tag = static_cast<std::uint32_t>(hash);
        std::size_t at = hash >> shift_;
        for (; slots_[at].code != missing; at = (at + 1) & (slots_.size() - 1)) {
            if (slots_[at].tag == tag && keys_[static_cast<std::size_t>(slots_[at].code)] == key) {
                return last_ = slots_[at].code;
            }
        }
        return last_ = add(key, tag, at);
    }

    [[nodiscard]] const std::vector<Key>& keys() const noexcept { return keys_; }

private:
    struct Slot {
        std::uint32_t tag = 0;
        std::int32_t code = missing;
    };

    std::int32_t add(const Key& key, std::uint32_t tag, std::size_t at) {
        if (keys_.size() == std::numeric_limits<std::int32_t>::max()) {
            throw std::invalid_argument("more than 2^31 - 1 different values");
        }
        const auto code = static_cast<std::int32_t>(keys_.size());
        slots_[at] = {tag, code};
        keys_.push_back(key);
        if (2 * keys_.size() > slots_.size()) grow();
        return code;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), Slot{});
        --shift_;
        for (std::size_t k = 0; k < keys_.size(); ++k) {
            const std::uint64_t hash = keys_[k].hash();
            std::size_t at = hash >> shift_;
            while (slots_[at].code != missing) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = {static_cast<std::uint32_t>(hash), static_cast<std::int32_t>(k)};
        }
    }

    std::vector<Key> keys_;
    std::vector<Slot> slots_ = std::vector<Slot>(64);
    int shift_ = 64 - 6;  // 2^6 slots
    std::int32_t last_ = 0;
};

// A category that is a number. Empty for NaN, which means missing. All numbers of a column have one
// type, so equal bits are equal values.
inline std::optional<Key> number_key(std::string_view format, const ArrowArray& values,
                                     std::int64_t i) {
    std::optional<Key> key;
    with_number_type(format[0], [&]<class T>() {
        const T value = value_at<T>(values.buffers[1], i);
        if constexpr (std::is_integral_v<T>) {
            key = Key(static_cast<std::uint64_t>(value));
        } else if (const auto number = static_cast<double>(value); !std::isnan(number)) {
            key = Key(std::bit_cast<std::uint64_t>(number + 0.0));  // turns -0.0 into 0.0
        }
    });
    return key;
}

inline Value value_of(std::string_view format, const Key& key) {
    if (is_text(format)) return std::string(key.text);
    if (format == "b") return key.head != 0;
    if (is_one_of(format, "csil")) return static_cast<std::int64_t>(key.head);
    if (is_one_of(format, "CSIL")) return key.head;
    return std::bit_cast<double>(key.head);
}

using Pieces = std::vector<Piece>;

}  // namespace riparian::arrow
