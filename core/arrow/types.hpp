// Which Arrow types can be learned, and the error messages for the others.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "abi.hpp"
#include "columns.hpp"

namespace riparian::arrow {

inline constexpr std::int32_t missing = -1;
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline std::invalid_argument malformed(const std::string& what) {
    return std::invalid_argument("malformed Arrow data, " + what +
                                 "; this is an error in the library that made the frame");
}

struct Refused {
    std::string_view format;  // how the format code begins
    std::string_view what;
    std::string_view instead;
};

// A longer code comes before a shorter one that it begins with.
inline constexpr Refused refused[] = {
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

inline std::invalid_argument unlearnable(std::string_view format) {
    for (const Refused& type : refused) {
        if (format.starts_with(type.format)) {
            return std::invalid_argument(std::string(type.what) + " cannot be learned; " +
                                         std::string(type.instead));
        }
    }
    return std::invalid_argument("values of Arrow type '" + std::string(format) +
                                 "' cannot be learned; convert it to numbers or strings");
}

inline bool is_one_of(std::string_view format, std::string_view codes) {
    return format.size() == 1 && codes.find(format[0]) != std::string_view::npos;
}

inline bool is_number(std::string_view format) { return is_one_of(format, "bcsilCSILefg"); }
inline bool is_text(std::string_view format) {
    return format == "u" || format == "U" || format == "vu";
}

inline std::string name_of(const ArrowSchema& field) {
    return field.name == nullptr ? "" : field.name;
}

inline std::string_view format_of(const ArrowSchema& field) {
    if (field.format == nullptr) throw malformed("a type has no format");
    return field.format;
}

inline Kind kind_of(const ArrowSchema& field) {
    const std::string_view format = format_of(field);
    if (field.dictionary != nullptr) {
        const std::string_view values = format_of(*field.dictionary);
        if (!is_one_of(format, "csilCSIL")) throw malformed("a dictionary has no integer indices");
        if (field.dictionary->dictionary != nullptr) throw malformed("nested dictionaries");
        if (!is_number(values) && !is_text(values) && values != "n") throw unlearnable(values);
        return Kind::categorical;
    }
    if (is_number(format)) return Kind::numeric;
    if (is_text(format)) return Kind::categorical;
    if (format == "n") return Kind::unknown;
    throw unlearnable(format);
}

}  // namespace riparian::arrow
