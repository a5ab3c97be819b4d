#include "common/ids.h"

#include <openssl/rand.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "common/assert.h"

namespace sworn {
namespace {

constexpr std::string_view prefix = "act_";
constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t digits = 26;
constexpr std::size_t time_bytes = 6;
constexpr std::uint64_t milliseconds_max = (1ULL << 48U) - 1;

std::uint64_t milliseconds_of(WallTime now) noexcept {
    const auto count =
        std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch()).count();
    if (count < 0) return 0;
    return std::min(static_cast<std::uint64_t>(count), milliseconds_max);
}

std::uint64_t milliseconds_of(const InvocationId& id) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < time_bytes; ++i)
        value = value << 8U | id.bytes[i];
    return value;
}

InvocationId zero_id(std::uint64_t milliseconds) noexcept {
    InvocationId id;
    for (std::size_t i = time_bytes; i-- > 0; milliseconds >>= 8U) {
        id.bytes[i] = static_cast<std::uint8_t>(milliseconds & 0xffU);
    }
    return id;
}

InvocationId random_id(std::uint64_t milliseconds) noexcept {
    InvocationId id = zero_id(milliseconds);
    const int random_count = static_cast<int>(id.bytes.size() - time_bytes);
    SWORN_ASSERT(RAND_bytes(id.bytes.data() + time_bytes, random_count) == 1);
    return id;
}

/// The next larger id; a carry out of the random part moves the time on by a millisecond.
InvocationId successor(InvocationId id) noexcept {
    for (std::size_t i = id.bytes.size(); i-- > 0;) {
        if (++id.bytes[i] != 0) return id;
    }
    assert_failed("there is a larger identifier", __FILE__, __LINE__);
}

}  // namespace

std::string InvocationId::text() const {
    std::string text{prefix};
    text.resize(prefix.size() + digits);
    // 26 digits of 5 bits hold 130 bits: the first digit carries only the top 3.
    std::size_t bit = 0;
    for (std::size_t i = 0; i < digits; ++i) {
        const std::size_t wanted = i == 0 ? 3 : 5;
        unsigned value = 0;
        for (std::size_t k = 0; k < wanted; ++k, ++bit) {
            const unsigned byte = bytes[bit / 8];
            const auto shift = static_cast<unsigned>(7 - bit % 8);
            value = value << 1U | ((byte >> shift) & 1U);
        }
        text[prefix.size() + i] = alphabet[value];
    }
    return text;
}

WallTime InvocationId::time() const noexcept {
    return WallTime{std::chrono::milliseconds{static_cast<std::int64_t>(milliseconds_of(*this))}};
}

std::optional<InvocationId> parse_invocation_id(std::string_view text) noexcept {
    if (!text.starts_with(prefix)) return std::nullopt;
    text.remove_prefix(prefix.size());
    if (text.size() != digits) return std::nullopt;
    if (text.front() > '7') return std::nullopt;  // More than 128 bits.
    InvocationId id;
    std::size_t bit = 0;
    for (std::size_t i = 0; i < digits; ++i) {
        const auto value = alphabet.find(text[i]);
        if (value == std::string_view::npos) return std::nullopt;
        for (std::size_t k = i == 0 ? 3 : 5; k-- > 0; ++bit) {
            const auto one = static_cast<std::uint8_t>((value >> k & 1U) << (7U - bit % 8));
            id.bytes[bit / 8] = static_cast<std::uint8_t>(id.bytes[bit / 8] | one);
        }
    }
    return id;
}

InvocationId new_invocation_id(WallTime now) noexcept {
    // The last id is process-wide on purpose: ids must never repeat, whoever asks.
    static std::mutex mutex;
    static InvocationId last;
    const std::uint64_t milliseconds = milliseconds_of(now);
    const std::lock_guard lock{mutex};
    const bool moved_on = milliseconds > milliseconds_of(last);
    last = moved_on ? random_id(milliseconds) : successor(last);
    return last;
}

InvocationId first_id_at(WallTime time) noexcept {
    return zero_id(milliseconds_of(time));
}

std::size_t InvocationIdHash::operator()(const InvocationId& id) const noexcept {
    // Both halves count: ids of one millisecond differ in the last bytes only.
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::memcpy(&high, id.bytes.data(), sizeof high);
    std::memcpy(&low, id.bytes.data() + sizeof high, sizeof low);
    return static_cast<std::size_t>((high * 0x9e3779b97f4a7c15ULL) ^ low);
}

}  // namespace sworn
