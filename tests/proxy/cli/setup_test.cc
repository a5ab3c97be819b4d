// Commands before there is a broker: init, check, ca.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <sys/stat.h>

#include "proxy/cli/authority.h"
#include "proxy/cli/exit_code.h"
#include "tests/proxy/cli/cli_rig.h"

namespace sworn::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto owner_only = fs::perms::owner_read | fs::perms::owner_write;

using X509Ptr = std::unique_ptr<X509, decltype(&X509_free)>;
using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

X509Ptr read_certificate(const fs::path& file) {
    BIO* in = BIO_new_file(file.c_str(), "r");
    X509Ptr read{PEM_read_bio_X509(in, nullptr, nullptr, nullptr), X509_free};
    BIO_free(in);
    return read;
}

KeyPtr read_key(const fs::path& file) {
    BIO* in = BIO_new_file(file.c_str(), "r");
    KeyPtr read{PEM_read_bio_PrivateKey(in, nullptr, nullptr, nullptr), EVP_PKEY_free};
    BIO_free(in);
    return read;
}

TEST(Init, WritesWhatCheckAcceptsForTheOwnerOnly) {
    Home home;
    const auto ran = sworn({"init", "new"});
    EXPECT_EQ(ran.exit_code, exit_done) << ran.err;
    EXPECT_NE(ran.out.find("sworn serve --config new/sworn.yaml"), std::string::npos) << ran.out;
    for (const char* folder : {"new", "new/data"}) {
        EXPECT_EQ(fs::status(home.folder / folder).permissions(), fs::perms::owner_all) << folder;
    }
    for (const char* file :
         {"new/sworn.yaml", "new/data/ca.pem", "new/data/ca.key", "new/data/control.token"}) {
        EXPECT_EQ(fs::status(home.folder / file).permissions(), owner_only) << file;
    }
    const auto checked = sworn({"check", "--config", "new/sworn.yaml"});
    EXPECT_EQ(checked.exit_code, exit_done) << checked.err;
    EXPECT_NE(checked.out.find("new/sworn.yaml is valid"), std::string::npos);
    EXPECT_EQ(checked.err, "");
}

TEST(Init, ClosesAFolderThatWasOpen) {
    Home home;
    fs::create_directories(home.folder / "new/data");
    for (const char* folder : {"new", "new/data"})
        fs::permissions(home.folder / folder, fs::perms::all);
    ASSERT_EQ(sworn({"init", "new"}).exit_code, exit_done);
    for (const char* folder : {"new", "new/data"}) {
        EXPECT_EQ(fs::status(home.folder / folder).permissions(), fs::perms::owner_all) << folder;
    }
}

TEST(NewFile, IsForItsOwnerWhateverTheMaskAndNeverOverwrites) {
    Home home;
    ::umask(0);
    const auto file = home.folder / "secret";
    ASSERT_TRUE(write_new_file(file, "first"));
    EXPECT_EQ(fs::status(file).permissions(), owner_only);
    const auto again = write_new_file(file, "second");
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().what.find("is there already"), std::string::npos);
    EXPECT_EQ(home.folder.read("secret"), "first");
}

TEST(Init, MakesATokenThatNobodyGuesses) {
    Home home;
    ASSERT_EQ(sworn({"init", "one"}).exit_code, exit_done);
    ASSERT_EQ(sworn({"init", "two"}).exit_code, exit_done);
    const auto one = home.folder.read("one/data/control.token");
    EXPECT_EQ(one.size(), 65u);
    EXPECT_EQ(one.find_first_not_of("0123456789abcdef"), 64u);
    EXPECT_NE(one, home.folder.read("two/data/control.token"));
    EXPECT_NE(home.folder.read("one/data/ca.key"), home.folder.read("two/data/ca.key"));
}

TEST(Init, OverwritesNothingAndNamesWhatIsThere) {
    for (const char* file : {"sworn.yaml", "data/ca.pem", "data/ca.key", "data/control.token"}) {
        SCOPED_TRACE(file);
        Home home;
        fs::create_directories(home.folder / "new/data");
        home.folder.write(std::string{"new/"} + file, "mine");
        const auto ran = sworn({"init", "new"});
        EXPECT_EQ(ran.exit_code, exit_refused);
        EXPECT_EQ(ran.err, "sworn: new/" + std::string{file} +
                               " is there already; nothing was overwritten\n");
        EXPECT_EQ(home.folder.read(std::string{"new/"} + file), "mine");
        std::size_t files = 0;
        for (const auto& entry : fs::recursive_directory_iterator{home.folder / "new"})
            files += entry.is_regular_file() ? 1u : 0u;
        EXPECT_EQ(files, 1u) << "nothing was written beside it";
    }
}

TEST(Init, FollowsNoLinkToAnotherPlace) {
    Home home;
    fs::create_directories(home.folder / "new");
    fs::create_symlink(home.folder / "elsewhere", home.folder / "new/sworn.yaml");
    EXPECT_EQ(sworn({"init", "new"}).exit_code, exit_refused);
    EXPECT_FALSE(fs::exists(home.folder / "elsewhere"));
}

TEST(Init, SaysWhereItCannotWrite) {
    Home home;
    home.folder.write("file", "");
    const auto ran = sworn({"init", "file/new"});
    EXPECT_EQ(ran.exit_code, exit_refused);
    EXPECT_TRUE(ran.err.starts_with("sworn: cannot make file/new/data: ")) << ran.err;
}

TEST(Authority, SignsLeavesAndNothingElse) {
    Home home;
    ASSERT_EQ(sworn({"ca", "init", "ca"}).exit_code, exit_done);
    const auto certificate = read_certificate(home.folder / "ca/ca.pem");
    const auto key = read_key(home.folder / "ca/ca.key");
    ASSERT_TRUE(certificate);
    ASSERT_TRUE(key);
    EXPECT_EQ(fs::status(home.folder / "ca/ca.key").permissions(), owner_only);
    EXPECT_EQ(X509_verify(certificate.get(), key.get()), 1);
    EXPECT_EQ(X509_check_private_key(certificate.get(), key.get()), 1);
    EXPECT_EQ(X509_check_ca(certificate.get()), 1);
    EXPECT_EQ(X509_get_pathlen(certificate.get()), 0);
    EXPECT_EQ(X509_get_key_usage(certificate.get()),
              static_cast<std::uint32_t>(KU_KEY_CERT_SIGN | KU_CRL_SIGN));
    EXPECT_EQ(X509_get_version(certificate.get()), X509_VERSION_3);
    EXPECT_NE(X509_get0_subject_key_id(certificate.get()), nullptr);
    EXPECT_EQ(X509_cmp_current_time(X509_get0_notBefore(certificate.get())), -1);
    EXPECT_EQ(X509_cmp_current_time(X509_get0_notAfter(certificate.get())), 1);
    char group[32] = {};
    EXPECT_EQ(EVP_PKEY_get_group_name(key.get(), group, sizeof group, nullptr), 1);
    EXPECT_STREQ(group, "prime256v1");
}

TEST(Authority, IsShownAndExported) {
    Home home;
    ASSERT_EQ(sworn({"init", "new"}).exit_code, exit_done);
    const auto shown = sworn({"ca", "show", "--config", "new/sworn.yaml"});
    EXPECT_EQ(shown.exit_code, exit_done) << shown.err;
    const auto certificate = read_certificate(home.folder / "new/data/ca.pem");
    unsigned char digest[32];
    unsigned size = 0;
    ASSERT_EQ(X509_digest(certificate.get(), EVP_sha256(), digest, &size), 1);
    char hex[65] = {};
    for (unsigned i = 0; i < size; ++i)
        std::snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    EXPECT_NE(shown.out.find(std::string{"sha256     "} + hex + "\n"), std::string::npos);
    EXPECT_NE(shown.out.find("subject    CN=Sworn local CA "), std::string::npos) << shown.out;

    const auto exported = sworn({"ca", "export", "--config", "new/sworn.yaml"});
    EXPECT_EQ(exported.out, home.folder.read("new/data/ca.pem"));
    EXPECT_EQ(exported.out.find("PRIVATE"), std::string::npos);
}

TEST(Authority, IsMissedByName) {
    Home home;
    home.configure("");
    const auto none = sworn({"ca", "show"});
    EXPECT_EQ(none.exit_code, exit_refused);
    EXPECT_NE(none.err.find("names no CA (intercept.ca_cert)"), std::string::npos) << none.err;
    const auto broken = read_authority(home.folder.write("not.pem", "hello"));
    ASSERT_FALSE(broken);
    EXPECT_NE(broken.error().what.find("not.pem"), std::string::npos);
}

TEST(Authority, OverwritesNeitherHalf) {
    for (const char* file : {"ca.pem", "ca.key"}) {
        Home home;
        home.folder.write(file, "mine");
        const auto ran = sworn({"ca", "init", "."});
        EXPECT_EQ(ran.exit_code, exit_refused);
        EXPECT_NE(ran.err.find(std::string{file} + " is there already"), std::string::npos);
        EXPECT_EQ(home.folder.read(file), "mine");
        const auto other = file == std::string_view{"ca.pem"} ? "ca.key" : "ca.pem";
        EXPECT_FALSE(fs::exists(home.folder / other));
    }
}

TEST(Check, NamesEveryFaultWithItsLine) {
    Home home;
    home.folder.write("sworn.yaml",
                      "data_dir: ./data\nlisten: {proxy: [127.0.0.1:0]}\nnam: x\nlimits: 5\n");
    const auto ran = sworn({"check"});
    EXPECT_EQ(ran.exit_code, exit_refused);
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find("sworn.yaml:3"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("sworn.yaml:4"), std::string::npos) << ran.err;
    EXPECT_EQ(sworn({"check", "--config", "absent.yaml"}).exit_code, exit_refused);
}

TEST(Serve, IsRefusedWithTheFaultsOfItsConfiguration) {
    Home home;
    home.folder.write("sworn.yaml", "listen: {proxy: [127.0.0.1:0]}\n");
    const auto ran = sworn({"serve"});
    EXPECT_EQ(ran.exit_code, exit_refused);
    EXPECT_NE(ran.err.find("data_dir"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace sworn::cli
