#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "proxy/credentials/credentials.h"
#include "proxy/credentials/source_file.h"

namespace sworn::credentials {
namespace {

class Descriptor {
public:
    explicit Descriptor(int fd) noexcept : fd_{fd} {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const noexcept { return fd_; }

private:
    int fd_;
};

Error file_error(int error) {
    if (error == ENOENT || error == ENOTDIR) {
        return {Code::credential_missing, "The credential's file does not exist."};
    }
    return {Code::credential_source_unavailable, "The credential's file cannot be read."};
}

FileIdentity identity_of(const struct stat& found) {
    return {.device = static_cast<std::uint64_t>(found.st_dev),
            .inode = static_cast<std::uint64_t>(found.st_ino),
            .size = found.st_size,
            .modified_ns = found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec};
}

/// At most one byte more than may be, so that too much is noticed and not held.
bool read_bytes(int fd, std::string& bytes) {
    bytes.resize(secret_bytes_max + 3);
    std::size_t size = 0;
    while (size < bytes.size()) {
        const ssize_t count = ::read(fd, bytes.data() + size, bytes.size() - size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        if (count == 0) break;
        size += static_cast<std::size_t>(count);
    }
    bytes.resize(size);
    return true;
}

void trim_one_newline(std::string& bytes) {
    if (!bytes.ends_with('\n')) return;
    bytes.pop_back();
    if (bytes.ends_with('\r')) bytes.pop_back();
}

/// Takes the bytes; they are wiped in every case.
Result<Secret> checked(std::string bytes) {
    trim_one_newline(bytes);
    Secret secret{std::move(bytes)};
    if (secret.empty()) {
        return Error{Code::credential_missing, "The credential's value is empty."};
    }
    if (secret.size() > secret_bytes_max) {
        return Error{Code::injection_unsupported, "The credential's value is over 64 KiB."};
    }
    if (secret.bytes().find_first_of(std::string_view{"\r\n\0", 3}) != std::string_view::npos) {
        return Error{Code::injection_unsupported,
                     "The credential's value has a CR, LF or NUL inside, which no request may "
                     "carry; only one trailing newline is trimmed."};
    }
    return secret;
}

Result<Secret> read_environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) {
        return Error{Code::credential_missing,
                     "The credential's environment variable is not set for the broker."};
    }
    return checked(std::string{value});
}

}  // namespace

Result<FileIdentity> identify(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return file_error(errno);
    return identity_of(found);
}

Result<FileValue> read_file_value(const std::string& path) {
    // Not blocking, so that a pipe in the file's place cannot hold a worker for ever.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.get() < 0) return file_error(errno);

    struct stat before {};
    struct stat after {};
    if (::fstat(file.get(), &before) != 0) return file_error(errno);
    if (!S_ISREG(before.st_mode)) {
        return Error{Code::credential_source_unavailable,
                     "The credential's file is not a regular file."};
    }
    std::string bytes;
    if (!read_bytes(file.get(), bytes) || ::fstat(file.get(), &after) != 0) {
        const int error = errno;
        wipe(bytes);
        return file_error(error);
    }
    if (identity_of(before) != identity_of(after)) {
        wipe(bytes);
        return Error{Code::credential_source_unavailable,
                     "The credential's file changed while it was read."};
    }
    auto secret = checked(std::move(bytes));
    if (!secret) return secret.error();
    return FileValue{*std::move(secret), identity_of(before)};
}

Result<Secret> read_source(const config::SecretSource& source) {
    switch (source.kind) {
        case config::SecretSource::Kind::env:
            return read_environment(source.name);
        case config::SecretSource::Kind::file: {
            auto value = read_file_value(source.name);
            if (!value) return value.error();
            return std::move(value->secret);
        }
        case config::SecretSource::Kind::vault:
            return Error{Code::credential_source_unavailable,
                         "This broker has no vault; give the credential an env or file source."};
    }
    return Error{Code::credential_source_unavailable, "The credential's source is unknown."};
}

}  // namespace sworn::credentials
