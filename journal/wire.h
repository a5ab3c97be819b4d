// The stored form of single values: how each field type of an event is written and read. Shared by
// the two directions of the codec, so that a type cannot have a writer without a reader.
//
//   integers, enumerations   minimal LEB128 varint (enumerations within their closed range)
//   bool                     one byte, 0 or 1
//   times, durations         zigzag varint of the unit's count
//   string                   its bytes; Digest 32 bytes; InvocationId 16 bytes
//   vector<string>           varint length | bytes, repeated
//   optional<T>              absent, or as T
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/clock.h"
#include "common/digest.h"
#include "common/ids.h"
#include "common/vocabulary.h"
#include "journal/event_type.h"

namespace sworn::journal::wire {

/// The highest value of each stored enumeration. A new enumeration does not compile without one.
template <class E>
inline constexpr E last_value = [] { static_assert(sizeof(E) == 0, "range not declared"); }();
template <>
inline constexpr auto last_value<Phase> = Phase::result_delivery;
template <>
inline constexpr auto last_value<Outcome> = Outcome::unknown;
template <>
inline constexpr auto last_value<Retry> = Retry::fetch_result;
template <>
inline constexpr auto last_value<Source> = Source::operator_attested;
template <>
inline constexpr auto last_value<Code> = Code::result_not_retained;
template <>
inline constexpr auto last_value<Stage> = Stage::ssh_environment;
template <>
inline constexpr auto last_value<AttemptCode> = AttemptCode::ENV_REFUSED;
template <>
inline constexpr auto last_value<ProxyError> = ProxyError::proxy_loop_detected;
template <>
inline constexpr auto last_value<Finding> = Finding::inconclusive;
template <>
inline constexpr auto last_value<Framing> = Framing::close_delimited;
template <>
inline constexpr auto last_value<Protocol> = Protocol::tunnel;
template <>
inline constexpr auto last_value<KeyOrigin> = KeyOrigin::generated;
template <>
inline constexpr auto last_value<Stream> = Stream::err;

template <class T>
concept Enumeration = std::is_enum_v<T>;
template <class T>
concept Unsigned = std::unsigned_integral<T> && !std::same_as<T, bool>;

constexpr std::uint64_t zigzag(std::int64_t value) noexcept {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) noexcept {
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

void put_varint(std::uint64_t value, std::string& out);
/// Takes a varint off the front. False, and `bytes` unchanged, where it is cut or not minimal.
[[nodiscard]] bool take_varint(std::string_view& bytes, std::uint64_t& value) noexcept;

// --- put: appends the value's bytes ---

inline void put(bool value, std::string& out) {
    out.push_back(value ? '\1' : '\0');
}
void put(Unsigned auto value, std::string& out) {
    put_varint(value, out);
}
void put(Enumeration auto value, std::string& out) {
    put_varint(static_cast<std::uint64_t>(value), out);
}
inline void put(const std::string& value, std::string& out) {
    out += value;
}
template <class Rep, class Period>
void put(std::chrono::duration<Rep, Period> value, std::string& out) {
    put_varint(zigzag(value.count()), out);
}
inline void put(WallTime value, std::string& out) {
    put(value.time_since_epoch(), out);
}
void put(const Digest& value, std::string& out);
void put(const InvocationId& value, std::string& out);
void put(const std::vector<std::string>& value, std::string& out);
template <class T>
void put(const std::optional<T>& value, std::string& out) {
    put(*value, out);
}

// --- get: reads a value from exactly `bytes`; false where they are not one ---

[[nodiscard]] bool get(std::string_view bytes, bool& value) noexcept;
[[nodiscard]] bool get(std::string_view bytes, std::string& value);
[[nodiscard]] bool get(std::string_view bytes, Digest& value) noexcept;
[[nodiscard]] bool get(std::string_view bytes, InvocationId& value) noexcept;
[[nodiscard]] bool get(std::string_view bytes, std::vector<std::string>& value);

[[nodiscard]] inline bool get(std::string_view bytes, std::uint64_t& value) noexcept {
    return take_varint(bytes, value) && bytes.empty();
}
[[nodiscard]] inline bool get(std::string_view bytes, std::uint32_t& value) noexcept {
    std::uint64_t wide = 0;
    if (!get(bytes, wide) || wide > UINT32_MAX) return false;
    value = static_cast<std::uint32_t>(wide);
    return true;
}
template <Enumeration E>
[[nodiscard]] bool get(std::string_view bytes, E& value) noexcept {
    std::uint64_t wide = 0;
    if (!get(bytes, wide) || wide > static_cast<std::uint64_t>(last_value<E>)) return false;
    value = static_cast<E>(wide);
    return true;
}
template <class Rep, class Period>
[[nodiscard]] bool get(std::string_view bytes, std::chrono::duration<Rep, Period>& value) noexcept {
    std::uint64_t wide = 0;
    if (!get(bytes, wide)) return false;
    value = std::chrono::duration<Rep, Period>{unzigzag(wide)};
    return true;
}
[[nodiscard]] inline bool get(std::string_view bytes, WallTime& value) noexcept {
    WallTime::duration since_epoch{};
    if (!get(bytes, since_epoch)) return false;
    value = WallTime{since_epoch};
    return true;
}
template <class T>
[[nodiscard]] bool get(std::string_view bytes, std::optional<T>& value) {
    return get(bytes, value.emplace());
}

}  // namespace sworn::journal::wire
