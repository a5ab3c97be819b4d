#include <gtest/gtest.h>

#include <optional>
#include <sys/stat.h>

#include "proxy/credentials/credentials.h"
#include "tests/proxy/credentials/scratch.h"

namespace sworn::credentials {
namespace {

using config::SecretSource;

struct Case {
    const char* name;
    std::string bytes;
    std::optional<Code> refused;
    std::string value;
};

void PrintTo(const Case& one, std::ostream* out) {
    *out << one.name;
}

class ReadSource : public testing::TestWithParam<Case> {};

TEST_P(ReadSource, TrimsOneNewlineAndRefusesWhatNoRequestCanCarry) {
    const Case& want = GetParam();
    const Scratch scratch;
    const auto file = scratch.write("secret", want.bytes);
    const auto got = read_source({SecretSource::Kind::file, file.string()});
    if (want.refused) {
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().code, *want.refused);
        EXPECT_EQ(got.error().why.view().find("K3y"), std::string_view::npos);
    } else {
        ASSERT_TRUE(got);
        EXPECT_EQ(got->bytes(), want.value);
    }
}

const Case cases[] = {
    {"Plain", "K3y", {}, "K3y"},
    {"TrailingLf", "K3y\n", {}, "K3y"},
    {"TrailingCrLf", "K3y\r\n", {}, "K3y"},
    {"OnlyOneNewlineGoes", "K3y\n\n", Code::injection_unsupported, ""},
    {"TrailingBareCr", "K3y\r", Code::injection_unsupported, ""},
    {"HeaderInside", "K3y\r\nX-Evil: 1", Code::injection_unsupported, ""},
    {"NulInside", std::string{"K3y\0", 4}, Code::injection_unsupported, ""},
    {"LeadingBlank", " K3y", {}, " K3y"},
    {"FormatCharacters", "%s%n", {}, "%s%n"},
    {"NonAscii", "K3y\xc3\xa9", {}, "K3y\xc3\xa9"},
    {"Empty", "", Code::credential_missing, ""},
    {"OnlyANewline", "\n", Code::credential_missing, ""},
    {"AtTheLimit", std::string(secret_bytes_max, 'k'), {}, std::string(secret_bytes_max, 'k')},
    {"AtTheLimitWithNewline",
     std::string(secret_bytes_max, 'k') + "\r\n",
     {},
     std::string(secret_bytes_max, 'k')},
    {"OverTheLimit", std::string(secret_bytes_max + 1, 'k'), Code::injection_unsupported, ""},
    {"FarOverTheLimit", std::string(1 << 20, 'k'), Code::injection_unsupported, ""},
};
INSTANTIATE_TEST_SUITE_P(Table, ReadSource, testing::ValuesIn(cases),
                         [](const auto& param) { return std::string{param.param.name}; });

TEST(ReadSourceKind, AMissingFileIsAMissingCredential) {
    const Scratch scratch;
    const auto got = read_source({SecretSource::Kind::file, (scratch / "none").string()});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Code::credential_missing);
}

TEST(ReadSourceKind, WhatIsNotARegularFileIsUnavailableAtOnce) {
    const Scratch scratch;
    ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
    for (const auto& path : {scratch / "pipe", scratch.path()}) {
        const auto got = read_source({SecretSource::Kind::file, path.string()});
        ASSERT_FALSE(got) << path;
        EXPECT_EQ(got.error().code, Code::credential_source_unavailable) << path;
    }
}

TEST(ReadSourceKind, TheEnvironmentIsASource) {
    ASSERT_EQ(::setenv("SWORN_TEST_SECRET", "K3y\n", 1), 0);
    const auto got = read_source({SecretSource::Kind::env, "SWORN_TEST_SECRET"});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->bytes(), "K3y");

    ASSERT_EQ(::unsetenv("SWORN_TEST_SECRET"), 0);
    const auto missing = read_source({SecretSource::Kind::env, "SWORN_TEST_SECRET"});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Code::credential_missing);
}

TEST(ReadSourceKind, AVaultEntryIsUnavailable) {
    const auto got = read_source({SecretSource::Kind::vault, "entry"});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, Code::credential_source_unavailable);
}

}  // namespace
}  // namespace sworn::credentials
