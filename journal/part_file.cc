#include "journal/part_file.h"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace sworn::journal {
namespace {

constexpr std::size_t id_text_bytes = 30;

bool sync_directory(const std::filesystem::path& directory) noexcept {
    const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool synced = ::fsync(descriptor) == 0;
    ::close(descriptor);
    return synced;
}

Error store_failed(Literal why) {
    return Error{Code::result_store_failed, why};
}

}  // namespace

std::string part_file_name(InvocationId id, std::uint32_t generation) {
    return id.text() + "." + std::to_string(generation);
}

std::optional<PartFileName> parse_part_file_name(std::string_view name) {
    if (name.size() <= id_text_bytes + 1 || name[id_text_bytes] != '.') return {};
    const std::optional<InvocationId> id = parse_invocation_id(name.substr(0, id_text_bytes));
    if (!id) return {};
    const std::string_view digits = name.substr(id_text_bytes + 1);
    std::uint32_t generation = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), generation);
    if (error != std::errc{} || end != digits.data() + digits.size()) return {};
    if (part_file_name(*id, generation) != name) return {};
    return PartFileName{*id, generation};
}

Result<PartFile> PartFile::create(const std::filesystem::path& directory, InvocationId id,
                                  std::uint32_t generation) {
    std::string name = part_file_name(id, generation);
    const int descriptor = ::open((directory / name).c_str(),
                                  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) return store_failed("the result file cannot be made");
    return PartFile{directory, std::move(name), descriptor};
}

PartFile::PartFile(std::filesystem::path directory, std::string name, int descriptor)
    : directory_{std::move(directory)}, name_{std::move(name)}, descriptor_{descriptor} {}

PartFile::PartFile(PartFile&& other) noexcept
    : directory_{std::move(other.directory_)},
      name_{std::move(other.name_)},
      descriptor_{std::exchange(other.descriptor_, -1)},
      bytes_{other.bytes_},
      running_{std::move(other.running_)},
      failed_{other.failed_},
      kept_{std::exchange(other.kept_, true)} {}

PartFile& PartFile::operator=(PartFile&& other) noexcept {
    if (this == &other) return *this;
    remove();
    directory_ = std::move(other.directory_);
    name_ = std::move(other.name_);
    descriptor_ = std::exchange(other.descriptor_, -1);
    bytes_ = other.bytes_;
    running_ = std::move(other.running_);
    failed_ = other.failed_;
    kept_ = std::exchange(other.kept_, true);
    return *this;
}

PartFile::~PartFile() {
    remove();
}

void PartFile::close() noexcept {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
}

void PartFile::remove() noexcept {
    close();
    if (kept_) return;
    kept_ = true;
    // Recovery removes it again if this does not reach the disk.
    ::unlink((directory_ / name_).c_str());
}

Status PartFile::write(std::string_view bytes) {
    if (failed_ || descriptor_ < 0) return store_failed("the result file failed before");
    std::string_view rest = bytes;
    while (!rest.empty()) {
        const ssize_t taken = ::write(descriptor_, rest.data(), rest.size());
        if (taken < 0 && errno == EINTR) continue;
        if (taken <= 0) {
            failed_ = true;
            return store_failed("the result file cannot be written");
        }
        rest.remove_prefix(static_cast<std::size_t>(taken));
    }
    running_.update(bytes);
    bytes_ += bytes.size();
    return Done{};
}

Result<SyncedResult> PartFile::sync() {
    if (failed_ || descriptor_ < 0) return store_failed("the result file failed before");
    const bool synced = ::fdatasync(descriptor_) == 0 && sync_directory(directory_);
    close();
    if (!synced) {
        failed_ = true;
        return store_failed("the result file cannot be synced");
    }
    return SyncedResult{name_, bytes_, running_.digest()};
}

std::optional<std::string> read_file_range(const std::filesystem::path& file, std::uint64_t offset,
                                           std::uint64_t size) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) return {};
    std::string bytes(size, '\0');
    std::size_t filled = 0;
    while (filled < size) {
        const ssize_t got = ::pread(descriptor, bytes.data() + filled, size - filled,
                                    static_cast<off_t>(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        filled += static_cast<std::size_t>(got);
    }
    ::close(descriptor);
    if (filled != size) return {};
    return bytes;
}

void remove_part_file(const std::filesystem::path& directory, const std::string& name) noexcept {
    if (::unlink((directory / name).c_str()) == 0) sync_directory(directory);
}

}  // namespace sworn::journal
