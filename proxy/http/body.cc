#include "proxy/http/body.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace sworn::http {

namespace {

const Error spool_failed{Code::broker_overloaded, "The request body could not be spooled.", "body"};

/// A file that no name leads to, mode 0600; -1 on failure.
int open_unnamed(const std::filesystem::path& directory) {
    const int unnamed = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (unnamed >= 0) return unnamed;
    // Not every file system has O_TMPFILE.
    if (errno != EOPNOTSUPP && errno != EISDIR) return -1;
    auto name = (directory / "body-XXXXXX").string();
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) ::unlink(name.c_str());
    return named;
}

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace

BodyContent::~BodyContent() {
    if (descriptor >= 0) ::close(descriptor);
}

Result<std::size_t> BodyContent::read(std::uint64_t offset, char* into, std::size_t count) const {
    if (offset >= size) return std::size_t{0};
    if (descriptor < 0) {
        const auto part = std::string_view{memory}.substr(static_cast<std::size_t>(offset), count);
        std::copy(part.begin(), part.end(), into);
        return part.size();
    }
    std::size_t done = 0;
    while (done < count) {
        const auto got =
            ::pread(descriptor, into + done, count - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return spool_failed;
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

Body::Body(std::filesystem::path spool_directory)
    : directory_{std::move(spool_directory)}, content_{std::make_shared<BodyContent>()} {}
Body::Body(Body&&) noexcept = default;
Body& Body::operator=(Body&&) noexcept = default;
Body::~Body() = default;

Status Body::append(std::string_view bytes) {
    if (!spooled() && would_spool(bytes.size())) {
        const auto spilled = spill();
        if (!spilled) return spilled.error();
    }
    if (spooled()) {
        if (!write_all(content_->descriptor, bytes)) return spool_failed;
    } else {
        content_->memory.append(bytes);
    }
    running_.update(bytes);
    content_->size += bytes.size();
    return Done{};
}

Status Body::spill() {
    const int descriptor = open_unnamed(directory_);
    if (descriptor < 0) return spool_failed;
    content_->descriptor = descriptor;
    if (!write_all(descriptor, content_->memory)) return spool_failed;
    content_->memory = std::string{};
    return Done{};
}

Digest Body::digest() const noexcept {
    return running_.digest();
}

Result<std::size_t> Body::read(std::uint64_t offset, char* into, std::size_t count) const {
    return content_->read(offset, into, count);
}

}  // namespace sworn::http
