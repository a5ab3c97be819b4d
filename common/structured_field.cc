// Alphabets and the serialiser (RFC 9651 sections 3 and 4.1).
#include "common/structured_field.h"

#include <algorithm>
#include <cstdlib>

#include "common/structured_field_alphabet.h"
#include "common/utf8.h"

namespace sworn::sf {
namespace {

constexpr std::int64_t number_max = 999'999'999'999'999;
constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string encode_base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto byte = k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U;
            group = group << 8U | byte;
        }
        for (std::size_t k = 0; k < 4; ++k) {
            text += k <= count ? base64_digits[group >> (18 - 6 * k) & 63U] : '=';
        }
    }
    return text;
}

/// One overload per type; false where the value is outside of the type.
struct Writer {
    std::string& out;

    bool operator()(std::int64_t value) const {
        if (value < -number_max || value > number_max) return false;
        out += std::to_string(value);
        return true;
    }

    bool operator()(Decimal value) const {
        if (value.thousandths < -number_max || value.thousandths > number_max) return false;
        const std::int64_t size = std::abs(value.thousandths);
        if (value.thousandths < 0) out += '-';
        out += std::to_string(size / 1000) + '.';
        std::string fraction = std::to_string(1000 + size % 1000).substr(1);
        while (fraction.size() > 1 && fraction.back() == '0')
            fraction.pop_back();
        out += fraction;
        return true;
    }

    bool operator()(const std::string& value) const {
        if (!is_string(value)) return false;
        out += '"';
        for (const char c : value) {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
        out += '"';
        return true;
    }

    bool operator()(const Token& value) const {
        if (!is_token(value.value)) return false;
        out += value.value;
        return true;
    }

    bool operator()(const ByteSequence& value) const {
        out += ':' + encode_base64(value.bytes) + ':';
        return true;
    }

    bool operator()(bool value) const {
        out += value ? "?1" : "?0";
        return true;
    }

    bool operator()(Date value) const {
        out += '@';
        return (*this)(value.seconds);
    }

    bool operator()(const DisplayString& value) const {
        if (!is_utf8(value.utf8)) return false;
        out += "%\"";
        for (const char c : value.utf8) {
            const auto byte = static_cast<unsigned char>(c);
            if (is_printable(c) && c != '%' && c != '"') {
                out += c;
            } else {
                out += {'%', hex_digits[byte >> 4U], hex_digits[byte & 0x0fU]};
            }
        }
        out += '"';
        return true;
    }
};

bool write_parameters(std::string& out, const Parameters& parameters) {
    for (const auto& entry : parameters) {
        const auto& [key, value] = entry;
        // find() gives the first of a repeated key.
        if (!is_key(key) || find(parameters, key) != &value) return false;
        out += ';' + key;
        const bool* const truth = std::get_if<bool>(&value);
        if (truth != nullptr && *truth) continue;  // True is said by the key alone.
        out += '=';
        if (!std::visit(Writer{out}, value)) return false;
    }
    return true;
}

bool write(std::string& out, const Item& item) {
    return std::visit(Writer{out}, item.value) && write_parameters(out, item.parameters);
}

bool write(std::string& out, const InnerList& list) {
    out += '(';
    std::string_view between;
    for (const Item& item : list.items) {
        out += between;
        if (!write(out, item)) return false;
        between = " ";
    }
    out += ')';
    return write_parameters(out, list.parameters);
}

}  // namespace

bool is_token(std::string_view text) noexcept {
    if (text.empty() || !starts_token(text.front())) return false;
    return std::all_of(text.begin(), text.end(), is_token_char);
}

bool is_key(std::string_view text) noexcept {
    if (text.empty() || !starts_key(text.front())) return false;
    return std::all_of(text.begin(), text.end(), is_key_char);
}

bool is_string(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), is_printable);
}

const BareItem* find(const Parameters& parameters, std::string_view key) noexcept {
    for (const auto& [name, value] : parameters) {
        if (name == key) return &value;
    }
    return nullptr;
}

std::optional<std::string> serialize(const BareItem& value) {
    std::string out;
    if (!std::visit(Writer{out}, value)) return std::nullopt;
    return out;
}

std::optional<std::string> serialize(const Item& item) {
    std::string out;
    if (!write(out, item)) return std::nullopt;
    return out;
}

std::optional<std::string> serialize(const List& list) {
    std::string out;
    for (const Member& member : list) {
        if (!out.empty()) out += ", ";
        const auto write_member = [&out](const auto& held) { return write(out, held); };
        if (!std::visit(write_member, member)) return std::nullopt;
    }
    return out;
}

}  // namespace sworn::sf
