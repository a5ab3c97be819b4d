// Structured field values for HTTP: Items, Parameters and Lists (RFC 9651). A parse takes all of
// the input or nothing; the serialiser refuses what the grammar cannot carry. Pure: no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sworn::sf {

/// Longest field value that is parsed, in bytes; a longer one counts as unparsable.
inline constexpr std::size_t field_bytes_max = 64 * 1024;
/// Most members of a list and of an inner list, and parameters of one item. RFC 9651 asks for at
/// least 1024, 256 and 256.
inline constexpr std::size_t members_max = 1024;
inline constexpr std::size_t parameters_max = 256;

/// A bare word: `*` or a letter, then tchar, ':' or '/' (section 3.3.4).
struct Token {
    std::string value;
    bool operator==(const Token&) const = default;
};

/// A fixed-point number with at most 12 integer digits and 3 fractional ones (section 3.3.2).
struct Decimal {
    std::int64_t thousandths = 0;
    bool operator==(const Decimal&) const = default;
};

/// Raw bytes; base64 between colons on the wire (section 3.3.5).
struct ByteSequence {
    std::string bytes;
    bool operator==(const ByteSequence&) const = default;
};

/// Seconds since 1970, UTC (section 3.3.7).
struct Date {
    std::int64_t seconds = 0;
    bool operator==(const Date&) const = default;
};

/// UTF-8 text (section 3.3.8).
struct DisplayString {
    std::string utf8;
    bool operator==(const DisplayString&) const = default;
};

/// Integer (±999,999,999,999,999), Decimal, String (printable ASCII), Token, Byte Sequence,
/// Boolean, Date or Display String.
using BareItem = std::variant<std::int64_t, Decimal, std::string, Token, ByteSequence, bool, Date,
                              DisplayString>;

/// In the order of first appearance; a repeated key keeps its place and its last value.
using Parameters = std::vector<std::pair<std::string, BareItem>>;

struct Item {
    BareItem value{};
    Parameters parameters{};
    bool operator==(const Item&) const = default;
};

struct InnerList {
    std::vector<Item> items{};
    Parameters parameters{};
    bool operator==(const InnerList&) const = default;
};

using Member = std::variant<Item, InnerList>;
using List = std::vector<Member>;

/// The combined field value (several lines joined by ", "). An empty value is an empty list.
[[nodiscard]] std::optional<List> parse_list(std::string_view text);
[[nodiscard]] std::optional<Item> parse_item(std::string_view text);

/// Canonical text. Nothing where a value is outside of its type's range or alphabet.
[[nodiscard]] std::optional<std::string> serialize(const List& list);
[[nodiscard]] std::optional<std::string> serialize(const Item& item);
[[nodiscard]] std::optional<std::string> serialize(const BareItem& value);

/// The parameter's value, or null. Lives as long as `parameters`.
[[nodiscard]] const BareItem* find(const Parameters& parameters, std::string_view key) noexcept;

[[nodiscard]] bool is_token(std::string_view text) noexcept;
[[nodiscard]] bool is_key(std::string_view text) noexcept;
/// What a String can carry: printable ASCII, 0x20 to 0x7e.
[[nodiscard]] bool is_string(std::string_view text) noexcept;

}  // namespace sworn::sf
