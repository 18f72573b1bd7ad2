#include "columns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace riparian::arrow {
namespace {

constexpr std::int32_t missing = -1;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::invalid_argument malformed(const std::string& what) {
    return std::invalid_argument("malformed Arrow data, " + what +
                                 "; this is a fault of the library that made the frame");
}

struct Refused {
    std::string_view format;  // how the format code begins
    std::string_view what;
    std::string_view instead;
};

// A longer code stands before a shorter one that begins it.
constexpr Refused refused[] = {
    {"ts", "timestamps", "convert it to a number, such as seconds or the hour of the day"},
    {"td", "dates", "convert it to a number, such as days or the month"},
    {"tt", "times of day", "convert it to a number, such as seconds since midnight"},
    {"tD", "durations", "convert it to a number, such as seconds"},
    {"ti", "calendar intervals", "convert it to a number, such as days"},
    {"d:", "decimals", "convert it to float64"},
    {"z", "bytes", "convert it to strings or numbers"},
    {"Z", "bytes", "convert it to strings or numbers"},
    {"vz", "bytes", "convert it to strings or numbers"},
    {"w:", "bytes", "convert it to strings or numbers"},
    {"_pli128", "128-bit integers", "convert it to int64 or float64"},
    {"_plu128", "128-bit integers", "convert it to uint64 or float64"},
    {"+r", "run-end-encoded values", "decode it to a plain column"},
    {"+s", "structs", "give each field a column of its own"},
    {"+m", "maps", "give each key a column of its own"},
    {"+u", "unions", "give each type a column of its own"},
    {"+", "lists", "give each element a column of its own"},
};

std::invalid_argument unlearnable(std::string_view format) {
    for (const Refused& type : refused) {
        if (format.starts_with(type.format)) {
            return std::invalid_argument(std::string(type.what) + " cannot be learned; " +
                                         std::string(type.instead));
        }
    }
    return std::invalid_argument("values of Arrow type '" + std::string(format) +
                                 "' cannot be learned; convert it to numbers or strings");
}

bool is_one_of(std::string_view format, std::string_view codes) {
    return format.size() == 1 && codes.find(format[0]) != std::string_view::npos;
}

bool is_number(std::string_view format) { return is_one_of(format, "bcsilCSILefg"); }
bool is_text(std::string_view format) { return format == "u" || format == "U" || format == "vu"; }

std::string name_of(const ArrowSchema& field) { return field.name == nullptr ? "" : field.name; }

std::string_view format_of(const ArrowSchema& field) {
    if (field.format == nullptr) throw malformed("a type without a format");
    return field.format;
}

Kind kind_of(const ArrowSchema& field) {
    const std::string_view format = format_of(field);
    if (field.dictionary != nullptr) {
        const std::string_view values = format_of(*field.dictionary);
        if (!is_one_of(format, "csilCSIL")) throw malformed("a dictionary without integer indices");
        if (field.dictionary->dictionary != nullptr) throw malformed("nested dictionaries");
        if (!is_number(values) && !is_text(values) && values != "n") throw unlearnable(values);
        return Kind::categorical;
    }
    if (is_number(format)) return Kind::numeric;
    if (is_text(format)) return Kind::categorical;
    if (format == "n") return Kind::unknown;
    throw unlearnable(format);
}

// The interface recommends alignment but does not promise it.
template <class T>
T load(const void* buffer, std::int64_t i) noexcept {
    T value;
    std::memcpy(&value, static_cast<const char*>(buffer) + i * std::int64_t{sizeof(T)}, sizeof(T));
    return value;
}

bool bit(const void* buffer, std::int64_t i) noexcept {
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
        if (begin == end) return {};  // the bytes may then be absent
        if (begin < 0 || end < begin || bytes == nullptr) throw malformed("a string without text");
        return {bytes + begin, static_cast<std::size_t>(end - begin)};
    }
};

// A view is 16 bytes: the length, then up to 12 bytes of text in place, or a
// prefix, the number of a data buffer and the place in it.
struct StringViews {
    const ArrowArray& array;

    std::string_view operator[](std::int64_t i) const {
        const char* view = static_cast<const char*>(array.buffers[1]) + 16 * i;
        const auto length = load<std::int32_t>(view, 0);
        if (length < 0) throw malformed("a string without text");
        if (length <= 12) return {view + 4, static_cast<std::size_t>(length)};
        // Between the views and the sizes, which come last, lie the data buffers.
        const auto buffer = load<std::int32_t>(view, 2);
        const std::int64_t begin = load<std::int32_t>(view, 3);
        if (buffer < 0 || buffer >= array.n_buffers - 3 || begin < 0 ||
            begin + length > load<std::int64_t>(array.buffers[array.n_buffers - 1], buffer)) {
            throw malformed("a string outside its buffer");
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

// Which rows are there; no bits means all.
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
            // Nulls are rare: most bytes say "eight rows, all there".
            if (at % 8 == 0 && rows - i >= 8 && load<std::uint8_t>(bits, at / 8) == 0xFF) {
                i += 7;
            } else if (!bit(bits, at)) {
                f(i);
            }
        }
    }
};

Bitmap validity(const ArrowArray& array, std::int64_t skip = 0) {
    if (array.null_count == 0) return {};
    const void* bits = array.buffers[0];
    if (bits == nullptr && array.null_count > 0) throw malformed("nulls without a bitmap");
    return {bits, array.offset + skip};
}

// That `rows` rows can be read without leaving what the producer promised.
void check(const ArrowArray& array, std::string_view format, std::int64_t rows) {
    if (array.release == nullptr) throw malformed("an array that was released");
    if (array.length < 0 || array.offset < 0 ||
        array.length > std::numeric_limits<std::int64_t>::max() - array.offset) {
        throw malformed("a negative length or offset");
    }
    if (array.length < rows) throw malformed("a column shorter than its frame");
    if (format == "n") return;
    const std::int64_t n_buffers = format == "+s" ? 1 : is_number(format) ? 2 : 3;
    if (array.n_buffers < n_buffers || array.buffers == nullptr) throw malformed("too few buffers");
    if (n_buffers > 1 && rows > 0 && array.buffers[1] == nullptr) throw malformed("no values");
}

// The rows of one column in one chunk.
struct Piece {
    const ArrowArray* array;
    std::int64_t first;  // place of the first row in the array's buffers
    std::int64_t rows;
    Bitmap valid;
    Bitmap outer;  // a null row of the frame is null in every column

    [[nodiscard]] bool present(std::int64_t i) const noexcept { return valid[i] && outer[i]; }
};

Piece piece_of(const ArrowArray& chunk, std::int64_t column, std::string_view format) {
    if (chunk.children[column] == nullptr) throw malformed("a column without data");
    const ArrowArray& array = *chunk.children[column];
    check(array, format, chunk.offset + chunk.length);
    const Bitmap valid = format == "n" ? Bitmap{} : validity(array, chunk.offset);
    return {&array, array.offset + chunk.offset, chunk.length, valid, validity(chunk)};
}

// A category to look up: a string, or the bits of a number in `head`. The first
// and last bytes of a string are at hand, and up to 16 bytes they and the length
// are all of it, which spares every row two calls to compare and one to hash.
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

// Numbers distinct keys in order of first appearance, by open addressing in a
// table that is at most half full. Text points into the Arrow buffers.
class Vocabulary {
public:
    std::int32_t code(const Key& key) {
        // Values often come in runs.
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

// A category that is a number, or nothing for NaN, which is missing. Within a
// column all are of one type, so that equal bits are equal values.
std::optional<Key> number_key(std::string_view format, const ArrowArray& values, std::int64_t i) {
    std::optional<Key> key;
    with_number_type(format[0], [&]<class T>() {
        const T value = value_at<T>(values.buffers[1], i);
        if constexpr (std::is_integral_v<T>) {
            key = Key(static_cast<std::uint64_t>(value));
        } else if (const auto number = static_cast<double>(value); !std::isnan(number)) {
            key = Key(std::bit_cast<std::uint64_t>(number + 0.0));  // -0.0 is 0.0
        }
    });
    return key;
}

Value value_of(std::string_view format, const Key& key) {
    if (is_text(format)) return std::string(key.text);
    if (format == "b") return key.head != 0;
    if (is_one_of(format, "csil")) return static_cast<std::int64_t>(key.head);
    if (is_one_of(format, "CSIL")) return key.head;
    return std::bit_cast<double>(key.head);
}

using Pieces = std::vector<Piece>;

void read_numbers(const Pieces& pieces, std::string_view format, double* out) {
    for (const Piece& piece : pieces) {
        with_number_type(format[0], [&]<class T>() {
            for (std::int64_t i = 0; i < piece.rows; ++i) {
                out[i] = static_cast<double>(value_at<T>(piece.array->buffers[1], piece.first + i));
            }
        });
        const auto forget = [&](std::int64_t i) { out[i] = nan; };
        piece.valid.for_each_null(piece.rows, forget);
        piece.outer.for_each_null(piece.rows, forget);
        out += piece.rows;
    }
}

void read_strings(const Pieces& pieces, std::string_view format, Vocabulary& words,
                  std::int32_t* out) {
    for (const Piece& piece : pieces) {
        with_strings(format, *piece.array, [&](const auto& strings) {
            for (std::int64_t i = 0; i < piece.rows; ++i) {
                out[i] = piece.present(i) ? words.code(Key(strings[piece.first + i])) : missing;
            }
        });
        out += piece.rows;
    }
}

// `code_of(dictionary, i)` is asked once for each value that occurs in a chunk,
// in the order of the rows, whatever the order of the producer's dictionary.
template <class CodeOf>
void follow_indices(const Piece& piece, const ArrowSchema& field, CodeOf code_of,
                    std::int32_t* out) {
    constexpr std::int32_t unseen = -2;
    if (piece.array->dictionary == nullptr) throw malformed("indices without a dictionary");
    const ArrowArray& dictionary = *piece.array->dictionary;
    const std::string_view values = format_of(*field.dictionary);
    check(dictionary, values, dictionary.length);
    const Bitmap known = values == "n" ? Bitmap{} : validity(dictionary);
    std::vector<std::int32_t> codes(static_cast<std::size_t>(dictionary.length), unseen);
    with_number_type(field.format[0], [&]<class Index>() {
        if constexpr (std::is_integral_v<Index> && !std::is_same_v<Index, bool>) {
            for (std::int64_t i = 0; i < piece.rows; ++i) {
                out[i] = missing;
                if (!piece.present(i)) continue;
                const auto index = load<Index>(piece.array->buffers[1], piece.first + i);
                if (std::cmp_less(index, 0) || std::cmp_greater_equal(index, codes.size())) {
                    throw malformed("an index outside its dictionary");
                }
                const auto at = static_cast<std::int64_t>(index);
                std::int32_t& code = codes[static_cast<std::size_t>(index)];
                if (code == unseen) {
                    code = known[at] ? code_of(dictionary, dictionary.offset + at) : missing;
                }
                out[i] = code;
            }
        }
    });
}

void read_dictionary(const Pieces& pieces, const ArrowSchema& field, Vocabulary& words,
                     std::int32_t* out) {
    const std::string_view format = format_of(*field.dictionary);
    const auto code_of = [&](const ArrowArray& dictionary, std::int64_t i) {
        std::int32_t code = missing;
        if (is_text(format)) {
            with_strings(format, dictionary,
                         [&](const auto& strings) { code = words.code(Key(strings[i])); });
        } else if (is_number(format)) {
            if (const auto key = number_key(format, dictionary, i)) code = words.code(*key);
        }
        return code;
    };
    for (const Piece& piece : pieces) {
        follow_indices(piece, field, code_of, out);
        out += piece.rows;
    }
}

// Fresh memory is most of the cost of a large column: 80 MB take 50 ms in pages
// of 4 kB and 13 ms in large ones, which Linux gives where it is asked.
template <class T>
std::unique_ptr<T[]> new_array(std::size_t rows) {
    auto data = std::make_unique_for_overwrite<T[]>(rows);
#ifdef __linux__
    constexpr std::size_t page = 4096;
    if (const std::size_t bytes = rows * sizeof(T); bytes >= std::size_t{4} << 20) {
        const std::size_t skip = -reinterpret_cast<std::uintptr_t>(data.get()) % page;
        // Only advice: where it is refused the pages are small.
        (void)madvise(reinterpret_cast<char*>(data.get()) + skip, bytes - skip, MADV_HUGEPAGE);
    }
#endif
    return data;
}

Column read_column(const ArrowSchema& field, const Pieces& pieces, std::size_t rows) {
    Column column{.name = name_of(field), .kind = kind_of(field), .rows = rows};
    if (column.kind == Kind::categorical) {
        Vocabulary words;
        column.codes = new_array<std::int32_t>(rows);
        const bool plain = field.dictionary == nullptr;
        if (plain) {
            read_strings(pieces, format_of(field), words, column.codes.get());
        } else {
            read_dictionary(pieces, field, words, column.codes.get());
        }
        const std::string_view format = format_of(plain ? field : *field.dictionary);
        for (const Key& key : words.keys()) column.values.push_back(value_of(format, key));
        return column;
    }
    column.numbers = new_array<double>(rows);
    if (column.kind == Kind::numeric) {
        read_numbers(pieces, format_of(field), column.numbers.get());
    } else {
        std::fill_n(column.numbers.get(), rows, nan);
    }
    return column;
}

template <class F>
auto naming_the_column(const ArrowSchema& field, F&& f) {
    try {
        return f();
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("column '" + name_of(field) + "': " + error.what());
    }
}

// Before any data is asked for: a stream may be long.
void check_schema(const ArrowSchema& schema) {
    if (format_of(schema) != "+s" || schema.dictionary != nullptr) {
        throw std::invalid_argument("a frame with named columns is needed, got a single column");
    }
    if (schema.n_children < 0 || (schema.n_children > 0 && schema.children == nullptr)) {
        throw malformed("a frame without its columns");
    }
    for (std::int64_t c = 0; c < schema.n_children; ++c) {
        if (schema.children[c] == nullptr) throw malformed("a column without a type");
        naming_the_column(*schema.children[c], [&] { return kind_of(*schema.children[c]); });
    }
}

// All chunks are held while they are read: in a table they are in memory anyway,
// and so each column is allocated once and its words need no copy.
std::vector<Column> read_chunks(const ArrowSchema& schema,
                                const std::vector<Owned<ArrowArray>>& chunks) {
    std::size_t rows = 0;
    for (const Owned<ArrowArray>& chunk : chunks) {
        check(*chunk, "+s", 0);
        if (chunk->n_children != schema.n_children ||
            (schema.n_children > 0 && chunk->children == nullptr)) {
            throw malformed("a batch whose columns are not those of its schema");
        }
        rows += static_cast<std::size_t>(chunk->length);
    }
    std::vector<Column> columns;
    for (std::int64_t c = 0; c < schema.n_children; ++c) {
        const ArrowSchema& field = *schema.children[c];
        columns.push_back(naming_the_column(field, [&] {
            Pieces pieces;
            pieces.reserve(chunks.size());
            for (const auto& chunk : chunks) {
                pieces.push_back(piece_of(*chunk, c, format_of(field)));
            }
            return read_column(field, pieces, rows);
        }));
    }
    return columns;
}

void succeed(Owned<ArrowArrayStream>& stream, int status) {
    if (status == 0) return;
    const char* reason = stream->get_last_error(stream.get());
    throw std::runtime_error(std::string("the frame's Arrow stream failed: ") +
                             (reason != nullptr ? reason : std::strerror(status)));
}

}  // namespace

std::vector<Column> read(Owned<ArrowArrayStream> stream) {
    if (!stream) throw std::invalid_argument("an Arrow stream can be read only once");
    Owned<ArrowSchema> schema;
    succeed(stream, stream->get_schema(stream.get(), schema.get()));
    check_schema(*schema);
    std::vector<Owned<ArrowArray>> chunks;
    while (true) {
        Owned<ArrowArray> chunk;
        succeed(stream, stream->get_next(stream.get(), chunk.get()));
        if (!chunk) break;
        chunks.push_back(std::move(chunk));
    }
    return read_chunks(*schema, chunks);
}

std::vector<Column> read(Owned<ArrowSchema> schema, Owned<ArrowArray> batch) {
    if (!schema || !batch) throw std::invalid_argument("an Arrow array can be read only once");
    check_schema(*schema);
    std::vector<Owned<ArrowArray>> chunks;
    chunks.push_back(std::move(batch));
    return read_chunks(*schema, chunks);
}

}  // namespace riparian::arrow
