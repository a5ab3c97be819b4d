#include <gtest/gtest.h>

#include <algorithm>

#include "journal/ledger.h"
#include "proxy/credentials/credentials.h"

namespace sworn::credentials {
namespace {

using config::Injection;
using contract::RequestPlan;
using contract::Segment;
using journal::CredentialPermit;

/// A permit as the pipeline gets one: the journal accepted CREDENTIAL_AUTHORIZED.
CredentialPermit permit() {
    static const SystemClock clock;
    journal::Ledger ledger{new_invocation_id(clock.now()), clock};
    journal::ActionAccepted accepted;
    accepted.method = "POST";
    EXPECT_TRUE(ledger.add(accepted));
    journal::PreflightValidated validated;
    validated.route = "payments";
    EXPECT_TRUE(ledger.add(validated));
    auto granted = ledger.authorize(journal::CredentialAuthorized{});
    EXPECT_TRUE(granted);
    return *std::move(granted);
}

config::Credential credential(Injection::Kind kind) {
    config::Credential made;
    made.id = "pay-key";
    made.inject.kind = kind;
    made.inject.format = "Bearer {secret}";
    made.inject.username = "ci";
    return made;
}

RequestPlan plan_around(std::string before, std::string after) {
    RequestPlan plan;
    plan.head = {{Segment::Kind::text, std::move(before)},
                 {Segment::Kind::secret, ""},
                 {Segment::Kind::text, std::move(after)}};
    plan.body_digest = sha256("body");
    plan.body_size = 4;
    plan.origin_host = "api.example.test";
    return plan;
}

std::vector<std::string> needles_of(const SealedRequest& sealed) {
    std::vector<std::string> texts;
    for (const auto& needle : sealed.needles())
        texts.emplace_back(needle.bytes());
    return texts;
}

struct Case {
    const char* name;
    Injection::Kind kind;
    const char* secret;
    std::vector<std::string> needles;
};

void PrintTo(const Case& one, std::ostream* out) {
    *out << one.name;
}

class Seal : public testing::TestWithParam<Case> {};

TEST_P(Seal, KeepsTheDigestOfThePlanAndKnowsWhatToMask) {
    const Case& want = GetParam();
    const auto plan = plan_around("POST /v1?k=", " HTTP/1.1\r\nHost: api.example.test\r\n\r\n");
    const auto one = credential(want.kind);
    const Secret secret{std::string{want.secret}};
    const auto sealed = seal(plan, &one, &secret, permit());
    ASSERT_TRUE(sealed);
    EXPECT_EQ(sealed->request_digest(), plan.request_digest());
    EXPECT_EQ(needles_of(*sealed), want.needles);
}

const Case cases[] = {
    {"Header", Injection::Kind::header, "sk_live-1", {"sk_live-1"}},
    {"HeaderThatAUrlWouldEncode", Injection::Kind::header, "a+b/c=", {"a+b/c=", "a%2Bb%2Fc%3D"}},
    {"Basic", Injection::Kind::basic, "pass", {"pass", "Y2k6cGFzcw=="}},
    {"BasicNonAscii", Injection::Kind::basic, "\xc3\xa9", {"\xc3\xa9", "Y2k6w6k=", "%C3%A9"}},
    {"Query", Injection::Kind::query, "a b&c", {"a b&c", "a%20b%26c"}},
};
INSTANTIATE_TEST_SUITE_P(Table, Seal, testing::ValuesIn(cases),
                         [](const auto& param) { return std::string{param.param.name}; });

TEST(SealedRequest, IsTheSameWhicheverSecretIsInside) {
    const auto plan = plan_around("POST / HTTP/1.1\r\nAuthorization: Bearer ", "\r\n\r\n");
    const auto one = credential(Injection::Kind::header);
    const Secret first{std::string{"one"}};
    const Secret second{std::string{"another"}};
    const auto sealed_first = seal(plan, &one, &first, permit());
    const auto sealed_second = seal(plan, &one, &second, permit());
    ASSERT_TRUE(sealed_first);
    ASSERT_TRUE(sealed_second);
    EXPECT_EQ(sealed_first->request_digest(), sealed_second->request_digest());
}

TEST(SealedRequest, ItsDigestTellsEveryOtherDifference) {
    const auto plan = plan_around("POST / HTTP/1.1\r\nAuthorization: Bearer ", "\r\n\r\n");
    auto head = plan;
    head.head[2].text = "\r\nX: 1\r\n\r\n";
    auto body = plan;
    body.body_digest = sha256("other");
    auto host = plan;
    host.origin_host = "other.example.test";
    auto port = plan;
    port.origin_port = 8443;
    auto clear = plan;
    clear.tls = false;
    const auto one = credential(Injection::Kind::header);
    const Secret secret{std::string{"one"}};
    for (const auto& other : {head, body, host, port, clear}) {
        const auto sealed = seal(other, &one, &secret, permit());
        ASSERT_TRUE(sealed);
        EXPECT_EQ(sealed->request_digest(), other.request_digest());
        EXPECT_NE(sealed->request_digest(), plan.request_digest());
    }
}

TEST(SealedRequest, OfARouteThatInjectsNothingNeedsNoSecret) {
    RequestPlan plan;
    plan.head = {{Segment::Kind::text, "GET / HTTP/1.1\r\n\r\n"}};
    const auto sealed = seal(plan, nullptr, nullptr, permit());
    ASSERT_TRUE(sealed);
    EXPECT_EQ(sealed->request_digest(), plan.request_digest());
    EXPECT_TRUE(sealed->needles().empty());
}

TEST(SealedRequest, SurvivesAMove) {
    const auto plan = plan_around("GET / HTTP/1.1\r\nAuthorization: Bearer ", "\r\n\r\n");
    const auto one = credential(Injection::Kind::header);
    const Secret secret{std::string{"one"}};
    auto sealed = seal(plan, &one, &secret, permit());
    ASSERT_TRUE(sealed);
    const SealedRequest moved = *std::move(sealed);
    EXPECT_EQ(moved.request_digest(), plan.request_digest());
    EXPECT_EQ(needles_of(moved), std::vector<std::string>{"one"});
}

TEST(Seal, RefusesWhatAHeaderCannotCarry) {
    const auto plan = plan_around("GET / HTTP/1.1\r\nX-Key: ", "\r\n\r\n");
    auto one = credential(Injection::Kind::header);
    one.inject.format = "{secret}";
    for (const std::string value : {"caf\xc3\xa9", "a\tb", " leading", "trailing ", "a\x7f"}) {
        const Secret secret{std::string{value}};
        const auto sealed = seal(plan, &one, &secret, permit());
        ASSERT_FALSE(sealed) << value;
        EXPECT_EQ(sealed.error().code, Code::injection_unsupported);
        EXPECT_EQ(sealed.error().field.view(), "pay-key");
    }
}

TEST(Seal, AFormatGivesABlankInsideItsPlace) {
    const auto one = credential(Injection::Kind::header);
    EXPECT_TRUE(check_injectable(one, Secret{std::string{" leading"}}));
    EXPECT_TRUE(check_injectable(one, Secret{std::string{"in side"}}));
    EXPECT_FALSE(check_injectable(one, Secret{std::string{"trailing "}}));
}

TEST(Seal, RefusesKindsThatHaveNoPlaceInAHead) {
    const auto plan = plan_around("GET / HTTP/1.1\r\nX-Key: ", "\r\n\r\n");
    const Secret secret{std::string{"one"}};
    for (const auto kind :
         {Injection::Kind::none, Injection::Kind::client_cert, Injection::Kind::ssh_key}) {
        const auto one = credential(kind);
        const auto sealed = seal(plan, &one, &secret, permit());
        ASSERT_FALSE(sealed);
        EXPECT_EQ(sealed.error().code, Code::injection_unsupported);
    }
}

static_assert(!std::is_copy_constructible_v<SealedRequest>);
static_assert(!std::is_default_constructible_v<SealedRequest>);

}  // namespace
}  // namespace sworn::credentials
