#include "journal/columns.h"

#include <gtest/gtest.h>

namespace sworn::journal {
namespace {

InvocationId id_of(std::uint8_t first, std::uint8_t last) {
    InvocationId id;
    id.bytes.front() = first;
    id.bytes.back() = last;
    return id;
}

TEST(Columns, SortEventRowsByRecordAndThenBySeq) {
    EXPECT_LT(event_key(id_of(1, 0), 255), event_key(id_of(1, 0), 256));
    EXPECT_LT(event_key(id_of(1, 0), ~0ULL), event_key(id_of(1, 1), 0));
    EXPECT_LT(event_key(id_of(1, 255), 9), event_key(id_of(128, 0), 0));
    const auto parsed = parse_event_key(event_key(id_of(3, 4), 77));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->id, id_of(3, 4));
    EXPECT_EQ(parsed->seq, 77U);
}

TEST(Columns, EndAPrefixBehindAllOfItsKeys) {
    EXPECT_EQ(prefix_end("ab"), "ac");
    EXPECT_EQ(prefix_end("a\xff"), "b");
    EXPECT_EQ(prefix_end("\xff\xff"), "");
    EXPECT_GT(prefix_end(id_key(id_of(1, 255))), event_key(id_of(1, 255), ~0ULL));
}

TEST(Columns, RefuseKeysOfAnyOtherLength) {
    const std::string key = event_key(id_of(1, 2), 3);
    for (std::size_t size = 0; size < key.size(); ++size) {
        EXPECT_FALSE(parse_event_key(key.substr(0, size))) << size;
    }
    EXPECT_FALSE(parse_event_key(key + "x"));
    EXPECT_FALSE(parse_id_key(key));
}

TEST(Columns, NamePartsAndHeadsApart) {
    const auto part = parse_part_key(part_key(id_of(1, 2), 3, Stream::err, 4));
    ASSERT_TRUE(part);
    EXPECT_EQ(part->generation, 3U);
    EXPECT_EQ(part->stream, Stream::err);
    EXPECT_EQ(part->part, 4U);
    EXPECT_FALSE(part->head);
    const auto head = parse_part_key(result_head_key(id_of(1, 2), 3));
    ASSERT_TRUE(head);
    EXPECT_TRUE(head->head);
    EXPECT_FALSE(parse_part_key(generation_key(id_of(1, 2), 3) + "\x07"));
}

TEST(Columns, KeepNeighbouringTextsApart) {
    EXPECT_NE(token_key("ab", "c"), token_key("a", "bc"));
    EXPECT_NE(token_key("a", "b"), idempotency_key("a", "b"));
}

TEST(Columns, ReadBackBindingsAndRefuseEveryCut) {
    const std::vector<Binding> bindings{{id_of(1, 1), Digest{{5}}, "agent"},
                                        {id_of(1, 0), Digest{{6}}, ""}};
    const std::string bytes = encode_bindings(bindings);
    const auto parsed = parse_bindings(bytes);
    ASSERT_TRUE(parsed);
    ASSERT_EQ(parsed->size(), 2U);
    EXPECT_EQ((*parsed)[0].id, id_of(1, 1));
    EXPECT_EQ((*parsed)[0].caller, "agent");
    EXPECT_EQ((*parsed)[1].fingerprint, Digest{{6}});
    const std::size_t first = encode_bindings({bindings[0]}).size();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_EQ(parse_bindings(bytes.substr(0, size)).has_value(), size == first) << size;
    }
}

TEST(Columns, ReadBackHeadsAndRefuseEveryCut) {
    Head head;
    head.tombstone = true;
    head.may_age = true;
    head.outcome = Outcome::rejected;
    head.seq = 12;
    head.changed_at = WallTime{std::chrono::microseconds{-5}};
    head.code = Code::remote_rejected;
    head.retry = Retry::after_correction;
    head.token = "tok";
    head.fingerprint = Digest{{9}};
    const std::string bytes = encode_head(head);
    const auto parsed = parse_head(bytes);
    ASSERT_TRUE(parsed);
    EXPECT_TRUE(parsed->tombstone);
    EXPECT_EQ(parsed->outcome, Outcome::rejected);
    EXPECT_EQ(parsed->changed_at, head.changed_at);
    EXPECT_EQ(parsed->code, Code::remote_rejected);
    EXPECT_EQ(parsed->token, "tok");
    EXPECT_EQ(parsed->fingerprint, head.fingerprint);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_FALSE(parse_head(bytes.substr(0, size))) << size;
    }
    EXPECT_FALSE(parse_head(bytes + "x"));
}

TEST(Columns, ReadBackPositionAndFormat) {
    const auto position = parse_position(encode_position({7, WallTime{std::chrono::hours{1}}}));
    ASSERT_TRUE(position);
    EXPECT_EQ(position->seq, 7U);
    EXPECT_EQ(position->at, WallTime{std::chrono::hours{1}});
    EXPECT_EQ(parse_format(encode_format(3)), 3U);
    EXPECT_FALSE(parse_format("abc"));
}

}  // namespace
}  // namespace sworn::journal
