#include "columns.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "vocabulary.hpp"

namespace riparian::arrow {
namespace {

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

// `code_of(dictionary, i)` is called once for each value that occurs in a chunk, in the order of
// the rows. The order of the producer's dictionary does not matter.
template <class CodeOf>
void follow_indices(const Piece& piece, const ArrowSchema& field, CodeOf code_of,
                    std::int32_t* out) {
    constexpr std::int32_t unseen = -2;
    if (piece.array->dictionary == nullptr) throw malformed("there are indices but no dictionary");
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
                    throw malformed("an index is outside its dictionary");
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

// Most of the cost of a large column is new memory: 80 MB take 50 ms in pages of 4 kB and 13 ms in
// large pages, which Linux provides on request.
template <class T>
std::unique_ptr<T[]> new_array(std::size_t rows) {
    auto data = std::make_unique_for_overwrite<T[]>(rows);
#ifdef __linux__
    constexpr std::size_t page = 4096;
    if (const std::size_t bytes = rows * sizeof(T); bytes >= std::size_t{4} << 20) {
        const std::size_t skip = -reinterpret_cast<std::uintptr_t>(data.get()) % page;
        // This is only advice; if it is refused, the pages are small.
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

// Called before any data is requested, because a stream may be long.
void check_schema(const ArrowSchema& schema) {
    if (format_of(schema) != "+s" || schema.dictionary != nullptr) {
        throw std::invalid_argument("a frame with named columns is needed, got a single column");
    }
    if (schema.n_children < 0 || (schema.n_children > 0 && schema.children == nullptr)) {
        throw malformed("a frame has no columns");
    }
    for (std::int64_t c = 0; c < schema.n_children; ++c) {
        if (schema.children[c] == nullptr) throw malformed("a column has no type");
        naming_the_column(*schema.children[c], [&] { return kind_of(*schema.children[c]); });
    }
}

// All chunks are held while they are read. In a table they are in memory anyway. Each column is
// then allocated once and its strings need no copy.
std::vector<Column> read_chunks(const ArrowSchema& schema,
                                const std::vector<Owned<ArrowArray>>& chunks) {
    std::size_t rows = 0;
    for (const Owned<ArrowArray>& chunk : chunks) {
        check(*chunk, "+s", 0);
        if (chunk->n_children != schema.n_children ||
            (schema.n_children > 0 && chunk->children == nullptr)) {
            throw malformed("the columns of a batch differ from its schema");
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

// A message of another library, with a question mark for each byte that is not ASCII. A message
// that is not valid UTF-8 could not be shown at all.
std::string shown(const char* text) {
    std::string out(text);
    for (char& c : out) {
        if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    }
    return out;
}

void succeed(Owned<ArrowArrayStream>& stream, int status) {
    if (status == 0) return;
    const char* reason = stream->get_last_error(stream.get());
    throw std::runtime_error("the frame's Arrow stream failed: " +
                             shown(reason != nullptr ? reason : std::strerror(status)));
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
