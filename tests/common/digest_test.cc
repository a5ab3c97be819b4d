#include "common/digest.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>

namespace sworn {
namespace {

constexpr std::string_view abc =
    "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr std::string_view nothing =
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(Digest, AgreesWithTheStandardsVectors) {
    EXPECT_EQ(sha256("abc").text(), abc);
    EXPECT_EQ(sha256("").text(), nothing);
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").text(),
              "sha256:248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1'000'000, 'a')).text(),
              "sha256:cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, ReadsItsOwnTextAndNothingElse) {
    EXPECT_EQ(parse_digest(abc), sha256("abc"));
    for (std::size_t size = 0; size < abc.size(); ++size) {
        EXPECT_FALSE(parse_digest(abc.substr(0, size))) << size;
    }
    EXPECT_FALSE(parse_digest(std::string{abc} + "0"));
    EXPECT_FALSE(parse_digest("SHA256:" + std::string{abc.substr(7)}));
    EXPECT_FALSE(parse_digest("sha512:" + std::string{abc.substr(7)}));
    std::string upper{abc};
    upper[7] = 'B';
    EXPECT_FALSE(parse_digest(upper)) << "one spelling only";
    std::string no_hex{abc};
    no_hex.back() = 'g';
    EXPECT_FALSE(parse_digest(no_hex));
}

TEST(RunningDigest, DoesNotCareHowTheBytesCome) {
    const std::string bytes = "a message in several parts";
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        Sha256 hash;
        hash.update(std::string_view{bytes}.substr(0, cut));
        hash.update(std::string_view{bytes}.substr(cut));
        EXPECT_EQ(hash.digest(), sha256(bytes)) << cut;
    }
}

TEST(RunningDigest, GoesOnAfterItWasRead) {
    Sha256 hash;
    EXPECT_EQ(hash.digest(), sha256(""));
    hash.update("ab");
    EXPECT_EQ(hash.digest(), sha256("ab"));
    EXPECT_EQ(hash.digest(), sha256("ab"));
    hash.update("c");
    EXPECT_EQ(hash.digest(), sha256("abc"));
}

TEST(RunningDigest, MovesWithItsState) {
    Sha256 first;
    first.update("ab");
    Sha256 second{std::move(first)};
    second.update("c");
    EXPECT_EQ(second.digest(), sha256("abc"));
    Sha256 third;
    third = std::move(second);
    EXPECT_EQ(third.digest(), sha256("abc"));
}

TEST(RunningDigest, FieldsCannotRunIntoEachOther) {
    const auto of = [](std::string_view a, std::string_view b) {
        Sha256 hash;
        hash.field(a);
        hash.field(b);
        return hash.digest();
    };
    EXPECT_EQ(of("ab", "c"), of("ab", "c"));
    EXPECT_NE(of("ab", "c"), of("a", "bc"));
    EXPECT_NE(of("abc", ""), of("", "abc"));
    EXPECT_NE(of("", ""), sha256(""));
}

TEST(RunningDigest, AFieldIsEightBytesOfLengthAndItsBytes) {
    Sha256 hash;
    hash.field("abc");
    EXPECT_EQ(hash.digest(), sha256(std::string_view{"\0\0\0\0\0\0\0\3abc", 11}));
}

TEST(RunningDigest, ThreadsDoNotShareAnything) {
    Digest there;
    std::thread other{[&there] { there = sha256("abc"); }};
    const Digest here = sha256("abc");
    other.join();
    EXPECT_EQ(there, here);
}

}  // namespace
}  // namespace sworn
