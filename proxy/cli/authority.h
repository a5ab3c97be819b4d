// The local certificate authority that interception signs with: made by `sworn init` and
// `sworn ca init`, shown and exported. ECDSA P-256.
#pragma once

#include <filesystem>
#include <string>

#include "common/result.h"

namespace sworn::cli {

struct AuthorityError {
    std::string what;
};

struct AuthorityInfo {
    std::string subject, not_before, not_after;
    std::string sha256;  ///< Hex, of the certificate.
};

/// Writes ca.pem and ca.key (mode 0600) into `directory`. Refuses to overwrite either.
[[nodiscard]] Result<Done, AuthorityError> make_authority(const std::filesystem::path& directory);
[[nodiscard]] Result<AuthorityInfo, AuthorityError> read_authority(
    const std::filesystem::path& certificate);

/// Makes a new file, mode 0600, and writes it whole; an existing one is an error.
[[nodiscard]] Result<Done, AuthorityError> write_new_file(const std::filesystem::path& path,
                                                          std::string_view content);

}  // namespace sworn::cli
