// Keys and values of the store's columns; docs/formats.md has the same as a grammar. Numbers are
// big-endian, so that keys sort as their numbers do. Pure: bytes in, bytes out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"
#include "common/digest.h"
#include "common/ids.h"
#include "common/vocabulary.h"
#include "journal/event.h"

namespace sworn::journal {

/// The first key behind every key that begins with `prefix`; empty: there is none.
[[nodiscard]] std::string prefix_end(std::string prefix);

[[nodiscard]] std::string id_key(
    InvocationId id);  ///< `heads`, and the prefix of `events`, `parts`.
[[nodiscard]] std::optional<InvocationId> parse_id_key(std::string_view key) noexcept;

/// `events`: one row per append; `seq` is that of its first event.
[[nodiscard]] std::string event_key(InvocationId id, std::uint64_t seq);
struct EventKey {
    InvocationId id;
    std::uint64_t seq = 0;
};
[[nodiscard]] std::optional<EventKey> parse_event_key(std::string_view key) noexcept;

/// `parts`
[[nodiscard]] std::string part_key(InvocationId id, std::uint32_t generation, Stream stream,
                                   std::uint32_t part);
[[nodiscard]] std::string result_head_key(InvocationId id, std::uint32_t generation);
/// Prefix of one generation's rows.
[[nodiscard]] std::string generation_key(InvocationId id, std::uint32_t generation);
struct PartKey {
    InvocationId id;
    std::uint32_t generation = 1;
    bool head = false;
    Stream stream = Stream::body;
    std::uint32_t part = 0;
};
[[nodiscard]] std::optional<PartKey> parse_part_key(std::string_view key) noexcept;

/// `index`. The lists of ids carry no value: an id that is there has the property.
enum class IdList : char {
    unfinished = 'u',  ///< Running, or committed and neither confirmed nor given up by its writer.
    unsettled = 's',   ///< Not running, outcome unknown, no tunnel.
    guarding = 'g',    ///< Not running, and may stop a blind repeat.
};
[[nodiscard]] std::string list_key(IdList list, InvocationId id);
[[nodiscard]] std::string list_prefix(IdList list);
[[nodiscard]] std::string token_key(std::string_view caller, std::string_view token);
[[nodiscard]] std::string idempotency_key(std::string_view scope, std::string_view key);

/// Who holds a token or key, newest first; the earlier ones let it move on.
struct Binding {
    InvocationId id;
    Digest fingerprint;
    std::string caller;
};
inline constexpr std::size_t bindings_max = 64;  ///< Older ones are found by `previous` only.
[[nodiscard]] std::string encode_bindings(const std::vector<Binding>& bindings);
/// Nothing for bytes that no writer makes.
[[nodiscard]] std::optional<std::vector<Binding>> parse_bindings(std::string_view bytes);

/// `meta`
inline constexpr std::string_view format_meta_key = "format";      ///< 4 bytes.
inline constexpr std::string_view position_meta_key = "position";  ///< Position.
struct Position {
    std::uint64_t seq = 0;  ///< Of the newest event.
    WallTime at{};          ///< The newest `at` of any event.
};
[[nodiscard]] std::string encode_format(std::uint32_t version);
[[nodiscard]] std::optional<std::uint32_t> parse_format(std::string_view bytes) noexcept;
[[nodiscard]] std::string encode_position(const Position& position);
[[nodiscard]] std::optional<Position> parse_position(std::string_view bytes) noexcept;

/// `heads`: what listing and retention need of a record without replaying it, as of `seq`. For a
/// tombstone (the events are gone) also what still answers its token.
struct Head {
    bool tombstone = false;
    bool running = false;
    bool unsettled = false;   ///< As IdList::unsettled.
    bool may_age = false;     ///< Retention may remove it, its time and its guard being over.
    bool has_result = false;  ///< A body is retrievable.
    Outcome outcome = Outcome::not_attempted;
    std::uint64_t seq = 0;
    WallTime accepted_at{}, changed_at{};
    std::uint64_t result_bytes = 0;
    // Tombstones only.
    Phase phase = Phase::validation;
    Retry retry = Retry::never;
    std::optional<Code> code;
    std::string caller, token, key_scope, key;
    Digest fingerprint;
};
[[nodiscard]] std::string encode_head(const Head& head);
[[nodiscard]] std::optional<Head> parse_head(std::string_view bytes);

}  // namespace sworn::journal
