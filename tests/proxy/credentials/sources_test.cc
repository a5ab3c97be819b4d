#include <gtest/gtest.h>

#include <sys/stat.h>

#include "proxy/credentials/credentials.h"
#include "tests/proxy/credentials/scratch.h"

namespace sworn::credentials {
namespace {

using namespace std::chrono_literals;
using config::Injection;
using config::SecretSource;

class HandClock final : public Clock {
public:
    [[nodiscard]] WallTime now() const noexcept override {
        return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()) +
               moved;
    }
    [[nodiscard]] SteadyTime steady() const noexcept override { return SteadyTime{} + moved; }

    std::chrono::seconds moved{0};
};

config::Credential file_credential(const std::filesystem::path& file) {
    config::Credential credential;
    credential.id = "pay-key";
    credential.version = "2026-11";
    credential.source = {SecretSource::Kind::file, file.string()};
    credential.inject.kind = Injection::Kind::header;
    return credential;
}

std::string version_of(Sources& sources, const config::Credential& credential) {
    const auto obtained = sources.obtain(credential);
    return obtained ? obtained->version : std::string{to_string(obtained.error().code)};
}

std::string value_of(Sources& sources, const config::Credential& credential) {
    const auto obtained = sources.obtain(credential);
    return obtained ? std::string{obtained->secret->bytes()} : "";
}

TEST(Sources, AFirstValueHasTheConfiguredVersion) {
    const Scratch scratch;
    Sources sources{scratch.path()};
    EXPECT_EQ(version_of(sources, file_credential(scratch.write("key", "one\n"))), "2026-11");
}

TEST(Sources, EachRotationOfTheFileCountsUp) {
    const Scratch scratch;
    Sources sources{scratch.path()};
    const auto credential = file_credential(scratch.write("key", "one"));
    EXPECT_EQ(version_of(sources, credential), "2026-11");
    scratch.replace("key", "two");
    EXPECT_EQ(version_of(sources, credential), "2026-11+1");
    EXPECT_EQ(value_of(sources, credential), "two");
    scratch.write("key", "six");  // In place, same size, within one tick of the clock.
    EXPECT_EQ(version_of(sources, credential), "2026-11+2");
    EXPECT_EQ(value_of(sources, credential), "six");
}

TEST(Sources, AFileWrittenAgainWithTheSameValueIsNoRotation) {
    const Scratch scratch;
    Sources sources{scratch.path()};
    const auto credential = file_credential(scratch.write("key", "one"));
    EXPECT_EQ(version_of(sources, credential), "2026-11");
    scratch.replace("key", "one\n");
    EXPECT_EQ(version_of(sources, credential), "2026-11");
}

TEST(Sources, AnActionKeepsTheVersionThatItObtained) {
    const Scratch scratch;
    Sources sources{scratch.path()};
    const auto credential = file_credential(scratch.write("key", "one"));
    const auto held = sources.obtain(credential);
    ASSERT_TRUE(held);
    scratch.replace("key", "two");
    EXPECT_EQ(value_of(sources, credential), "two");
    EXPECT_EQ(held->secret->bytes(), "one");
    EXPECT_EQ(held->version, "2026-11");
}

TEST(Sources, AKubernetesLinkSwapIsARotation) {
    const Scratch scratch;
    namespace fs = std::filesystem;
    fs::create_directory(scratch / "first");
    fs::create_directory(scratch / "second");
    scratch.write("first/key", "one");
    scratch.write("second/key", "two");
    fs::create_directory_symlink("first", scratch / "..data");
    fs::create_symlink("..data/key", scratch / "key");
    HandClock clock;
    clock.moved = 1h;  // Both files are old: only the link tells them apart.
    Sources sources{scratch.path(), &clock};
    const auto credential = file_credential(scratch / "key");
    EXPECT_EQ(version_of(sources, credential), "2026-11");

    fs::create_directory_symlink("second", scratch / "..data_tmp");
    fs::rename(scratch / "..data_tmp", scratch / "..data");
    EXPECT_EQ(version_of(sources, credential), "2026-11+1");
    EXPECT_EQ(value_of(sources, credential), "two");
}

TEST(Sources, ARestartCountsUpOnlyIfTheValueChanged) {
    const Scratch scratch;
    const auto credential = file_credential(scratch.write("key", "one"));
    EXPECT_EQ(version_of(*std::make_unique<Sources>(scratch.path()), credential), "2026-11");
    EXPECT_EQ(version_of(*std::make_unique<Sources>(scratch.path()), credential), "2026-11");
    scratch.write("key", "two");
    EXPECT_EQ(version_of(*std::make_unique<Sources>(scratch.path()), credential), "2026-11+1");
    scratch.write("key", "one");
    EXPECT_EQ(version_of(*std::make_unique<Sources>(scratch.path()), credential), "2026-11+2");
}

TEST(Sources, ANewConfiguredVersionKeepsTheCounter) {
    const Scratch scratch;
    Sources sources{scratch.path()};
    auto credential = file_credential(scratch.write("key", "one"));
    EXPECT_EQ(version_of(sources, credential), "2026-11");
    scratch.replace("key", "two");
    credential.version = "2026-12";
    EXPECT_EQ(version_of(sources, credential), "2026-12+1");
}

TEST(Sources, CountersAreKeptPerCredential) {
    const Scratch scratch;
    Sources sources{scratch.path()};
    const auto first = file_credential(scratch.write("first", "one"));
    auto second = file_credential(scratch.write("second", "one"));
    second.id = "other-key";
    EXPECT_EQ(version_of(sources, first), "2026-11");
    EXPECT_EQ(version_of(sources, second), "2026-11");
    scratch.replace("first", "two");
    EXPECT_EQ(version_of(sources, first), "2026-11+1");
    EXPECT_EQ(version_of(sources, second), "2026-11");
}

TEST(Sources, TheCounterFileIsPrivateAndHoldsNoValue) {
    const Scratch scratch;
    Sources sources{scratch.path()};
    const auto credential = file_credential(scratch.write("key", "canary-value"));
    EXPECT_EQ(version_of(sources, credential), "2026-11");
    struct stat found {};
    ASSERT_EQ(::stat((scratch / "rotations").c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0600U);
    const auto text = scratch.read("rotations");
    EXPECT_EQ(text.find("canary"), std::string::npos);
    EXPECT_EQ(text.find(sha256("canary-value").text()), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(scratch / "rotations.new"));
}

TEST(Sources, ADamagedCounterFileStopsTheCredentialAndIsNotReplaced) {
    for (const std::string damage :
         {"", "{", "{\"version\":2}", R"({"version":1,"salt":"00","credentials":{}})"}) {
        SCOPED_TRACE(damage);
        const Scratch scratch;
        scratch.write("rotations", damage);
        Sources sources{scratch.path()};
        const auto credential = file_credential(scratch.write("key", "one"));
        EXPECT_EQ(version_of(sources, credential), "CREDENTIAL_SOURCE_UNAVAILABLE");
        EXPECT_EQ(scratch.read("rotations"), damage);
    }
}

TEST(Sources, WithoutAPlaceForTheCounterNothingIsGivenOut) {
    const Scratch scratch;
    Sources sources{scratch / "no-such-folder"};
    const auto credential = file_credential(scratch.write("key", "one"));
    EXPECT_EQ(version_of(sources, credential), "CREDENTIAL_SOURCE_UNAVAILABLE");
    EXPECT_EQ(sources.cached(credential), nullptr);
}

TEST(Sources, CachedIsFreshForOneSecond) {
    const Scratch scratch;
    HandClock clock;
    Sources sources{scratch.path(), &clock};
    const auto credential = file_credential(scratch.write("key", "one"));
    EXPECT_EQ(sources.cached(credential), nullptr) << "nothing was obtained yet";
    ASSERT_TRUE(sources.obtain(credential));
    ASSERT_NE(sources.cached(credential), nullptr);
    EXPECT_EQ(sources.cached(credential)->version, "2026-11");
    clock.moved = 1s;
    EXPECT_EQ(sources.cached(credential), nullptr);
    ASSERT_TRUE(sources.obtain(credential));
    EXPECT_NE(sources.cached(credential), nullptr);
}

TEST(Sources, CachedKnowsTheCredentialThatItWasReadFor) {
    const Scratch scratch;
    Sources sources{scratch.path()};
    auto credential = file_credential(scratch.write("key", "one"));
    ASSERT_TRUE(sources.obtain(credential));
    credential.version = "2026-12";
    EXPECT_EQ(sources.cached(credential), nullptr) << "the configuration names another version";
    credential = file_credential(scratch.write("elsewhere", "two"));
    EXPECT_EQ(sources.cached(credential), nullptr) << "the configuration names another file";
}

TEST(Sources, AFileThatIsGoneTakesItsCachedValueAlong) {
    const Scratch scratch;
    Sources sources{scratch.path()};
    const auto credential = file_credential(scratch.write("key", "one"));
    ASSERT_TRUE(sources.obtain(credential));
    std::filesystem::remove(scratch / "key");
    EXPECT_EQ(version_of(sources, credential), "CREDENTIAL_MISSING");
    EXPECT_EQ(sources.cached(credential), nullptr);
}

TEST(Sources, TheEnvironmentIsReadOnce) {
    const Scratch scratch;
    Sources sources{scratch.path()};
    auto credential = file_credential("");
    credential.source = {SecretSource::Kind::env, "SWORN_TEST_ONCE"};
    ASSERT_EQ(::setenv("SWORN_TEST_ONCE", "one", 1), 0);
    EXPECT_EQ(value_of(sources, credential), "one");
    ASSERT_EQ(::setenv("SWORN_TEST_ONCE", "two", 1), 0);
    EXPECT_EQ(value_of(sources, credential), "one");
    EXPECT_NE(sources.cached(credential), nullptr);
    ASSERT_EQ(::unsetenv("SWORN_TEST_ONCE"), 0);
}

TEST(Sources, ErrorsNameTheCredentialAndNeverTheValue) {
    const Scratch scratch;
    Sources sources{scratch.path()};
    for (const std::string value : {"K3y\r\nX-Evil: 1", "K3y\xc3\xa9", "K3y\x7f"}) {
        const auto obtained = sources.obtain(file_credential(scratch.write("key", value)));
        ASSERT_FALSE(obtained);
        EXPECT_EQ(obtained.error().code, Code::injection_unsupported);
        EXPECT_EQ(obtained.error().field.view(), "pay-key");
        EXPECT_EQ(obtained.error().why.view().find("K3y"), std::string_view::npos);
    }
}

}  // namespace
}  // namespace sworn::credentials
