#include "journal/codec.h"

#include <limits>
#include <utility>

#include "journal/crc32c.h"
#include "journal/wire.h"

namespace sworn::journal {
namespace {

constexpr std::size_t crc_bytes = 4;
constexpr std::size_t frame_bytes_max = 16 * 1024 * 1024;

void put_crc(std::uint32_t crc, std::string& out) {
    for (int shift = 0; shift < 32; shift += 8) {
        out.push_back(static_cast<char>((crc >> shift) & 0xff));
    }
}

std::uint32_t read_crc(std::string_view bytes) noexcept {
    std::uint32_t crc = 0;
    for (std::size_t i = 0; i < crc_bytes; ++i) {
        crc |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[i])) << (8 * i);
    }
    return crc;
}

/// Addresses of the fields of one event, in their order.
template <class E>
std::vector<const void*> fields_of(const E& event) {
    std::vector<const void*> fields;
    E::fields(event, [&](int, const char*, const auto& field) { fields.push_back(&field); });
    return fields;
}

template <class E>
void encode_fields(const E& event, std::string& out) {
    static const E defaults;
    static const std::vector<const void*> unset = fields_of(defaults);
    std::string bytes;
    std::size_t index = 0;
    E::fields(event, [&]<class T>(int tag, const char*, const T& value) {
        if (value == *static_cast<const T*>(unset[index++])) return;
        bytes.clear();
        wire::put(value, bytes);
        wire::put_varint(static_cast<std::uint64_t>(tag), out);
        wire::put_varint(bytes.size(), out);
        out += bytes;
    });
}

/// The tagged fields of one event, read in rising order of their tags.
class FieldReader {
public:
    explicit FieldReader(std::string_view bytes) : rest_{bytes} { advance(); }

    /// Visitor of an event that holds its defaults: sets the fields that are present.
    void operator()(int tag, const char*, auto& field) {
        skip_until(static_cast<std::uint64_t>(tag));
        if (!sound_ || tag_ != static_cast<std::uint64_t>(tag)) return;
        const auto unset = field;
        // A default is written by its absence, so that each event has one spelling.
        if (!wire::get(value_, field) || field == unset) sound_ = false;
        advance();
    }

    /// Fields of a newer writer are passed over, but have to be well formed.
    [[nodiscard]] bool finish() {
        skip_until(none);
        return sound_;
    }

private:
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

    void skip_until(std::uint64_t tag) {
        while (sound_ && tag_ < tag)
            advance();
    }

    void advance() {
        const std::uint64_t before = std::exchange(tag_, none);
        if (rest_.empty() || !sound_) return;
        std::uint64_t size = 0;
        sound_ = wire::take_varint(rest_, tag_) && tag_ > before && tag_ != none &&
                 wire::take_varint(rest_, size) && size <= rest_.size();
        if (!sound_) return;
        value_ = rest_.substr(0, size);
        rest_.remove_prefix(size);
    }

    std::string_view rest_, value_;
    std::uint64_t tag_ = 0;
    bool sound_ = true;
};

using DecodedBody = Result<EventBody, CodecError>;

template <class E>
DecodedBody decode_fields(std::string_view bytes) {
    E event;
    FieldReader reader{bytes};
    E::fields(event, reader);
    if (!reader.finish()) return CodecError::malformed;
    return EventBody{std::move(event)};
}

template <std::size_t... Index>
DecodedBody decode_body(std::uint8_t type, std::string_view bytes, std::index_sequence<Index...>) {
    DecodedBody decoded = CodecError::unknown_type;
    const auto matches = [&]<class E>(std::type_identity<E>) {
        if (static_cast<std::uint8_t>(E::type) != type) return false;
        decoded = decode_fields<E>(bytes);
        return true;
    };
    static_cast<void>(
        (matches(std::type_identity<std::variant_alternative_t<Index, EventBody>>{}) || ...));
    return decoded;
}

bool take_byte(std::string_view& bytes, std::uint8_t& value) noexcept {
    if (bytes.empty()) return false;
    value = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    return true;
}

bool take_u32(std::string_view& bytes, std::uint32_t& value) noexcept {
    std::uint64_t wide = 0;
    if (!wire::take_varint(bytes, wide) || wide > UINT32_MAX) return false;
    value = static_cast<std::uint32_t>(wide);
    return true;
}

// 0 for none, else the value + 1.
bool take_source(std::string_view& bytes, std::optional<Source>& source) noexcept {
    std::uint8_t byte = 0;
    if (!take_byte(bytes, byte) || byte > static_cast<int>(wire::last_value<Source>) + 1) {
        return false;
    }
    if (byte != 0) source = static_cast<Source>(byte - 1);
    return true;
}

Result<Event, CodecError> decode_checked(std::string_view body) {
    std::uint8_t version = 0;
    std::uint8_t type = 0;
    if (!take_byte(body, version)) return CodecError::malformed;
    if (version != format_version) return CodecError::unknown_version;
    Event event;
    std::uint64_t at = 0;
    const bool sound = take_byte(body, type) && wire::take_varint(body, event.seq) &&
                       take_u32(body, event.ordinal) && wire::take_varint(body, at) &&
                       take_u32(body, event.generation) && event.generation != 0 &&
                       take_source(body, event.source);
    if (!sound) return CodecError::malformed;
    event.at = WallTime{WallTime::duration{wire::unzigzag(at)}};
    auto decoded =
        decode_body(type, body, std::make_index_sequence<std::variant_size_v<EventBody>>{});
    if (!decoded) return decoded.error();
    event.body = *std::move(decoded);
    return event;
}

}  // namespace

std::string_view to_string(CodecError error) noexcept {
    switch (error) {
        case CodecError::truncated:
            return "truncated";
        case CodecError::checksum:
            return "checksum";
        case CodecError::unknown_version:
            return "unknown_version";
        case CodecError::unknown_type:
            return "unknown_type";
        case CodecError::malformed:
            return "malformed";
    }
    return "";
}

void encode(const Event& event, std::string& out) {
    std::string body;
    body.push_back(static_cast<char>(format_version));
    body.push_back(static_cast<char>(type_of(event.body)));
    wire::put_varint(event.seq, body);
    wire::put_varint(event.ordinal, body);
    wire::put(event.at, body);
    wire::put_varint(event.generation, body);
    body.push_back(event.source ? static_cast<char>(static_cast<int>(*event.source) + 1) : '\0');
    std::visit([&](const auto& e) { encode_fields(e, body); }, event.body);

    const std::size_t start = out.size();
    wire::put_varint(body.size() + crc_bytes, out);
    out += body;
    put_crc(crc32c(std::string_view{out}.substr(start)), out);
}

Result<Event, CodecError> decode(std::string_view& bytes) {
    std::string_view rest = bytes;
    std::uint64_t size = 0;
    if (!wire::take_varint(rest, size)) {
        return bytes.size() < 10 ? CodecError::truncated : CodecError::malformed;
    }
    if (size < crc_bytes || size > frame_bytes_max) return CodecError::malformed;
    if (size > rest.size()) return CodecError::truncated;
    const std::size_t head = bytes.size() - rest.size();
    const std::string_view body = rest.substr(0, size - crc_bytes);
    const std::string_view covered = bytes.substr(0, head + body.size());
    if (crc32c(covered) != read_crc(rest.substr(body.size()))) return CodecError::checksum;
    auto event = decode_checked(body);
    if (event) bytes.remove_prefix(head + size);
    return event;
}

}  // namespace sworn::journal
