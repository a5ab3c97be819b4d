#include "journal/codec.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "journal/crc32c.h"
#include "journal/wire.h"
#include "tests/journal/event_samples.h"

namespace sworn::journal {
namespace {

using samples::event_of;
using samples::same;

std::string encoded(const Event& event) {
    std::string bytes;
    encode(event, bytes);
    return bytes;
}

/// A frame around any body, with a checksum that fits.
std::string framed(std::string_view body) {
    std::string out;
    wire::put_varint(body.size() + 4, out);
    out += body;
    const std::uint32_t crc = crc32c(out);
    for (int shift = 0; shift < 32; shift += 8) {
        out.push_back(static_cast<char>((crc >> shift) & 0xff));
    }
    return out;
}

/// The head of a body: version 1, `type`, seq 1, ordinal 0, at 0, generation 1, no source.
std::string head(EventType type) {
    std::string body{"\1", 1};
    body.push_back(static_cast<char>(type));
    body += std::string{"\1\0\0\1\0", 5};
    return body;
}

std::string field(std::uint64_t tag, std::string_view value) {
    std::string out;
    wire::put_varint(tag, out);
    wire::put_varint(value.size(), out);
    return out.append(value);
}

CodecError error_of(std::string_view bytes) {
    const std::string_view before = bytes;
    const auto got = decode(bytes);
    EXPECT_FALSE(got);
    EXPECT_EQ(bytes.data(), before.data());
    EXPECT_EQ(bytes.size(), before.size());
    return got.error();
}

TEST(Crc32c, FitsThePublishedVectors) {
    EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
    EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
    EXPECT_EQ(crc32c(""), 0U);
}

TEST(Varint, HasOneSpellingForEachNumber) {
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
                                      std::uint64_t{16'383}, std::uint64_t{16'384}, UINT64_MAX}) {
        std::string bytes;
        wire::put_varint(value, bytes);
        std::string_view rest = bytes;
        std::uint64_t back = 0;
        EXPECT_TRUE(wire::take_varint(rest, back));
        EXPECT_EQ(back, value);
        EXPECT_TRUE(rest.empty());
        for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
            std::string_view part = std::string_view{bytes}.substr(0, cut);
            EXPECT_FALSE(wire::take_varint(part, back));
            EXPECT_EQ(part.size(), cut);
        }
    }
    for (const std::string_view bad :
         {std::string_view{"\x80\x00", 2}, std::string_view{"\x81\x80\x00", 3},
          std::string_view{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"},
          std::string_view{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"}}) {
        std::string_view rest = bad;
        std::uint64_t value = 0;
        EXPECT_FALSE(wire::take_varint(rest, value));
    }
}

TEST(Zigzag, KeepsBothEnds) {
    for (const std::int64_t value :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, INT64_MIN, INT64_MAX}) {
        EXPECT_EQ(wire::unzigzag(wire::zigzag(value)), value);
    }
    EXPECT_EQ(wire::zigzag(-1), 1U);
    EXPECT_EQ(wire::zigzag(1), 2U);
}

TEST(Codec, GivesBackEveryEventWithAllItsFieldsSet) {
    for (const EventBody& body : samples::all_filled()) {
        const Event event = event_of(body);
        const std::string bytes = encoded(event);
        std::string_view rest = bytes;
        const auto back = decode(rest);
        ASSERT_TRUE(back) << to_string(type_of(body)) << ": " << to_string(back.error());
        EXPECT_TRUE(same(*back, event)) << to_string(type_of(body));
        EXPECT_TRUE(rest.empty());
        EXPECT_EQ(encoded(*back), bytes);
    }
}

TEST(Codec, GivesBackEveryEventOfDefaultsInAFewBytes) {
    for (const EventBody& body : samples::all_default()) {
        Event event;
        event.body = body;
        const std::string bytes = encoded(event);
        EXPECT_EQ(bytes.size(), 12U) << to_string(type_of(body));
        std::string_view rest = bytes;
        const auto back = decode(rest);
        ASSERT_TRUE(back) << to_string(type_of(body));
        EXPECT_TRUE(same(*back, event)) << to_string(type_of(body));
    }
}

TEST(Codec, KeepsTheExtremesOfTheHead) {
    Event event = event_of(DispatchStarted{});
    event.seq = UINT64_MAX;
    event.ordinal = UINT32_MAX;
    event.generation = UINT32_MAX;
    event.at = WallTime::min();
    for (const auto source : {std::optional<Source>{}, std::optional{Source::operator_attested}}) {
        event.source = source;
        const std::string bytes = encoded(event);
        std::string_view rest = bytes;
        const auto back = decode(rest);
        ASSERT_TRUE(back);
        EXPECT_TRUE(same(*back, event));
    }
}

TEST(Codec, ReadsFramesOneAfterTheOther) {
    std::string bytes;
    for (const EventBody& body : samples::all_filled())
        encode(event_of(body), bytes);
    std::string_view rest = bytes;
    for (const EventBody& body : samples::all_filled()) {
        const auto back = decode(rest);
        ASSERT_TRUE(back);
        EXPECT_TRUE(same(*back, event_of(body)));
    }
    EXPECT_TRUE(rest.empty());
}

TEST(Codec, RefusesAFrameThatIsCutAnywhere) {
    for (const EventBody& body : samples::all_filled()) {
        const std::string bytes = encoded(event_of(body));
        for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
            EXPECT_EQ(error_of(std::string_view{bytes}.substr(0, cut)), CodecError::truncated)
                << to_string(type_of(body)) << " at " << cut;
        }
    }
}

TEST(Codec, NoticesEveryFlippedBit) {
    for (const EventBody& body : samples::all_filled()) {
        const std::string bytes = encoded(event_of(body));
        for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
            std::string damaged = bytes;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
            std::string_view rest = damaged;
            EXPECT_FALSE(decode(rest)) << to_string(type_of(body)) << " bit " << bit;
        }
    }
}

TEST(Codec, NoticesEveryReplacedByte) {
    const std::string bytes = encoded(event_of(samples::filled<ResultCommitted>()));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (int mask = 1; mask < 256; ++mask) {
            std::string damaged = bytes;
            damaged[at] = static_cast<char>(damaged[at] ^ mask);
            std::string_view rest = damaged;
            EXPECT_FALSE(decode(rest)) << at << " ^ " << mask;
        }
    }
}

TEST(Codec, PassesOverFieldsOfANewerWriter) {
    const std::string body = head(EventType::request_sent) + field(1, std::string_view{"\1", 1}) +
                             field(3, "\5") + field(4, "later") + field(900, "");
    const std::string bytes = framed(body);
    std::string_view rest = bytes;
    const auto back = decode(rest);
    ASSERT_TRUE(back);
    const auto& event = std::get<RequestSent>(back->body);
    EXPECT_TRUE(event.headers);
    EXPECT_FALSE(event.body);
    EXPECT_EQ(event.bytes, 5U);
    EXPECT_TRUE(rest.empty());
}

struct Malformed {
    const char* name;
    std::string body;
    CodecError error;
};

TEST(Codec, RefusesEverythingElseByName) {
    const std::string sent = head(EventType::request_sent);
    const std::string refused = head(EventType::action_refused);
    const std::string ready = head(EventType::connection_ready);
    const std::string one{"\1", 1};
    std::string other_version = sent;
    other_version[0] = '\2';
    std::string other_type = sent;
    other_type[1] = '\x1b';
    std::string no_type = sent;
    no_type[1] = '\0';
    std::string bad_source = sent;
    bad_source.back() = '\5';
    std::string no_generation = sent;
    no_generation[5] = '\0';
    const Malformed cases[] = {
        {"another version", other_version, CodecError::unknown_version},
        {"version 0", std::string(7, '\0'), CodecError::unknown_version},
        {"a type after the last", other_type, CodecError::unknown_type},
        {"type 0", no_type, CodecError::unknown_type},
        {"an empty body", "", CodecError::malformed},
        {"a cut head", sent.substr(0, 4), CodecError::malformed},
        {"a source past the last", bad_source, CodecError::malformed},
        {"generation 0", no_generation, CodecError::malformed},
        {"tag 0", sent + field(0, "x"), CodecError::malformed},
        {"a repeated tag", sent + field(1, one) + field(1, one), CodecError::malformed},
        {"a falling tag", sent + field(2, one) + field(1, one), CodecError::malformed},
        {"a cut field", sent + std::string{"\3\2\1", 3}, CodecError::malformed},
        {"a tag without a length", sent + "\3", CodecError::malformed},
        {"a cut unknown field", sent + std::string{"\x09\x05x", 3}, CodecError::malformed},
        {"a bool of 2", sent + field(1, "\2"), CodecError::malformed},
        {"a bool of two bytes", sent + field(1, "\1\1"), CodecError::malformed},
        {"a default that is written out", sent + field(1, std::string_view{"\0", 1}),
         CodecError::malformed},
        {"a padded number", sent + field(3, std::string_view{"\x81\0", 2}), CodecError::malformed},
        {"bytes after a number", sent + field(3, "\5\5"), CodecError::malformed},
        {"an empty number", sent + field(3, ""), CodecError::malformed},
        {"a code past the last", refused + field(1, "\x7f"), CodecError::malformed},
        {"a phase past the last", refused + field(2, "\5"), CodecError::malformed},
        {"a status past 32 bits", refused + field(5, "\x80\x80\x80\x80\x10"),
         CodecError::malformed},
        {"a short id", refused + field(7, "123456789012345"), CodecError::malformed},
        {"a short digest", head(EventType::dispatch_started) + field(2, std::string(31, 'x')),
         CodecError::malformed},
        {"a list cut inside", ready + field(8, "\5ab"), CodecError::malformed},
    };
    for (const Malformed& bad : cases) {
        EXPECT_EQ(error_of(framed(bad.body)), bad.error) << bad.name;
    }
}

TEST(Codec, TakesTheLastValueOfEachEnumerationAndNoMore) {
    const std::string refused = head(EventType::action_refused);
    const auto with_code = [&](Code code) {
        std::string value;
        wire::put(code, value);
        return framed(refused + field(1, value));
    };
    const std::string last = with_code(wire::last_value<Code>);
    std::string_view rest = last;
    EXPECT_TRUE(decode(rest));
    const int past = static_cast<int>(wire::last_value<Code>) + 1;
    EXPECT_EQ(error_of(with_code(static_cast<Code>(past))), CodecError::malformed);
}

TEST(Codec, RangesEndWhereTheVocabulariesEnd) {
    EXPECT_EQ(wire::last_value<Phase>, all_values<Phase>().back());
    EXPECT_EQ(wire::last_value<Outcome>, all_values<Outcome>().back());
    EXPECT_EQ(wire::last_value<Retry>, all_values<Retry>().back());
    EXPECT_EQ(wire::last_value<Source>, all_values<Source>().back());
    EXPECT_EQ(wire::last_value<Code>, all_values<Code>().back());
    EXPECT_EQ(wire::last_value<Stage>, all_values<Stage>().back());
    EXPECT_EQ(wire::last_value<AttemptCode>, all_values<AttemptCode>().back());
    EXPECT_EQ(wire::last_value<Finding>, all_values<Finding>().back());
    EXPECT_EQ(wire::last_value<Framing>, all_values<Framing>().back());
}

TEST(Codec, BoundsTheLengthOfAFrame) {
    std::string huge;
    wire::put_varint(std::uint64_t{1} << 40, huge);
    EXPECT_EQ(error_of(huge + std::string(64, 'x')), CodecError::malformed);
    EXPECT_EQ(error_of(std::string{"\3abc", 4}), CodecError::malformed);
    EXPECT_EQ(error_of(std::string(16, '\xff')), CodecError::malformed);
    EXPECT_EQ(error_of(""), CodecError::truncated);
}

TEST(Codec, StaysAtTheWorkedExample) {
    // docs/formats.md shows these bytes; they never change for format version 1.
    Event event;
    event.seq = 300;
    event.ordinal = 5;
    event.at = WallTime{std::chrono::microseconds{1'000'000}};
    event.source = Source::transport_observed;
    event.body = RequestSent{.headers = true, .body = false, .bytes = 200};
    const std::string bytes = encoded(event);
    std::string hex;
    for (const char c : bytes) {
        constexpr std::string_view digits = "0123456789abcdef";
        hex.push_back(digits[static_cast<std::uint8_t>(c) >> 4]);
        hex.push_back(digits[static_cast<std::uint8_t>(c) & 15]);
    }
    EXPECT_EQ(hex, "15010cac020580897a01010101010302c80171fd4e26");
}

TEST(Codec, NamesItsErrors) {
    EXPECT_EQ(to_string(CodecError::truncated), "truncated");
    EXPECT_EQ(to_string(CodecError::checksum), "checksum");
    EXPECT_EQ(to_string(CodecError::unknown_version), "unknown_version");
    EXPECT_EQ(to_string(CodecError::unknown_type), "unknown_type");
    EXPECT_EQ(to_string(CodecError::malformed), "malformed");
}

}  // namespace
}  // namespace sworn::journal
