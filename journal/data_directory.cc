#include "journal/data_directory.h"

#include <array>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sworn::journal {
namespace {

constexpr std::size_t holder_bytes_max = 512;
constexpr mode_t private_directory = 0700;
constexpr mode_t private_file = 0600;

std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

/// "process 4711 on host a since 2026-…", as its own process wrote it.
std::string read_holder(int descriptor) {
    std::string text(holder_bytes_max, '\0');
    const ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text.empty() ? "another process" : text;
}

bool write_holder(int descriptor, WallTime now) {
    const std::string text = "process " + std::to_string(::getpid()) + " on host " + host_name() +
                             " since " + format_rfc3339(now) + "\n";
    if (::ftruncate(descriptor, 0) != 0) return false;
    return ::pwrite(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

bool make_private_directory(const std::filesystem::path& path) {
    if (::mkdir(path.c_str(), private_directory) == 0) return true;
    std::error_code error;
    return std::filesystem::is_directory(path, error);
}

}  // namespace

Result<DataDirectory, DataDirectory::OpenError> DataDirectory::open(
    const std::filesystem::path& path, WallTime now) {
    std::error_code error;
    if (!path.parent_path().empty()) std::filesystem::create_directories(path.parent_path(), error);
    for (const std::filesystem::path& each : {path, path / "journal", path / "results"}) {
        if (!make_private_directory(each)) {
            return OpenError{"the directory " + each.string() + " cannot be made"};
        }
    }
    const int holder =
        ::open((path / "holder").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, private_file);
    if (holder < 0)
        return OpenError{"the file " + (path / "holder").string() + " cannot be opened"};
    if (::flock(holder, LOCK_EX | LOCK_NB) != 0) {
        const std::string who = read_holder(holder);
        ::close(holder);
        return OpenError{"the journal in " + path.string() + " is in use by " + who};
    }
    DataDirectory directory{path, holder};
    if (!write_holder(holder, now)) {
        return OpenError{"the file " + (path / "holder").string() + " cannot be written"};
    }
    return directory;
}

DataDirectory::DataDirectory(const std::filesystem::path& path, int holder)
    : reserve_{path / "reserve"},
      journal_{path / "journal"},
      results_{path / "results"},
      holder_{holder} {}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : reserve_{std::move(other.reserve_)},
      journal_{std::move(other.journal_)},
      results_{std::move(other.results_)},
      holder_{std::exchange(other.holder_, -1)} {}

DataDirectory::~DataDirectory() {
    if (holder_ >= 0) ::close(holder_);
}

bool DataDirectory::make_reserve(std::uint64_t bytes) noexcept {
    if (bytes == 0) return true;
    const int descriptor =
        ::open(reserve_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, private_file);
    if (descriptor < 0) return false;
    const bool made = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) == 0;
    // A part of it would only make the disk fuller.
    if (!made && ::ftruncate(descriptor, 0) != 0) ::unlink(reserve_.c_str());
    ::close(descriptor);
    return made;
}

void DataDirectory::release_reserve() noexcept {
    if (::truncate(reserve_.c_str(), 0) != 0) ::unlink(reserve_.c_str());
}

std::uint64_t DataDirectory::result_bytes() const {
    std::uint64_t bytes = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator at{results_, error}, end; !error && at != end;
         at.increment(error)) {
        std::error_code gone;
        const std::uintmax_t size = at->file_size(gone);
        if (!gone) bytes += size;
    }
    return bytes;
}

}  // namespace sworn::journal
