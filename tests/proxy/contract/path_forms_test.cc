#include "proxy/contract/path_forms.h"

#include <gtest/gtest.h>

#include <random>

#include "proxy/contract/preflight.h"
#include "proxy/contract/target.h"
#include "tests/proxy/contract/vector_file.h"

namespace sworn::contract {
namespace {

config::Snapshot two_routes() {
    config::Snapshot snapshot;
    config::Route v1;
    v1.id = "v1";
    v1.host = "api.example.test";
    v1.path = "/v1/";
    config::Route rest = v1;
    rest.id = "rest";
    rest.path = "/";
    snapshot.routes = {v1, rest};
    return snapshot;
}

std::string routed(const config::Snapshot& snapshot, const std::string& path) {
    HttpAction action;
    action.method = "GET";
    action.target.host = "api.example.test";
    action.target.path = path;
    const auto route = select_route(action, snapshot);
    if (route) return (*route)->id;
    return route.error().code == Code::invalid_target ? "refused" : "none";
}

TEST(PathForms, ReadEveryRowOfTheirTable) {
    const auto rows = test::read_rows("path.txt");
    ASSERT_GT(rows.size(), 35u);
    const auto snapshot = two_routes();
    for (const test::Row& row : rows) {
        ASSERT_EQ(row.columns.size(), 4u) << "line " << row.line;
        const auto path = test::unquoted(row.columns[1]);
        const auto under = check_path(path, "/v1/");
        EXPECT_EQ(under ? "yes" : "no", row.columns[2]) << row.line << " " << row.columns[0];
        if (!under) {
            EXPECT_EQ(under.error().code, Code::invalid_target);
        }
        EXPECT_EQ(routed(snapshot, path), row.columns[3]) << row.line << " " << row.columns[0];
    }
}

TEST(PathForms, WithOneRouteWhatLeadsOutIsRefusedAndWhatLeadsInHasNoRoute) {
    auto snapshot = two_routes();
    snapshot.routes.pop_back();
    EXPECT_EQ(routed(snapshot, "/v1/a"), "v1");
    EXPECT_EQ(routed(snapshot, "/v1/%2e%2e/admin"), "refused");
    EXPECT_EQ(routed(snapshot, "/x/../v1/a"), "none");
    EXPECT_EQ(routed(snapshot, "//v1/a"), "none");
}

TEST(PathForms, APrefixWithAnEscapeMeansItsOwnBytes) {
    EXPECT_TRUE(check_path("/group%2Fproject/x", "/group%2Fproject/"));
    EXPECT_FALSE(check_path("/group/project/x", "/group%2Fproject/"));
    EXPECT_FALSE(check_path("/group%2Fproject/../x", "/group%2Fproject/"));
}

TEST(PathForms, DecodeOnceAndOnlyWhatIsValid) {
    struct Case {
        const char* text;
        const char* decoded;
    };
    for (const Case& one : {Case{"", ""},
                            {"a", "a"},
                            {"%41", "A"},
                            {"%2e%2E", ".."},
                            {"%252e", "%2e"},
                            {"%", "%"},
                            {"%4", "%4"},
                            {"%zz", "%zz"},
                            {"a%", "a%"},
                            {"%%41", "%A"},
                            {"%4%41", "%4A"}}) {
        EXPECT_EQ(percent_decode(one.text), one.decoded) << one.text;
    }
    EXPECT_TRUE(has_broken_escape("/a%4"));
    EXPECT_TRUE(has_broken_escape("/%41%"));
    EXPECT_FALSE(has_broken_escape("/%41%2f"));
}

TEST(PathForms, RemoveDotSegmentsAsTheRfcDoes) {
    struct Case {
        const char* path;
        const char* dot_free;
    };
    for (const Case& one : {Case{"/", "/"},
                            {"/a/b", "/a/b"},
                            {"/a/./b", "/a/b"},
                            {"/a/../b", "/b"},
                            {"/a/b/..", "/a/"},
                            {"/a/b/.", "/a/b/"},
                            {"/..", "/"},
                            {"/../../x", "/x"},
                            {"/a//../b", "/a/b"},
                            {"/a/b/c/./../../g", "/a/g"},
                            {"/...", "/..."},
                            {"/.a", "/.a"}}) {
        EXPECT_EQ(remove_dot_segments(one.path), one.dot_free) << one.path;
    }
}

TEST(PathForms, APlainPathHasOneReading) {
    EXPECT_EQ(forms_of("/v1/charges").size(), 1u);
    EXPECT_EQ(forms_of("/v1/a.b").size(), 1u);
    EXPECT_EQ(forms_of("/v1/%41").size(), 6u);
    EXPECT_TRUE(forms_of("/%25252525252525252541").empty());
}

/// An independent model of one strict and one lenient server.
std::string naive_resolve(std::string path) {
    std::vector<std::string> kept;
    std::size_t at = 1;
    while (at <= path.size()) {
        const auto end = std::min(path.find('/', at), path.size());
        const auto segment = path.substr(at, end - at);
        const bool last = end == path.size();
        if (segment == "..") {
            if (!kept.empty()) kept.pop_back();
        }
        const bool dots = segment == "." || segment == "..";
        if (!dots) kept.push_back(segment);
        if (dots && last) kept.emplace_back();
        at = end + 1;
    }
    std::string out;
    for (const auto& segment : kept)
        out += "/" + segment;
    return out;
}

TEST(PathForms, NothingAcceptedUnderAPrefixLeavesItAtAServerThatResolvesDots) {
    std::mt19937 random{7};
    const std::vector<std::string> pieces{"/v1", "/", "..",  ".",  "%2e",    "%2f", "%5c",
                                          ";",   "a", "%25", "2e", "/admin", "//"};
    std::size_t accepted = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string path = "/v1/";
        for (auto count = random() % 7; count > 0; --count) {
            path += pieces[random() % pieces.size()];
        }
        if (!check_path(path, "/v1/")) continue;
        ++accepted;
        EXPECT_TRUE(naive_resolve(path).starts_with("/v1/")) << path;
        EXPECT_TRUE(naive_resolve(percent_decode(path)).starts_with("/v1/")) << path;
        EXPECT_TRUE(naive_resolve(percent_decode(percent_decode(path))).starts_with("/v1/"))
            << path;
    }
    EXPECT_GT(accepted, 2000u);
}

}  // namespace
}  // namespace sworn::contract
