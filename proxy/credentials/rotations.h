// How often each credential's value changed, kept in one small file so that a version never goes
// back, not over a restart either. The file holds no value: a salted SHA-256 tells whether a value
// is the one seen last. Private to this room; not thread-safe.
//
// Format (docs/formats.md):
// {"version":1,"salt":HEX,"credentials":{ID:{"count":N,"digest":"sha256:…"}}} Mode 0600; replaced
// by an atomic rename, synced with its directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "common/digest.h"
#include "common/result.h"
#include "common/secret.h"

namespace sworn::credentials {

class Rotations {
public:
    explicit Rotations(std::filesystem::path data_dir) : data_dir_{std::move(data_dir)} {}

    /// The number of changes so far, counting this value if it differs from the one seen last.
    /// Durable on return. Blocking. Error: credential_source_unavailable, where the file cannot be
    /// read or written; an unreadable file is never replaced.
    [[nodiscard]] Result<std::uint64_t> count(const std::string& id, const Secret& value);

private:
    struct Seen {
        std::uint64_t count = 0;
        Digest digest;
    };
    using SeenById = std::map<std::string, Seen>;

    [[nodiscard]] Status load();
    [[nodiscard]] bool read_document(const std::string& text);
    [[nodiscard]] Status store(const SeenById& seen) const;
    [[nodiscard]] Digest digest_of(const std::string& id, const Secret& value) const;

    std::filesystem::path data_dir_;
    bool loaded_ = false;
    std::string salt_;  ///< Hexadecimal.
    SeenById seen_;
};

}  // namespace sworn::credentials
