// Commands before there is a broker: checking a configuration, laying out a directory, the CA.
#include <openssl/rand.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

#include "proxy/cli/authority.h"
#include "proxy/cli/commands.h"
#include "proxy/cli/exit_code.h"
#include "proxy/config/load.h"
#include "proxy/config/starter.h"

namespace sworn::cli {

namespace fs = std::filesystem;

int run_check(const fs::path& config) {
    const auto file = find_config(config);
    if (file.empty()) {
        return fail(CliError{"no configuration is named: give --config FILE", exit_usage});
    }
    const auto loaded = config::load_file(file);
    if (!loaded) {
        std::fputs(config::format(file, loaded.error()).c_str(), stderr);
        return exit_refused;
    }
    const auto& snapshot = **loaded;
    std::printf("%s is valid: %zu routes, %zu credentials, %zu proxy listeners\n", file.c_str(),
                snapshot.routes.size() + snapshot.ssh_routes.size(), snapshot.credentials.size(),
                snapshot.listen.proxy.size());
    return exit_done;
}

namespace {

constexpr std::size_t token_bytes = 32;

/// Empty where the system has no randomness to give.
std::string random_hex() {
    unsigned char bytes[token_bytes];
    if (RAND_bytes(bytes, sizeof bytes) != 1) return {};
    std::string text;
    for (const unsigned char byte : bytes) {
        char pair[3];
        std::snprintf(pair, sizeof pair, "%02x", byte);
        text += pair;
    }
    return text;
}

/// Everything that init writes; none of it may be there already.
constexpr const char* made_files[] = {"sworn.yaml", "data/ca.pem", "data/ca.key",
                                      "data/control.token"};

Result<Done, AuthorityError> lay_out(const fs::path& directory) {
    std::error_code failed;
    for (const char* name : made_files) {
        if (fs::exists(fs::symlink_status(directory / name, failed))) {
            return AuthorityError{(directory / name).string() +
                                  " is there already; nothing was overwritten"};
        }
    }
    const auto token = random_hex();
    if (token.empty()) return AuthorityError{"the system has no randomness for a token"};
    fs::create_directories(directory / "data", failed);
    if (failed) {
        return AuthorityError{"cannot make " + (directory / "data").string() + ": " +
                              failed.message()};
    }
    ::chmod(directory.c_str(), 0700);
    ::chmod((directory / "data").c_str(), 0700);
    if (auto done = write_new_file(directory / "sworn.yaml", config::starter_config()); !done) {
        return done.error();
    }
    if (auto done = make_authority(directory / "data"); !done) return done.error();
    return write_new_file(directory / "data/control.token", token + "\n");
}

Result<fs::path, CliError> configured_certificate(const fs::path& config) {
    const auto file = find_config(config);
    if (file.empty()) {
        return CliError{"no configuration is named: give --config FILE", exit_usage};
    }
    const auto loaded = config::load_file(file);
    if (!loaded) return CliError{config::format(file, loaded.error()), exit_refused};
    if ((*loaded)->ca_cert.empty()) {
        return CliError{file.string() + " names no CA (intercept.ca_cert)", exit_refused};
    }
    return (*loaded)->ca_cert;
}

}  // namespace

int run_init(const fs::path& directory) {
    ::umask(077);
    if (auto done = lay_out(directory); !done) {
        return fail(CliError{done.error().what, exit_refused});
    }
    const auto config = (directory / "sworn.yaml").string();
    std::printf(
        "Written to %s (mode 0700, files 0600):\n"
        "  sworn.yaml          the configuration, commented; add your routes and credentials\n"
        "  data/ca.pem, ca.key the local CA that intercepted HTTPS is signed with\n"
        "  data/control.token  opens the control API on TCP\n\n"
        "Next:\n"
        "  sworn check --config %s\n"
        "  sworn serve --config %s\n"
        "  export http_proxy=http://127.0.0.1:8118    # in the client's shell\n",
        directory.c_str(), config.c_str(), config.c_str());
    return exit_done;
}

int run_ca_init(const fs::path& directory) {
    ::umask(077);
    std::error_code ignored;
    fs::create_directories(directory, ignored);
    if (auto done = make_authority(directory); !done) {
        return fail(CliError{done.error().what, exit_refused});
    }
    std::printf("written: %s and ca.key\n", (directory / "ca.pem").c_str());
    return exit_done;
}

int run_ca_show(const fs::path& config) {
    const auto certificate = configured_certificate(config);
    if (!certificate) return fail(certificate.error());
    const auto info = read_authority(*certificate);
    if (!info) return fail(CliError{info.error().what, exit_refused});
    std::printf("file       %s\nsubject    %s\nvalid from %s\nvalid to   %s\nsha256     %s\n",
                certificate->c_str(), info->subject.c_str(), info->not_before.c_str(),
                info->not_after.c_str(), info->sha256.c_str());
    return exit_done;
}

int run_ca_export(const fs::path& config) {
    const auto certificate = configured_certificate(config);
    if (!certificate) return fail(certificate.error());
    std::ifstream file{*certificate, std::ios::binary};
    const std::string pem{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
    if (pem.empty()) {
        return fail(CliError{"cannot read " + certificate->string(), exit_refused});
    }
    print(pem);
    return exit_done;
}

}  // namespace sworn::cli
