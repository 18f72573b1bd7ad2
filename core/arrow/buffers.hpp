// Values in the buffers of an Arrow array: numbers, strings, and which rows are not null.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "types.hpp"

namespace riparian::arrow {

// The interface recommends alignment but does not guarantee it.
template <class T>
T load(const void* buffer, std::int64_t i) noexcept {
    T value;
    std::memcpy(&value, static_cast<const char*>(buffer) + i * std::int64_t{sizeof(T)}, sizeof(T));
    return value;
}

inline bool bit(const void* buffer, std::int64_t i) noexcept {
    return (static_cast<const std::uint8_t*>(buffer)[i / 8] >> (i % 8)) & 1;
}

// IEEE 754 binary16, which has no portable type in C++20.
struct Half {
    std::uint16_t bits;

    explicit operator double() const noexcept {
        const std::uint64_t exponent = (bits >> 10) & 31;
        const std::uint64_t fraction = bits & 1023;
        double size = static_cast<double>(fraction) * 0x1p-24;  // subnormal
        if (exponent != 0) {
            const std::uint64_t widened = exponent == 31 ? 2047 : exponent + 1008;
            size = std::bit_cast<double>(widened << 52 | fraction << 42);
        }
        return (bits & 0x8000) != 0 ? -size : size;
    }
};

template <class T>
T value_at(const void* buffer, std::int64_t i) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
        return bit(buffer, i);
    } else {
        return load<T>(buffer, i);
    }
}

// Calls f<T>() with the type of a number format.
template <class F>
void with_number_type(char format, F&& f) {
    switch (format) {
        case 'b': return f.template operator()<bool>();
        case 'c': return f.template operator()<std::int8_t>();
        case 's': return f.template operator()<std::int16_t>();
        case 'i': return f.template operator()<std::int32_t>();
        case 'l': return f.template operator()<std::int64_t>();
        case 'C': return f.template operator()<std::uint8_t>();
        case 'S': return f.template operator()<std::uint16_t>();
        case 'I': return f.template operator()<std::uint32_t>();
        case 'L': return f.template operator()<std::uint64_t>();
        case 'e': return f.template operator()<Half>();
        case 'f': return f.template operator()<float>();
        default: return f.template operator()<double>();
    }
}

template <class Offset>
struct Strings {
    const void* offsets;
    const char* bytes;

    std::string_view operator[](std::int64_t i) const {
        const Offset begin = load<Offset>(offsets, i);
        const Offset end = load<Offset>(offsets, i + 1);
        if (begin == end) return {};  // the bytes may be absent then
        if (begin < 0 || end < begin || bytes == nullptr) throw malformed("a string has no text");
        return {bytes + begin, static_cast<std::size_t>(end - begin)};
    }
};

// A view has 16 bytes: the length, then up to 12 bytes of text; or a prefix, the number of a data
// buffer and the offset in it.
struct StringViews {
    const ArrowArray& array;

    std::string_view operator[](std::int64_t i) const {
        const char* view = static_cast<const char*>(array.buffers[1]) + 16 * i;
        const auto length = load<std::int32_t>(view, 0);
        if (length < 0) throw malformed("a string has no text");
        if (length <= 12) return {view + 4, static_cast<std::size_t>(length)};
        // The data buffers are between the views and the sizes, which come last.
        const auto buffer = load<std::int32_t>(view, 2);
        const std::int64_t begin = load<std::int32_t>(view, 3);
        if (buffer < 0 || buffer >= array.n_buffers - 3 || begin < 0 ||
            begin + length > load<std::int64_t>(array.buffers[array.n_buffers - 1], buffer)) {
            throw malformed("a string is outside its buffer");
        }
        return {static_cast<const char*>(array.buffers[2 + buffer]) + begin,
                static_cast<std::size_t>(length)};
    }
};

template <class F>
void with_strings(std::string_view format, const ArrowArray& array, F&& f) {
    const void* const* buffers = array.buffers;
    if (format == "u") {
        f(Strings<std::int32_t>{buffers[1], static_cast<const char*>(buffers[2])});
    } else if (format == "U") {
        f(Strings<std::int64_t>{buffers[1], static_cast<const char*>(buffers[2])});
    } else {
        f(StringViews{array});
    }
}

// Which rows are not null. Without bits, all rows are.
struct Bitmap {
    const void* bits = nullptr;
    std::int64_t first = 0;

    bool operator[](std::int64_t i) const noexcept {
        return bits == nullptr || bit(bits, first + i);
    }

    template <class F>
    void for_each_null(std::int64_t rows, F f) const {
        if (bits == nullptr) return;
        for (std::int64_t i = 0; i < rows; ++i) {
            const std::int64_t at = first + i;
            // Nulls are rare: most bytes have all eight bits set.
            if (at % 8 == 0 && rows - i >= 8 && load<std::uint8_t>(bits, at / 8) == 0xFF) {
                i += 7;
            } else if (!bit(bits, at)) {
                f(i);
            }
        }
    }
};

inline Bitmap validity(const ArrowArray& array, std::int64_t skip = 0) {
    if (array.null_count == 0) return {};
    const void* bits = array.buffers[0];
    if (bits == nullptr && array.null_count > 0) throw malformed("there are nulls but no bitmap");
    return {bits, array.offset + skip};
}

// Checks that `rows` rows can be read without leaving the buffers.
inline void check(const ArrowArray& array, std::string_view format, std::int64_t rows) {
    if (array.release == nullptr) throw malformed("an array was already released");
    if (array.length < 0 || array.offset < 0 ||
        array.length > std::numeric_limits<std::int64_t>::max() - array.offset) {
        throw malformed("a length or offset is negative");
    }
    if (array.length < rows) throw malformed("a column is shorter than its frame");
    if (format == "n") return;
    const std::int64_t n_buffers = format == "+s" ? 1 : is_number(format) ? 2 : 3;
    if (array.n_buffers < n_buffers || array.buffers == nullptr) throw malformed("too few buffers");
    if (n_buffers > 1 && rows > 0 && array.buffers[1] == nullptr) throw malformed("no values");
}

// The rows of one column in one chunk.
struct Piece {
    const ArrowArray* array;
    std::int64_t first;  // index of the first row in the buffers of the array
    std::int64_t rows;
    Bitmap valid;
    Bitmap outer;  // a null row of the frame is null in every column

    [[nodiscard]] bool present(std::int64_t i) const noexcept { return valid[i] && outer[i]; }
};

inline Piece piece_of(const ArrowArray& chunk, std::int64_t column, std::string_view format) {
    if (chunk.children[column] == nullptr) throw malformed("a column has no data");
    const ArrowArray& array = *chunk.children[column];
    check(array, format, chunk.offset + chunk.length);
    const Bitmap valid = format == "n" ? Bitmap{} : validity(array, chunk.offset);
    return {&array, array.offset + chunk.offset, chunk.length, valid, validity(chunk)};
}

}  // namespace riparian::arrow
