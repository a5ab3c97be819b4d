// The parser (RFC 9651 section 4.2). It reads from the front and never goes back; each function
// gives nothing at its first fault, and then the whole value is nothing.
#include <algorithm>

#include "common/structured_field.h"
#include "common/structured_field_alphabet.h"
#include "common/utf8.h"

namespace sworn::sf {
namespace {

constexpr std::size_t integer_digits_max = 15;
constexpr std::size_t decimal_integer_digits_max = 12;
constexpr std::size_t decimal_fraction_digits_max = 3;

/// The value of a digit of base64, or -1.
int base64_value(char c) noexcept {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
}

/// Padding is right or not there at all; both are read (section 4.2.7).
std::optional<std::string> decode_base64(std::string_view text) {
    const std::size_t padded_size = text.size();
    while (!text.empty() && text.back() == '=')
        text.remove_suffix(1);
    const bool padded = padded_size != text.size();
    if (padded && (padded_size % 4 != 0 || padded_size - text.size() > 2)) return std::nullopt;
    if (text.size() % 4 == 1) return std::nullopt;
    std::string bytes;
    std::uint32_t held = 0;
    unsigned held_bits = 0;
    for (const char c : text) {
        const int value = base64_value(c);
        if (value < 0) return std::nullopt;
        held = (held << 6U | static_cast<std::uint32_t>(value)) & 0xffffU;
        held_bits += 6;
        if (held_bits < 8) continue;
        held_bits -= 8;
        bytes += static_cast<char>(held >> held_bits & 0xffU);
    }
    return bytes;
}

/// The value of a lower-case hex digit, or -1.
int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

class Parser {
public:
    explicit Parser(std::string_view text) noexcept : rest_{text} {}

    [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
    void skip_spaces() noexcept { skip_all(" "); }

    std::optional<List> list() {
        List list;
        while (!at_end()) {
            if (list.size() == members_max) return std::nullopt;
            auto next = member();
            if (!next) return std::nullopt;
            list.push_back(std::move(*next));
            skip_all(" \t");
            if (at_end()) return list;
            if (!skip(',')) return std::nullopt;
            skip_all(" \t");
            if (at_end()) return std::nullopt;  // A comma promises a member.
        }
        return list;
    }

    std::optional<Item> item() {
        auto value = bare_item();
        if (!value) return std::nullopt;
        auto parameters = this->parameters();
        if (!parameters) return std::nullopt;
        return Item{std::move(*value), std::move(*parameters)};
    }

private:
    [[nodiscard]] bool next_is(char c) const noexcept {
        return !rest_.empty() && rest_.front() == c;
    }

    bool skip(char c) noexcept {
        if (!next_is(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    void skip_all(std::string_view set) noexcept {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(set), rest_.size()));
    }

    char take() noexcept {
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    std::string_view take_while(bool (*accepts)(char) noexcept) noexcept {
        const auto end = std::find_if_not(rest_.begin(), rest_.end(), accepts);
        const std::string_view taken =
            rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
        rest_.remove_prefix(taken.size());
        return taken;
    }

    std::optional<Member> member() {
        if (next_is('(')) {
            auto inner = inner_list();
            if (!inner) return std::nullopt;
            return Member{std::move(*inner)};
        }
        auto single = item();
        if (!single) return std::nullopt;
        return Member{std::move(*single)};
    }

    std::optional<InnerList> inner_list() {
        InnerList list;
        rest_.remove_prefix(1);
        for (;;) {
            skip_spaces();
            if (skip(')')) break;
            if (list.items.size() == members_max) return std::nullopt;
            auto next = item();
            if (!next) return std::nullopt;
            list.items.push_back(std::move(*next));
            if (!next_is(' ') && !next_is(')')) return std::nullopt;
        }
        auto parameters = this->parameters();
        if (!parameters) return std::nullopt;
        list.parameters = std::move(*parameters);
        return list;
    }

    std::optional<Parameters> parameters() {
        Parameters parameters;
        while (skip(';')) {
            skip_spaces();
            if (at_end() || !starts_key(rest_.front())) return std::nullopt;
            std::string key{take_while(is_key_char)};
            BareItem value{true};
            if (skip('=')) {
                auto given = bare_item();
                if (!given) return std::nullopt;
                value = std::move(*given);
            }
            const auto same = std::find_if(parameters.begin(), parameters.end(),
                                           [&key](const auto& held) { return held.first == key; });
            if (same != parameters.end()) {
                same->second = std::move(value);
                continue;
            }
            if (parameters.size() == parameters_max) return std::nullopt;
            parameters.emplace_back(std::move(key), std::move(value));
        }
        return parameters;
    }

    std::optional<BareItem> bare_item() {
        if (at_end()) return std::nullopt;
        const char first = rest_.front();
        if (first == '-' || is_digit(first)) return number();
        if (first == '"') return string();
        if (starts_token(first)) return Token{std::string{take_while(is_token_char)}};
        if (first == ':') return byte_sequence();
        if (first == '?') return boolean();
        if (first == '@') return date();
        if (first == '%') return display_string();
        return std::nullopt;
    }

    std::optional<BareItem> number() {
        const std::int64_t sign = skip('-') ? -1 : 1;
        const std::string_view whole = take_while(is_digit);
        if (whole.empty() || whole.size() > integer_digits_max) return std::nullopt;
        if (!skip('.')) return sign * digits_value(whole);
        const std::string_view fraction = take_while(is_digit);
        if (whole.size() > decimal_integer_digits_max) return std::nullopt;
        if (fraction.empty() || fraction.size() > decimal_fraction_digits_max) return std::nullopt;
        std::int64_t thousandths = digits_value(fraction);
        for (std::size_t i = fraction.size(); i < decimal_fraction_digits_max; ++i) {
            thousandths *= 10;
        }
        return Decimal{sign * (digits_value(whole) * 1000 + thousandths)};
    }

    static std::int64_t digits_value(std::string_view digits) noexcept {
        std::int64_t value = 0;
        for (const char digit : digits)
            value = value * 10 + (digit - '0');
        return value;
    }

    std::optional<BareItem> string() {
        std::string text;
        rest_.remove_prefix(1);
        while (!at_end()) {
            char c = take();
            if (c == '"') return text;
            if (c == '\\') {
                if (!next_is('"') && !next_is('\\')) return std::nullopt;
                c = take();
            }
            if (!is_printable(c)) return std::nullopt;
            text += c;
        }
        return std::nullopt;
    }

    std::optional<BareItem> byte_sequence() {
        rest_.remove_prefix(1);
        const std::size_t size = rest_.find(':');
        if (size == std::string_view::npos) return std::nullopt;
        auto bytes = decode_base64(rest_.substr(0, size));
        rest_.remove_prefix(size + 1);
        if (!bytes) return std::nullopt;
        return ByteSequence{std::move(*bytes)};
    }

    std::optional<BareItem> boolean() {
        rest_.remove_prefix(1);
        if (skip('1')) return true;
        if (skip('0')) return false;
        return std::nullopt;
    }

    std::optional<BareItem> date() {
        rest_.remove_prefix(1);
        const auto value = number();
        if (!value) return std::nullopt;
        const auto* const seconds = std::get_if<std::int64_t>(&*value);
        if (seconds == nullptr) return std::nullopt;
        return Date{*seconds};
    }

    std::optional<BareItem> display_string() {
        std::string utf8;
        rest_.remove_prefix(1);
        if (!skip('"')) return std::nullopt;
        while (!at_end()) {
            const char c = take();
            if (c == '"') {
                if (!is_utf8(utf8)) return std::nullopt;
                return DisplayString{std::move(utf8)};
            }
            if (!is_printable(c)) return std::nullopt;
            if (c != '%') {
                utf8 += c;
                continue;
            }
            if (rest_.size() < 2) return std::nullopt;
            const int high = hex_value(take());
            const int low = hex_value(take());
            if (high < 0 || low < 0) return std::nullopt;
            utf8 += static_cast<char>(high * 16 + low);
        }
        return std::nullopt;
    }

    std::string_view rest_;
};

}  // namespace

std::optional<List> parse_list(std::string_view text) {
    if (text.size() > field_bytes_max) return std::nullopt;
    Parser parser{text};
    parser.skip_spaces();
    auto list = parser.list();
    parser.skip_spaces();
    if (!list || !parser.at_end()) return std::nullopt;
    return list;
}

std::optional<Item> parse_item(std::string_view text) {
    if (text.size() > field_bytes_max) return std::nullopt;
    Parser parser{text};
    parser.skip_spaces();
    auto item = parser.item();
    parser.skip_spaces();
    if (!item || !parser.at_end()) return std::nullopt;
    return item;
}

}  // namespace sworn::sf
