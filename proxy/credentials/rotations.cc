#include "proxy/credentials/rotations.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <openssl/rand.h>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "common/json.h"

namespace sworn::credentials {
namespace {

constexpr std::size_t salt_bytes = 32;

Error unreadable() {
    return {Code::credential_source_unavailable,
            "The rotation counters in the data directory cannot be read."};
}

Error not_stored() {
    return {Code::credential_source_unavailable,
            "The rotation counter could not be stored in the data directory."};
}

std::string hexadecimal(const std::array<unsigned char, salt_bytes>& bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : bytes) {
        text += digits[byte >> 4U];
        text += digits[byte & 0x0fU];
    }
    return text;
}

bool write_whole(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(fd, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool sync_directory(const std::filesystem::path& directory) {
    const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool synced = ::fsync(fd) == 0;
    return (::close(fd) == 0) && synced;
}

bool write_synced(const std::filesystem::path& file, std::string_view bytes) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    // A left-over of another run may have another mode.
    const bool written = ::fchmod(fd, 0600) == 0 && write_whole(fd, bytes) && ::fsync(fd) == 0;
    return (::close(fd) == 0) && written;
}

}  // namespace

Result<std::uint64_t> Rotations::count(const std::string& id, const Secret& value) {
    if (!loaded_) {
        if (const auto done = load(); !done) return done.error();
        loaded_ = true;
    }
    const Digest digest = digest_of(id, value);
    const auto known = seen_.find(id);
    if (known != seen_.end() && known->second.digest == digest) return known->second.count;

    const std::uint64_t count = known == seen_.end() ? 0 : known->second.count + 1;
    SeenById next = seen_;
    next[id] = Seen{count, digest};
    if (const auto done = store(next); !done) return done.error();
    seen_ = std::move(next);
    return count;
}

Status Rotations::load() {
    const auto file = data_dir_ / "rotations";
    std::ifstream in{file, std::ios::binary};
    if (!in) {
        std::error_code error;
        const auto kind = std::filesystem::symlink_status(file, error).type();
        if (kind != std::filesystem::file_type::not_found) return unreadable();
        std::array<unsigned char, salt_bytes> salt{};
        if (RAND_bytes(salt.data(), static_cast<int>(salt.size())) != 1) return unreadable();
        salt_ = hexadecimal(salt);
        return Done{};
    }
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    if (in.bad() || !read_document(text)) return unreadable();
    return Done{};
}

bool Rotations::read_document(const std::string& text) {
    const auto document = parse_json(text);
    if (!document || json_pointer_text(*document, "/version") != "1") return false;
    const auto salt = json_pointer_text(*document, "/salt");
    const auto* credentials = json_pointer(*document, "/credentials");
    if (!salt || salt->size() != 2 * salt_bytes) return false;
    if (credentials == nullptr || !credentials->is_object()) return false;

    SeenById seen;
    for (const auto& [id, entry] : credentials->get_object()) {
        const auto* count = json_pointer(entry, "/count");
        const auto digest = parse_digest(json_pointer_text(entry, "/digest").value_or(""));
        if (count == nullptr || !count->is_int64() || count->get_int64() < 0) return false;
        if (!digest) return false;
        seen[std::string{id}] = Seen{static_cast<std::uint64_t>(count->get_int64()), *digest};
    }
    salt_ = *salt;
    seen_ = std::move(seen);
    return true;
}

Status Rotations::store(const SeenById& seen) const {
    boost::json::object credentials;
    for (const auto& [id, entry] : seen) {
        boost::json::object item;
        item["count"] = static_cast<std::int64_t>(entry.count);
        item["digest"] = entry.digest.text();
        credentials[id] = std::move(item);
    }
    boost::json::object document;
    document["version"] = 1;
    document["salt"] = salt_;
    document["credentials"] = std::move(credentials);

    const auto fresh = data_dir_ / "rotations.new";
    if (!write_synced(fresh, boost::json::serialize(document) + "\n")) return not_stored();
    std::error_code error;
    std::filesystem::rename(fresh, data_dir_ / "rotations", error);
    if (error || !sync_directory(data_dir_)) return not_stored();
    return Done{};
}

Digest Rotations::digest_of(const std::string& id, const Secret& value) const {
    Sha256 running;
    running.field("sworn rotation 1");
    running.field(salt_);
    running.field(id);
    running.field(value.bytes());
    return running.digest();
}

}  // namespace sworn::credentials
