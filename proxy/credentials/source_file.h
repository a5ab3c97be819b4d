// A secret's file as the rotation check sees it. Private to this room.
#pragma once

#include <cstdint>
#include <string>

#include "common/result.h"
#include "common/secret.h"

namespace sworn::credentials {

/// What differs once a file was written again or replaced. Links are followed, so a swap of a
/// Kubernetes "..data" link differs by inode.
struct FileIdentity {
    std::uint64_t device = 0, inode = 0;
    std::int64_t size = 0;
    std::int64_t modified_ns = 0;  ///< Since the epoch.

    bool operator==(const FileIdentity&) const = default;
};

struct FileValue {
    Secret secret;
    FileIdentity identity;  ///< Of the very bytes that were read.
};

/// Errors: credential_missing where there is no file, else credential_source_unavailable.
[[nodiscard]] Result<FileIdentity> identify(const std::string& path);
/// Reads and checks a value; errors as read_source().
[[nodiscard]] Result<FileValue> read_file_value(const std::string& path);

}  // namespace sworn::credentials
