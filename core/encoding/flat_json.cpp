#include "flat_json.hpp"

#include <algorithm>
#include <cstring>

namespace riparian {

namespace {

// A place in the lines. No function reads behind the last line end, at which all of them stop.
class Scanner {
public:
    Scanner(const char* at, char* out) : at_(at), out_(out) {}

    [[nodiscard]] const char* at() const noexcept { return at_; }
    [[nodiscard]] char* out() const noexcept { return out_; }

    void put(char c) noexcept { *out_++ = c; }

    void skip_spaces() noexcept {
        while (*at_ == ' ' || *at_ == '\t') ++at_;
    }

    bool skip(char c) noexcept {
        if (*at_ != c) return false;
        ++at_;
        return true;
    }

    bool skip_key(const std::string& key, const char* end) noexcept {
        if (!skip('"') || static_cast<std::size_t>(end - at_) <= key.size() ||
            std::memcmp(at_, key.data(), key.size()) != 0) {
            return false;
        }
        at_ += key.size();
        return skip('"');
    }

    // A value behind its key; it is copied unless it is left out.
    bool skip_value(CellKind kind) noexcept {
        const char* const begin = at_;
        if (*at_ == '"' ? kind == CellKind::number : kind == CellKind::text) return false;
        if (*at_ == '"') return skip_text(kind == CellKind::text);
        if (*at_ == 'n') return skip('n') && skip('u') && skip('l') && skip('l');
        if (!skip_number()) return false;
        if (kind == CellKind::number) out_ = std::copy(begin, at_, out_);
        return true;
    }

private:
    const char* at_;
    char* out_;

    bool skip_digits() noexcept {
        const char* const begin = at_;
        while (*at_ >= '0' && *at_ <= '9') ++at_;
        return at_ != begin;
    }

    bool skip_number() noexcept {
        skip('-');
        if (!skip('0') && !skip_digits()) return false;
        if (skip('.') && !skip_digits()) return false;
        if (*at_ == 'e' || *at_ == 'E') {
            ++at_;
            if (*at_ == '+' || *at_ == '-') ++at_;
            if (!skip_digits()) return false;
        }
        return true;
    }

    bool skip_text(bool copied) noexcept {
        const char* const begin = ++at_;
        // A reader of tables takes these bytes at its beginning for a mark of the encoding.
        if (*at_ == '\xef') return false;
        while (*at_ != '"') {
            if (*at_ == '\\' || static_cast<unsigned char>(*at_) < 0x20) return false;
            ++at_;
        }
        if (copied) out_ = std::copy(begin, at_, out_);
        ++at_;
        return true;
    }
};

bool lay_out_line(Scanner& scan, const std::vector<Cell>& cells, const char* end) noexcept {
    if (!scan.skip('{')) return false;
    bool is_first_cell = true;
    for (const Cell& cell : cells) {
        if (&cell != &cells.front() && !scan.skip(',')) return false;
        scan.skip_spaces();
        if (!scan.skip_key(cell.key, end)) return false;
        scan.skip_spaces();
        if (!scan.skip(':')) return false;
        scan.skip_spaces();
        if (cell.kind != CellKind::left_out) {
            if (!is_first_cell) scan.put(cell_separator);
            is_first_cell = false;
        }
        if (!scan.skip_value(cell.kind)) return false;
        scan.skip_spaces();
    }
    if (!scan.skip('}')) return false;
    scan.skip_spaces();
    scan.skip('\r');
    scan.put('\n');
    return scan.skip('\n');
}

}  // namespace

std::optional<std::size_t> lay_out(std::string_view lines, const std::vector<Cell>& cells,
                                   char* out) {
    if (lines.empty() || lines.back() != '\n') return std::nullopt;
    const char* const end = lines.data() + lines.size();
    Scanner scan(lines.data(), out);
    while (scan.at() != end) {
        if (!lay_out_line(scan, cells, end)) return std::nullopt;
    }
    return static_cast<std::size_t>(scan.out() - out);
}

}  // namespace riparian
