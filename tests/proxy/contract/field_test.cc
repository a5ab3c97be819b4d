#include <gtest/gtest.h>

#include "proxy/contract/field_rules.h"

namespace sworn::contract {
namespace {

std::string names_of(const Fields& fields) {
    std::string names;
    for (const auto& [name, value] : fields)
        names += name + " ";
    return names;
}

TEST(Field, LookupIgnoresCaseAndFindsTheFirst) {
    const Fields fields{{"X-A", "1"}, {"x-a", "2"}};
    EXPECT_EQ(find_field(fields, "X-a"), "1");
    EXPECT_FALSE(find_field(fields, "X-B"));
    EXPECT_TRUE(equals_ignoring_case("Content-TYPE", "content-type"));
    EXPECT_FALSE(equals_ignoring_case("a", "ab"));
    EXPECT_FALSE(equals_ignoring_case("[", "{"));
}

TEST(Field, TokensAndValuesFollowTheGrammarByteByByte) {
    const std::string tchars =
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        EXPECT_EQ(is_token(std::string{"a"} + c), tchars.find(c) != std::string::npos) << byte;
        const bool value_byte = byte == '\t' || (byte >= 0x20 && byte != 0x7f);
        EXPECT_EQ(is_field_value(std::string{"a"} + c), value_byte) << byte;
    }
    EXPECT_FALSE(is_token(""));
    EXPECT_TRUE(is_field_value(""));
}

TEST(Field, ListsDropBlanksAndEmptyMembers) {
    EXPECT_EQ(list_members(" a ,, b\t,c"), (std::vector<std::string_view>{"a", "b", "c"}));
    EXPECT_TRUE(list_members("").empty());
    EXPECT_TRUE(list_members(" , ,").empty());
    EXPECT_EQ(trim_blanks("\t a b \t"), "a b");
    EXPECT_EQ(trim_blanks(" \t"), "");
}

TEST(Field, CanonicalNamesMakeAliasesEqual) {
    EXPECT_EQ(canonical_name("X_Api-KEY"), canonical_name("x-api_key"));
    EXPECT_NE(canonical_name("XApiKey"), canonical_name("X-Api-Key"));
}

TEST(Field, WhatBelongsToTheConnectionIsNeverForwarded) {
    for (const auto* name :
         {"Connection", "KEEP-ALIVE", "Proxy-Authorization", "proxy-connection", "Proxy-Anything",
          "TE", "Trailer", "transfer-ENCODING", "Upgrade", "HTTP2-Settings", "Expect",
          "Sworn-Token", "sworn-anything", "Content-Length", "Host"}) {
        EXPECT_TRUE(never_forwarded(name)) << name;
    }
    for (const auto* name : {"Authorization", "Via", "Cookie", "Proxy", "TEx", "Hosts", "Forwarded",
                             "Content-Type", "Swornish"}) {
        EXPECT_FALSE(never_forwarded(name)) << name;
    }
}

TEST(Field, ForwardingDropsWhatConnectionNamesAndKeepsTheOrder) {
    const Fields fields{{"B", "1"},       {"connection", "close, X-Trace ,authorization"},
                        {"X-Trace", "t"}, {"Authorization", "Bearer sworn"},
                        {"A", "2"},       {"Connection", "X-Other"},
                        {"x-other", "o"}, {"x-trace", "again"},
                        {"B", "3"}};
    EXPECT_EQ(names_of(forwardable(fields)), "B A B ");
}

}  // namespace
}  // namespace sworn::contract
