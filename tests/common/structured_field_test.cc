#include "common/structured_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace sworn::sf {
namespace {

std::string ones(std::size_t count) {
    return std::string(count, '1');
}

struct GoodItem {
    const char* name;
    std::string text;
    BareItem value;
    std::string canonical;
};

const GoodItem good_items[] = {
    {"Integer", "42", std::int64_t{42}, "42"},
    {"NegativeInteger", "-42", std::int64_t{-42}, "-42"},
    {"LeadingZeros", "0042", std::int64_t{42}, "42"},
    {"MinusZero", "-0", std::int64_t{0}, "0"},
    {"FifteenDigits", "999999999999999", std::int64_t{999'999'999'999'999}, "999999999999999"},
    {"Decimal", "4.5", Decimal{4'500}, "4.5"},
    {"DecimalKeepsOneDigit", "1.000", Decimal{1'000}, "1.0"},
    {"NegativeDecimal", "-0.125", Decimal{-125}, "-0.125"},
    {"LongestDecimal", "999999999999.999", Decimal{999'999'999'999'999}, "999999999999.999"},
    {"EmptyString", "\"\"", std::string{}, "\"\""},
    {"String", "\"a b\"", std::string{"a b"}, "\"a b\""},
    {"EscapedString", R"("a\"b\\c")", std::string{R"(a"b\c)"}, R"("a\"b\\c")"},
    {"StringThatLooksLikeMore", "\"a, b;c=1\"", std::string{"a, b;c=1"}, "\"a, b;c=1\""},
    {"Token", "sworn", Token{"sworn"}, "sworn"},
    {"TokenOfEveryKind", "*a!#$%&'*+-.^_`|~:/9Z", Token{"*a!#$%&'*+-.^_`|~:/9Z"},
     "*a!#$%&'*+-.^_`|~:/9Z"},
    {"Bytes", ":aGVsbG8=:", ByteSequence{"hello"}, ":aGVsbG8=:"},
    {"BytesUnpadded", ":aGVsbG8:", ByteSequence{"hello"}, ":aGVsbG8=:"},
    {"BytesPadBits", ":iZ==:", ByteSequence{"\x89"}, ":iQ==:"},
    {"NoBytes", "::", ByteSequence{""}, "::"},
    {"AllBase64Digits", ":+/+/:", ByteSequence{"\xfb\xff\xbf"}, ":+/+/:"},
    {"True", "?1", true, "?1"},
    {"False", "?0", false, "?0"},
    {"Date", "@1659578233", Date{1'659'578'233}, "@1659578233"},
    {"DateBeforeTheEpoch", "@-1", Date{-1}, "@-1"},
    {"DisplayString", "%\"f%c3%bc%22%25\"", DisplayString{"f\xc3\xbc\"%"}, "%\"f%c3%bc%22%25\""},
    {"SpacesAround", "  7  ", std::int64_t{7}, "7"},
};

class GoodItems : public testing::TestWithParam<GoodItem> {};

TEST_P(GoodItems, AreReadAndWritten) {
    const auto item = parse_item(GetParam().text);
    ASSERT_TRUE(item);
    EXPECT_TRUE(item->value == GetParam().value);
    EXPECT_TRUE(item->parameters.empty());
    EXPECT_EQ(serialize(*item), GetParam().canonical);
}

TEST_P(GoodItems, AreListsOfOne) {
    const auto list = parse_list(GetParam().text);
    ASSERT_TRUE(list);
    ASSERT_EQ(list->size(), 1U);
    EXPECT_EQ(serialize(*list), GetParam().canonical);
}

/// A front of an item is refused or is an item that says less; it never crashes and always has a
/// canonical form.
TEST_P(GoodItems, CutAnywhereAreStillCanonicalOrNothing) {
    const std::string& text = GetParam().text;
    for (std::size_t size = 0; size < text.size(); ++size) {
        const auto item = parse_item(std::string_view{text}.substr(0, size));
        if (!item) continue;
        const auto again = serialize(*item);
        ASSERT_TRUE(again) << size;
        EXPECT_TRUE(parse_item(*again) == item) << *again;
    }
}

INSTANTIATE_TEST_SUITE_P(Table, GoodItems, testing::ValuesIn(good_items),
                         [](const auto& row) { return std::string{row.param.name}; });

struct Bad {
    const char* name;
    std::string text;
};

const Bad bad_items[] = {
    {"Empty", ""},
    {"SpacesOnly", "   "},
    {"TabBefore", "\t1"},
    {"TwoItems", "1 2"},
    {"ListOfTwo", "1, 2"},
    {"SixteenDigits", ones(16)},
    {"MinusOnly", "-"},
    {"TwoMinuses", "--1"},
    {"Plus", "+1"},
    {"NoFraction", "1."},
    {"NoWhole", ".5"},
    {"FourFractionDigits", "1.0001"},
    {"ThirteenWholeDigits", ones(13) + ".1"},
    {"TwoPoints", "1.2.3"},
    {"OpenString", "\"abc"},
    {"OpenEscape", "\"abc\\"},
    {"OtherEscape", "\"a\\n\""},
    {"ControlInString", std::string{"\"a\x01\""}},
    {"NulInString", std::string{"\"a\0\"", 4}},
    {"DeleteInString", "\"a\x7f\""},
    {"Utf8InString", "\"\xc3\xa9\""},
    {"SingleQuotes", "'a'"},
    {"TokenWithBadStart", "!a"},
    {"TokenWithBracket", "a[0]"},
    {"OpenBytes", ":aGVsbG8="},
    {"BytesWithBlank", ":aGVs bG8=:"},
    {"BytesUrlAlphabet", ":-_-_:"},
    {"BytesPaddingInside", ":aG=VsbG8:"},
    {"BytesTooMuchPadding", ":aGVsbG8==:"},
    {"BytesPaddingOnly", ":====:"},
    {"BytesOneDigitLeft", ":aGVsb:"},
    {"BooleanTwo", "?2"},
    {"BooleanWord", "?true"},
    {"BooleanOpen", "?"},
    {"DateDecimal", "@1.5"},
    {"DateEmpty", "@"},
    {"DisplayUpperHex", "%\"%C3%BC\""},
    {"DisplayNoUtf8", "%\"%c3\""},
    {"DisplayRawByte", "%\"\xc3\xbc\""},
    {"DisplayOpen", "%\"a"},
    {"DisplayCutHex", "%\"%c"},
    {"DisplayNoQuote", "%a"},
    {"InnerList", "(a b)"},
    {"ParameterWithoutKey", "a;"},
    {"ParameterWithoutValue", "a;b="},
    {"ParameterUpperKey", "a;B=1"},
    {"ParameterDigitKey", "a;1=1"},
    {"BlankBeforeSemicolon", "a ;b"},
    {"BlankBeforeEquals", "a;b =1"},
    {"BlankAfterEquals", "a;b= 1"},
    {"TabBeforeKey", "a;\tb"},
    {"ParameterInnerList", "a;b=(c)"},
};

class BadItems : public testing::TestWithParam<Bad> {};

TEST_P(BadItems, AreNothing) {
    EXPECT_FALSE(parse_item(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(Table, BadItems, testing::ValuesIn(bad_items),
                         [](const auto& row) { return std::string{row.param.name}; });

struct GoodList {
    const char* name;
    std::string text;
    std::string canonical;
    std::size_t members;
};

const GoodList good_lists[] = {
    {"Empty", "", "", 0},
    {"SpacesOnly", "  ", "", 0},
    {"Two", "a,b", "a, b", 2},
    {"BlanksAndTabs", "a \t , \t b", "a, b", 2},
    {"TabAtTheEnd", "a\t", "a", 1},
    {"Parameters", "a;b=1;c;d=?0", "a;b=1;c;d=?0", 1},
    {"TrueIsSaidByTheKey", "a;b=?1", "a;b", 1},
    {"BlanksBeforeKeys", "a;  b=1; c=2", "a;b=1;c=2", 1},
    {"RepeatedKeyKeepsItsPlaceAndItsLastValue", "a;x=1;y=2;x=3", "a;x=3;y=2", 1},
    {"EveryKeyCharacter", "a;*az09_-.*=1", "a;*az09_-.*=1", 1},
    {"Mixed", "\"a\";q=0.5, ?0, :AA==:, 7", "\"a\";q=0.5, ?0, :AA==:, 7", 4},
    {"InnerList", "( a  \"b\";x 1 );lvl=2", "(a \"b\";x 1);lvl=2", 1},
    {"EmptyInnerList", "()", "()", 1},
    {"InnerListBesideItem", "(a b), c", "(a b), c", 2},
};

class GoodLists : public testing::TestWithParam<GoodList> {};

TEST_P(GoodLists, AreReadAndWritten) {
    const auto list = parse_list(GetParam().text);
    ASSERT_TRUE(list);
    EXPECT_EQ(list->size(), GetParam().members);
    const auto text = serialize(*list);
    EXPECT_EQ(text, GetParam().canonical);
    EXPECT_TRUE(parse_list(*text) == list) << "the canonical form says the same";
}

TEST_P(GoodLists, CutAnywhereAreStillCanonicalOrNothing) {
    for (std::size_t size = 0; size < GetParam().text.size(); ++size) {
        const auto list = parse_list(std::string_view{GetParam().text}.substr(0, size));
        if (!list) continue;
        const auto again = serialize(*list);
        ASSERT_TRUE(again) << size;
        EXPECT_TRUE(parse_list(*again) == list) << *again;
    }
}

INSTANTIATE_TEST_SUITE_P(Table, GoodLists, testing::ValuesIn(good_lists),
                         [](const auto& row) { return std::string{row.param.name}; });

const Bad bad_lists[] = {
    {"CommaOnly", ","},
    {"TrailingComma", "a,"},
    {"TrailingCommaAndBlank", "a, "},
    {"LeadingComma", ",a"},
    {"TwoCommas", "a,,b"},
    {"LineEnd", "a,\nb"},
    {"CarriageReturn", "a\r"},
    {"NoComma", "a b"},
    {"SecondMemberBad", "a, \"b"},
    {"FirstMemberBad", "\"a, b"},
    {"OpenInnerList", "(a b"},
    {"CommaInInnerList", "(a, b)"},
    {"NestedInnerList", "((a))"},
    {"NoBlankInInnerList", "(\"a\"\"b\")"},
    {"TabInInnerList", "(a\tb)"},
    {"CloseOnly", ")"},
};

class BadLists : public testing::TestWithParam<Bad> {};

TEST_P(BadLists, AreNothingAtAll) {
    EXPECT_FALSE(parse_list(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(Table, BadLists, testing::ValuesIn(bad_lists),
                         [](const auto& row) { return std::string{row.param.name}; });

std::string repeat(std::string_view part, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += part;
    return text;
}

TEST(StructuredFieldLimits, AMemberTooManyIsNothing) {
    EXPECT_TRUE(parse_list("a" + repeat(",a", members_max - 1)));
    EXPECT_FALSE(parse_list("a" + repeat(",a", members_max)));
    EXPECT_TRUE(parse_list("(" + repeat("a ", members_max) + ")"));
    EXPECT_FALSE(parse_list("(" + repeat("a ", members_max + 1) + ")"));
}

TEST(StructuredFieldLimits, AParameterTooManyIsNothing) {
    const auto item_with = [](std::size_t count) {
        std::string text = "a";
        for (std::size_t i = 0; i < count; ++i)
            text += ";k" + std::to_string(i);
        return text;
    };
    EXPECT_TRUE(parse_item(item_with(parameters_max)));
    EXPECT_FALSE(parse_item(item_with(parameters_max + 1)));
    EXPECT_TRUE(parse_item("a" + repeat(";k", parameters_max + 1))) << "one key, said again";
}

TEST(StructuredFieldLimits, AByteTooManyIsNothing) {
    const std::string longest(field_bytes_max, 'a');
    EXPECT_TRUE(parse_item(longest));
    EXPECT_FALSE(parse_item(longest + "a"));
    EXPECT_TRUE(parse_list(longest));
    EXPECT_FALSE(parse_list(longest + "a"));
}

struct Unwritable {
    const char* name;
    BareItem value;
};

const Unwritable unwritable[] = {
    {"IntegerTooLarge", std::int64_t{1'000'000'000'000'000}},
    {"IntegerTooSmall", std::int64_t{-1'000'000'000'000'000}},
    {"DecimalTooLarge", Decimal{1'000'000'000'000'000}},
    {"DecimalTooSmall", Decimal{-1'000'000'000'000'000}},
    {"DateTooLarge", Date{1'000'000'000'000'000}},
    {"StringWithLineEnd", std::string{"a\r\nSet-Cookie: x"}},
    {"StringWithNul", std::string{"a\0", 2}},
    {"StringWithUtf8", std::string{"caf\xc3\xa9"}},
    {"StringWithDelete", std::string{"\x7f"}},
    {"EmptyToken", Token{""}},
    {"TokenWithBlank", Token{"a b"}},
    {"TokenWithDigitFirst", Token{"1a"}},
    {"TokenWithComma", Token{"a,b"}},
    {"TokenWithLineEnd", Token{"a\n"}},
    {"DisplayStringNoUtf8", DisplayString{"\xff"}},
};

class UnwritableValues : public testing::TestWithParam<Unwritable> {};

TEST_P(UnwritableValues, AreRefusedWhereverTheyStand) {
    const BareItem& value = GetParam().value;
    EXPECT_FALSE(serialize(value));
    EXPECT_FALSE(serialize(Item{value, {}}));
    EXPECT_FALSE(serialize(Item{Token{"a"}, {{"k", value}}}));
    EXPECT_FALSE(serialize(List{Item{Token{"a"}, {}}, Item{value, {}}}));
    EXPECT_FALSE(serialize(List{InnerList{{Item{value, {}}}, {}}}));
    EXPECT_FALSE(serialize(List{InnerList{{}, {{"k", value}}}}));
}

INSTANTIATE_TEST_SUITE_P(Table, UnwritableValues, testing::ValuesIn(unwritable),
                         [](const auto& row) { return std::string{row.param.name}; });

TEST(StructuredFieldKeys, ABadOrRepeatedKeyIsRefused) {
    for (const std::string_view key : {"", "Upper", "1", "a b", "a=", "\n", "-a"}) {
        EXPECT_FALSE(serialize(Item{Token{"a"}, {{std::string{key}, true}}})) << key;
    }
    EXPECT_FALSE(serialize(Item{Token{"a"}, {{"k", true}, {"k", false}}}));
}

TEST(StructuredFieldFind, GivesTheValueOrNull) {
    const auto item = parse_item("a;x=1;y");
    ASSERT_TRUE(item);
    ASSERT_NE(find(item->parameters, "x"), nullptr);
    EXPECT_TRUE(*find(item->parameters, "x") == BareItem{std::int64_t{1}});
    EXPECT_TRUE(*find(item->parameters, "y") == BareItem{true});
    EXPECT_EQ(find(item->parameters, "z"), nullptr);
}

TEST(StructuredFieldBytes, EveryByteSurvives) {
    std::string all;
    for (int i = 0; i < 256; ++i)
        all += static_cast<char>(i);
    for (std::size_t size = 0; size <= all.size(); ++size) {
        const ByteSequence bytes{all.substr(0, size)};
        const auto text = serialize(BareItem{bytes});
        ASSERT_TRUE(text);
        const auto back = parse_item(*text);
        ASSERT_TRUE(back) << size;
        EXPECT_TRUE(back->value == BareItem{bytes}) << size;
    }
}

TEST(StructuredFieldParser, TakesAnySingleByteAfterAnItemOnlyWhereTheGrammarHasOne) {
    std::string accepted;
    for (int i = 0; i < 256; ++i) {
        const char c = static_cast<char>(i);
        if (parse_list(std::string{"\"a\""} + c)) accepted += c;
    }
    EXPECT_EQ(accepted, "\t ");
}

}  // namespace
}  // namespace sworn::sf
