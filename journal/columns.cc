#include "journal/columns.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace sworn::journal {
namespace {

constexpr std::uint8_t head_version = 1;
constexpr std::uint8_t result_head_marker = 0xff;
constexpr std::uint8_t no_code = 0xff;

void put_u8(std::string& out, std::uint8_t value) {
    out.push_back(static_cast<char>(value));
}

template <class T>
void put_number(std::string& out, T value) {
    for (int shift = (static_cast<int>(sizeof(T)) - 1) * 8; shift >= 0; shift -= 8) {
        put_u8(out, static_cast<std::uint8_t>(value >> shift));
    }
}

void put_bytes(std::string& out, std::string_view bytes) {
    put_number(out, static_cast<std::uint32_t>(bytes.size()));
    out.append(bytes);
}

void put_time(std::string& out, WallTime time) {
    put_number(out, static_cast<std::uint64_t>(time.time_since_epoch().count()));
}

template <std::size_t n>
void put_array(std::string& out, const std::array<std::uint8_t, n>& bytes) {
    for (const std::uint8_t byte : bytes)
        put_u8(out, byte);
}

/// Takes fields off the front; sticky: once short, for ever short.
class Fields {
public:
    explicit Fields(std::string_view bytes) noexcept : bytes_{bytes} {}

    template <class T>
    [[nodiscard]] T number() noexcept {
        if (!has(sizeof(T))) return T{};
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            value = value << 8 | static_cast<std::uint8_t>(bytes_[i]);
        }
        bytes_.remove_prefix(sizeof(T));
        return static_cast<T>(value);
    }
    [[nodiscard]] WallTime time() noexcept {
        const auto count = static_cast<std::int64_t>(number<std::uint64_t>());
        return WallTime{std::chrono::microseconds{count}};
    }
    template <std::size_t n>
    void array(std::array<std::uint8_t, n>& out) noexcept {
        if (!has(n)) return;
        std::memcpy(out.data(), bytes_.data(), n);
        bytes_.remove_prefix(n);
    }
    [[nodiscard]] std::string bytes() {
        const auto size = number<std::uint32_t>();
        if (!has(size)) return {};
        std::string out{bytes_.substr(0, size)};
        bytes_.remove_prefix(size);
        return out;
    }
    /// An enumerator at most `last`.
    template <class E>
    [[nodiscard]] E word(E last) noexcept {
        const auto value = number<std::uint8_t>();
        if (value > static_cast<std::uint8_t>(last)) good_ = false;
        return good_ ? static_cast<E>(value) : E{};
    }
    [[nodiscard]] bool flag() noexcept {
        const auto value = number<std::uint8_t>();
        if (value > 1) good_ = false;
        return value == 1;
    }
    [[nodiscard]] bool good() const noexcept { return good_; }
    [[nodiscard]] bool ended() const noexcept { return good_ && bytes_.empty(); }

private:
    [[nodiscard]] bool has(std::size_t size) noexcept {
        if (bytes_.size() < size) good_ = false;
        return good_;
    }
    std::string_view bytes_;
    bool good_ = true;
};

}  // namespace

std::string prefix_end(std::string prefix) {
    while (!prefix.empty() && static_cast<std::uint8_t>(prefix.back()) == 0xff)
        prefix.pop_back();
    if (!prefix.empty()) prefix.back() = static_cast<char>(prefix.back() + 1);
    return prefix;
}

std::string id_key(InvocationId id) {
    std::string key;
    put_array(key, id.bytes);
    return key;
}

std::optional<InvocationId> parse_id_key(std::string_view key) noexcept {
    Fields fields{key};
    InvocationId id;
    fields.array(id.bytes);
    if (!fields.ended()) return {};
    return id;
}

std::string event_key(InvocationId id, std::uint64_t seq) {
    std::string key = id_key(id);
    put_number(key, seq);
    return key;
}

std::optional<EventKey> parse_event_key(std::string_view key) noexcept {
    Fields fields{key};
    EventKey out;
    fields.array(out.id.bytes);
    out.seq = fields.number<std::uint64_t>();
    if (!fields.ended()) return {};
    return out;
}

std::string generation_key(InvocationId id, std::uint32_t generation) {
    std::string key = id_key(id);
    put_number(key, generation);
    return key;
}

std::string part_key(InvocationId id, std::uint32_t generation, Stream stream, std::uint32_t part) {
    std::string key = generation_key(id, generation);
    put_u8(key, static_cast<std::uint8_t>(stream));
    put_number(key, part);
    return key;
}

std::string result_head_key(InvocationId id, std::uint32_t generation) {
    std::string key = generation_key(id, generation);
    put_u8(key, result_head_marker);
    return key;
}

std::optional<PartKey> parse_part_key(std::string_view key) noexcept {
    Fields fields{key};
    PartKey out;
    fields.array(out.id.bytes);
    out.generation = fields.number<std::uint32_t>();
    const auto stream = fields.number<std::uint8_t>();
    out.head = stream == result_head_marker;
    if (!out.head) {
        if (stream > static_cast<std::uint8_t>(Stream::err)) return {};
        out.stream = static_cast<Stream>(stream);
        out.part = fields.number<std::uint32_t>();
    }
    if (!fields.ended()) return {};
    return out;
}

std::string list_prefix(IdList list) {
    return std::string(1, static_cast<char>(list));
}

std::string list_key(IdList list, InvocationId id) {
    return list_prefix(list) + id_key(id);
}

std::string token_key(std::string_view caller, std::string_view token) {
    std::string key{"t"};
    put_bytes(key, caller);
    key.append(token);
    return key;
}

std::string idempotency_key(std::string_view scope, std::string_view bound) {
    std::string key{"k"};
    put_bytes(key, scope);
    key.append(bound);
    return key;
}

std::string encode_bindings(const std::vector<Binding>& bindings) {
    std::string out;
    for (const Binding& each : bindings) {
        put_array(out, each.id.bytes);
        put_array(out, each.fingerprint.bytes);
        put_bytes(out, each.caller);
    }
    return out;
}

std::optional<std::vector<Binding>> parse_bindings(std::string_view bytes) {
    std::vector<Binding> bindings;
    Fields fields{bytes};
    while (!fields.ended()) {
        Binding& each = bindings.emplace_back();
        fields.array(each.id.bytes);
        fields.array(each.fingerprint.bytes);
        each.caller = fields.bytes();
        if (!fields.good()) return {};
    }
    if (bindings.empty()) return {};
    return bindings;
}

std::string encode_format(std::uint32_t version) {
    std::string out;
    put_number(out, version);
    return out;
}

std::optional<std::uint32_t> parse_format(std::string_view bytes) noexcept {
    Fields fields{bytes};
    const auto version = fields.number<std::uint32_t>();
    if (!fields.ended()) return {};
    return version;
}

std::string encode_position(const Position& position) {
    std::string out;
    put_number(out, position.seq);
    put_time(out, position.at);
    return out;
}

std::optional<Position> parse_position(std::string_view bytes) noexcept {
    Fields fields{bytes};
    Position out;
    out.seq = fields.number<std::uint64_t>();
    out.at = fields.time();
    if (!fields.ended()) return {};
    return out;
}

std::string encode_head(const Head& head) {
    std::string out;
    put_u8(out, head_version);
    for (const bool flag :
         {head.tombstone, head.running, head.unsettled, head.may_age, head.has_result}) {
        put_u8(out, flag ? 1 : 0);
    }
    put_u8(out, static_cast<std::uint8_t>(head.outcome));
    put_number(out, head.seq);
    put_time(out, head.accepted_at);
    put_time(out, head.changed_at);
    put_number(out, head.result_bytes);
    if (!head.tombstone) return out;
    put_u8(out, static_cast<std::uint8_t>(head.phase));
    put_u8(out, static_cast<std::uint8_t>(head.retry));
    put_u8(out, head.code ? static_cast<std::uint8_t>(*head.code) : no_code);
    for (const std::string* text : {&head.caller, &head.token, &head.key_scope, &head.key}) {
        put_bytes(out, *text);
    }
    put_array(out, head.fingerprint.bytes);
    return out;
}

std::optional<Head> parse_head(std::string_view bytes) {
    Fields fields{bytes};
    if (fields.number<std::uint8_t>() != head_version) return {};
    Head head;
    for (bool* flag :
         {&head.tombstone, &head.running, &head.unsettled, &head.may_age, &head.has_result}) {
        *flag = fields.flag();
    }
    head.outcome = fields.word(Outcome::unknown);
    head.seq = fields.number<std::uint64_t>();
    head.accepted_at = fields.time();
    head.changed_at = fields.time();
    head.result_bytes = fields.number<std::uint64_t>();
    if (head.tombstone) {
        head.phase = fields.word(Phase::result_delivery);
        head.retry = fields.word(Retry::fetch_result);
        const auto code = fields.number<std::uint8_t>();
        if (code != no_code) {
            if (code > static_cast<std::uint8_t>(Code::result_not_retained)) return {};
            head.code = static_cast<Code>(code);
        }
        for (std::string* text : {&head.caller, &head.token, &head.key_scope, &head.key}) {
            *text = fields.bytes();
        }
        fields.array(head.fingerprint.bytes);
    }
    if (!fields.ended()) return {};
    return head;
}

}  // namespace sworn::journal
