#include "proxy/config/document.h"

#include <gtest/gtest.h>

namespace sworn::config {
namespace {

TEST(Document, KnowsTheLineOfEveryKeyAndItem) {
    Faults faults;
    const Node root = parse_document("a: 1\nb:\n  - x\n  - c: y\n", faults);
    ASSERT_TRUE(faults.empty());
    ASSERT_EQ(root.entries.size(), 2u);
    EXPECT_EQ(root.entries[0].line, 1);
    EXPECT_EQ(root.entries[1].line, 2);
    ASSERT_EQ(root.entries[1].value.items.size(), 2u);
    EXPECT_EQ(root.entries[1].value.items[0].line, 3);
    EXPECT_EQ(root.entries[1].value.items[1].entries[0].line, 4);
}

TEST(Document, TellsQuotedTextFromWords) {
    Faults faults;
    const Node root = parse_document("{a: null, b: 'null', c: off, d: \"off\"}", faults);
    ASSERT_TRUE(faults.empty());
    EXPECT_EQ(root.entries[0].value.kind, Node::Kind::null);
    EXPECT_EQ(root.entries[1].value.kind, Node::Kind::scalar);
    EXPECT_FALSE(root.entries[2].value.quoted);
    EXPECT_TRUE(root.entries[3].value.quoted);
}

TEST(Document, CopiesAnchoredValues) {
    Faults faults;
    const Node root = parse_document("a: &x {k: v}\nb: *x\n", faults);
    ASSERT_TRUE(faults.empty());
    ASSERT_EQ(root.entries[1].value.entries.size(), 1u);
    EXPECT_EQ(root.entries[1].value.entries[0].value.text, "v");
}

TEST(Document, ShowsNoControlBytesOfAKey) {
    Faults faults;
    const Node root = parse_document("\"a\\e[31m\": {\"b\\n\": 1}\n", faults);
    ASSERT_EQ(faults.size(), 2u);
    EXPECT_EQ(faults[0].message, "a key must be a plain word");
    ASSERT_EQ(root.entries.size(), 1u);
    EXPECT_EQ(root.entries[0].key, "a?[31m");
    EXPECT_EQ(root.entries[0].value.entries[0].key, "b?");
}

TEST(Document, ShowsNoControlBytesOfASyntaxFault) {
    Faults faults;
    (void)parse_document("a: \"\\\x01\"\n", faults);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].message, "this is not YAML: unknown escape character: ?");
}

TEST(Document, RefusesAliasesThatGrowWithoutBound) {
    std::string yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string below = "*a" + std::to_string(i - 1);
        const std::string here = "a" + std::to_string(i);
        yaml += here + ": &" + here + " [";
        for (int n = 0; n < 10; ++n)
            yaml += (n == 0 ? "" : ", ") + below;
        yaml += "]\n";
    }
    Faults faults;
    (void)parse_document(yaml, faults);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].message, "the document is too large");
}

TEST(Document, RefusesAnAliasInsideItself) {
    Faults faults;
    (void)parse_document("a: &x [*x]\n", faults);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_NE(faults[0].message.find("inside the value that it names"), std::string::npos);
}

TEST(Document, RefusesDeepNestingAtTheLimit) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    Faults at_limit;
    (void)parse_document(nested(document_depth_max), at_limit);
    EXPECT_TRUE(at_limit.empty());
    Faults beyond;
    (void)parse_document(nested(document_depth_max + 1), beyond);
    ASSERT_EQ(beyond.size(), 1u);
    EXPECT_EQ(beyond[0].message, "nested too deeply");
    Faults far_beyond;
    (void)parse_document(nested(100'000), far_beyond);
    EXPECT_FALSE(far_beyond.empty());
}

TEST(Document, ReportsDuplicatesInUnknownPlacesToo) {
    Faults faults;
    (void)parse_document("a:\n  - {b: 1, b: 2}\n", faults);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].key, "a[0].b");
    EXPECT_EQ(faults[0].line, 2);
}

TEST(Document, SurvivesEveryCutOfAFile) {
    const std::string yaml =
        "a: &x {k: [1, 'two', \"three\"]}\nb: *x\nc: |\n  text\n? d\n: - e\n  - !t f\n";
    for (std::size_t size = 0; size <= yaml.size(); ++size) {
        SCOPED_TRACE(size);
        Faults faults;
        const Node root = parse_document(std::string_view{yaml}.substr(0, size), faults);
        EXPECT_TRUE(root.kind != Node::Kind::null || !faults.empty());
    }
}

}  // namespace
}  // namespace sworn::config
