#include "common/json.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace sworn {
namespace {

constexpr std::size_t depth_max = 32;
constexpr std::size_t indent = 2;
constexpr std::string_view hex_digits = "0123456789abcdef";

void print(std::string& out, const boost::json::value& value, std::size_t depth);

void new_line(std::string& out, std::size_t depth) {
    out += '\n';
    out.append(depth * indent, ' ');
}

void print(std::string& out, const boost::json::array& array, std::size_t depth) {
    std::string_view between;
    out += '[';
    for (const boost::json::value& element : array) {
        out += between;
        new_line(out, depth + 1);
        print(out, element, depth + 1);
        between = ",";
    }
    new_line(out, depth);
    out += ']';
}

void print(std::string& out, const boost::json::object& object, std::size_t depth) {
    std::string_view between;
    out += '{';
    for (const auto& [key, value] : object) {
        out += between;
        new_line(out, depth + 1);
        out += boost::json::serialize(key) + ": ";
        print(out, value, depth + 1);
        between = ",";
    }
    new_line(out, depth);
    out += '}';
}

/// Recursion ends at depth_max; what is deeper, and what is empty, stays on one line.
void print(std::string& out, const boost::json::value& value, std::size_t depth) {
    const auto* const array = value.if_array();
    const auto* const object = value.if_object();
    if (depth < depth_max && array != nullptr && !array->empty()) return print(out, *array, depth);
    if (depth < depth_max && object != nullptr && !object->empty()) {
        return print(out, *object, depth);
    }
    out += boost::json::serialize(value);
}

}  // namespace

std::optional<boost::json::value> parse_json(std::string_view text) noexcept {
    boost::json::parse_options options;
    options.max_depth = depth_max;
    boost::system::error_code fault;
    auto value = boost::json::parse(text, fault, {}, options);
    if (fault) return std::nullopt;
    return value;
}

const boost::json::value* json_pointer(const boost::json::value& root,
                                       std::string_view pointer) noexcept {
    boost::system::error_code fault;
    const boost::json::value* const found = root.find_pointer(pointer, fault);
    return fault ? nullptr : found;
}

std::optional<std::string> json_pointer_text(const boost::json::value& root,
                                             std::string_view pointer) {
    const boost::json::value* const found = json_pointer(root, pointer);
    if (found == nullptr || found->is_null()) return std::nullopt;
    if (found->is_array() || found->is_object()) return std::nullopt;
    if (const auto* const text = found->if_string()) return std::string{*text};
    return boost::json::serialize(*found);
}

std::string to_pretty(const boost::json::value& value) {
    std::string out;
    print(out, value, 0);
    out += '\n';
    return out;
}

std::string printable(std::string_view bytes, std::size_t bytes_max) {
    std::string text;
    for (const char c : bytes.substr(0, bytes_max)) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\') {
            text += "\\\\";
        } else if (byte >= 0x20 && byte < 0x7f) {
            text += c;
        } else {
            text += {'\\', 'x', hex_digits[byte >> 4U], hex_digits[byte & 0x0fU]};
        }
    }
    if (bytes.size() > bytes_max) text += "…";
    return text;
}

}  // namespace sworn
