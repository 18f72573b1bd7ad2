#include "labelled_rows.hpp"

#include <cstring>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace riparian {

namespace {

// More digits than these could be an infinite double, or an integer that needs more than 64 bits.
constexpr std::ptrdiff_t most_digits = 18;
constexpr std::ptrdiff_t most_exponent_digits = 2;

// A place in a text with a zero behind its end, at which every function stops.
class Scanner {
public:
    Scanner(const char* at, bool lines) : at_(at), lines_(lines) {}

    [[nodiscard]] const char* at() const noexcept { return at_; }

    void skip_spaces() noexcept {
        while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || (*at_ == '\n' && !lines_)) ++at_;
    }

    // A character with the spaces around it.
    bool skip(char c) noexcept {
        skip_spaces();
        if (*at_ != c) return false;
        ++at_;
        skip_spaces();
        return true;
    }

    // A word between quotes.
    bool skip_name(std::string_view name) noexcept {
        if (std::strncmp(at_, name.data(), name.size()) != 0) return false;
        at_ += name.size();
        return true;
    }

    bool skip_text() noexcept {
        if (*at_ != '"') return false;
        ++at_;
        while (*at_ != '"') {
            if (*at_ == '\\' || static_cast<unsigned char>(*at_) < 0x20) return false;
            ++at_;
        }
        ++at_;
        return true;
    }

    bool skip_value() noexcept {
        switch (*at_) {
            case '"': return skip_text();
            case 'n': return skip_name("null");
            case 't': return skip_name("true");
            case 'f': return skip_name("false");
            default: return skip_number();
        }
    }

    // A text, a whole number or a truth value.
    bool skip_label() noexcept {
        if (*at_ == 'n') return false;
        const char* const begin = at_;
        if (!skip_value()) return false;
        if (*begin == '"' || *begin == 't' || *begin == 'f') return true;
        for (const char* c = begin; c != at_; ++c) {
            if (*c == '.' || *c == 'e' || *c == 'E') return false;
        }
        return true;
    }

private:
    const char* at_;
    bool lines_;

    std::ptrdiff_t skip_digits() noexcept {
        const char* const begin = at_;
        while (*at_ >= '0' && *at_ <= '9') ++at_;
        return at_ - begin;
    }

    bool skip_number() noexcept {
        if (*at_ == '-') ++at_;
        const bool zero = *at_ == '0';
        const std::ptrdiff_t digits = skip_digits();
        if (digits == 0 || digits > most_digits || (zero && digits > 1)) return false;
        if (*at_ == '.') {
            ++at_;
            if (skip_digits() == 0) return false;
        }
        if (*at_ == 'e' || *at_ == 'E') {
            ++at_;
            if (*at_ == '+' || *at_ == '-') ++at_;
            const std::ptrdiff_t exponent = skip_digits();
            if (exponent == 0 || exponent > most_exponent_digits) return false;
        }
        return true;
    }
};

class Splitter {
public:
    Splitter(const char* text, std::size_t size, bool lines) : scan_(text, lines) {
        found_.features.reserve(size);
    }

    [[nodiscard]] Scanner& scan() noexcept { return scan_; }
    LabelledRows take() noexcept { return std::move(found_); }

    bool split_row() {
        if (!scan_.skip('{')) return false;
        bool features = false;
        bool label = false;
        while (!features || !label) {
            if ((features || label) && !scan_.skip(',')) return false;
            if (!features && scan_.skip_name("\"features\"")) {
                features = scan_.skip(':') && copy_features();
                if (!features) return false;
            } else if (!label && scan_.skip_name("\"label\"")) {
                label = scan_.skip(':') && read_label();
                if (!label) return false;
            } else {
                return false;
            }
        }
        return scan_.skip('}');
    }

private:
    Scanner scan_;
    LabelledRows found_;
    std::unordered_map<std::string, std::uint32_t> codes_;
    std::string_view last_label_;
    std::uint32_t last_code_ = 0;

    void copy(const char* begin) { found_.features.append(begin, scan_.at()); }

    bool copy_features() {
        if (!scan_.skip('{')) return false;
        char before = '{';
        do {
            found_.features += before;
            const char* begin = scan_.at();
            if (!scan_.skip_text()) return false;
            copy(begin);
            if (!scan_.skip(':')) return false;
            found_.features += ':';
            begin = scan_.at();
            if (!scan_.skip_value()) return false;
            copy(begin);
            before = ',';
        } while (scan_.skip(','));
        if (!scan_.skip('}')) return false;
        found_.features += "}\n";
        found_.ends.push_back(found_.features.size());
        return true;
    }

    bool read_label() {
        const char* const begin = scan_.at();
        if (!scan_.skip_label()) return false;
        const std::string_view label(begin, static_cast<std::size_t>(scan_.at() - begin));
        if (found_.codes.empty() || label != last_label_) {
            const auto next = static_cast<std::uint32_t>(found_.labels.size());
            const auto [place, is_new] = codes_.try_emplace(std::string(label), next);
            if (is_new) found_.labels.emplace_back(label);
            last_label_ = label;
            last_code_ = place->second;
        }
        found_.codes.push_back(last_code_);
        return true;
    }
};

bool split_object(Splitter& rows) {
    Scanner& scan = rows.scan();
    if (!scan.skip('{') || !scan.skip_name("\"rows\"") || !scan.skip(':') || !scan.skip('[')) {
        return false;
    }
    do {
        if (!rows.split_row()) return false;
    } while (scan.skip(','));
    return scan.skip(']') && scan.skip('}');
}

bool split_lines(Splitter& rows, const char* end) {
    Scanner& scan = rows.scan();
    while (scan.at() != end) {
        if (!rows.split_row()) return false;
        if (scan.at() != end && !scan.skip_name("\n")) return false;
    }
    return true;
}

}  // namespace

std::optional<LabelledRows> split_labelled(const char* text, std::size_t size, RowsIn where) {
    const bool lines = where == RowsIn::lines;
    Splitter rows(text, size, lines);
    const char* const end = text + size;
    const bool split = lines ? split_lines(rows, end) : split_object(rows);
    if (!split || rows.scan().at() != end) return std::nullopt;
    return rows.take();
}

}  // namespace riparian
