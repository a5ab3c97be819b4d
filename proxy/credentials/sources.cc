#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "proxy/credentials/credentials.h"
#include "proxy/credentials/rotations.h"
#include "proxy/credentials/source_file.h"

namespace sworn::credentials {
namespace {

using namespace std::chrono_literals;

constexpr auto fresh_for = 1s;
/// Two writes within one tick of the file system's clock can leave the same time behind, so a file
/// that was young when it was read is read again.
constexpr auto settled_after = 2s;

Error named(Error error, const config::Credential& credential) {
    error.field = FieldPath{credential.id};
    return error;
}

}  // namespace

struct Sources::Impl {
    struct Entry {
        config::SecretSource source;
        std::string configured_version;
        std::shared_ptr<const Obtained> obtained;
        std::optional<FileIdentity> identity;  ///< Files only.
        bool settled = true;                   ///< The same identity means the same bytes.
        SteadyTime checked_at;
    };

    Impl(std::filesystem::path data_dir, const Clock* given)
        : clock{given == nullptr ? system_clock : *given}, rotations{std::move(data_dir)} {}

    [[nodiscard]] std::optional<Entry> find(const config::Credential& credential) const {
        const std::lock_guard lock{entries_mutex};
        const auto found = entries.find(credential.id);
        if (found == entries.end()) return std::nullopt;
        const Entry& entry = found->second;
        const bool same_source = entry.source.kind == credential.source.kind &&
                                 entry.source.name == credential.source.name;
        const bool same_version = entry.configured_version == credential.version;
        if (!same_source || !same_version) return std::nullopt;
        return entry;
    }

    void keep(const std::string& id, Entry entry) {
        const std::lock_guard lock{entries_mutex};
        entries.insert_or_assign(id, std::move(entry));
    }

    void forget(const std::string& id) {
        const std::lock_guard lock{entries_mutex};
        entries.erase(id);
    }

    [[nodiscard]] Result<Entry> refresh(const config::Credential& credential,
                                        std::optional<Entry> known);
    [[nodiscard]] Result<Entry> read_again(const config::Credential& credential);
    [[nodiscard]] Result<FileValue> read_value(const config::SecretSource& source) const;

    SystemClock system_clock;
    const Clock& clock;
    std::mutex disk_mutex;  ///< Held over file reads and syncs; taken before entries_mutex.
    Rotations rotations;
    mutable std::mutex entries_mutex;  ///< Held for moments only: I/O threads take it.
    std::map<std::string, Entry> entries;
};

Result<Sources::Impl::Entry> Sources::Impl::refresh(const config::Credential& credential,
                                                    std::optional<Entry> known) {
    if (!known) return read_again(credential);
    if (credential.source.kind == config::SecretSource::Kind::file) {
        const auto identity = identify(credential.source.name);
        if (!identity) return identity.error();
        if (!known->settled || known->identity != *identity) return read_again(credential);
    }
    known->checked_at = clock.steady();
    return *std::move(known);
}

Result<Sources::Impl::Entry> Sources::Impl::read_again(const config::Credential& credential) {
    auto value = read_value(credential.source);
    if (!value) return value.error();
    if (const auto fits = check_injectable(credential, value->secret); !fits) return fits.error();
    const auto count = rotations.count(credential.id, value->secret);
    if (!count) return count.error();

    std::string version = credential.version;
    if (*count > 0) version += "+" + std::to_string(*count);
    const WallTime modified{std::chrono::floor<std::chrono::microseconds>(
        std::chrono::nanoseconds{value->identity.modified_ns})};
    const bool is_file = credential.source.kind == config::SecretSource::Kind::file;

    Entry entry;
    entry.source = credential.source;
    entry.configured_version = credential.version;
    entry.settled = !is_file || clock.now() - modified > settled_after;
    if (is_file) entry.identity = value->identity;
    Obtained obtained;
    obtained.secret = std::make_shared<const Secret>(std::move(value->secret));
    obtained.version = std::move(version);
    entry.obtained = std::make_shared<const Obtained>(std::move(obtained));
    entry.checked_at = clock.steady();
    return entry;
}

Result<FileValue> Sources::Impl::read_value(const config::SecretSource& source) const {
    if (source.kind == config::SecretSource::Kind::file) return read_file_value(source.name);
    auto secret = read_source(source);
    if (!secret) return secret.error();
    return FileValue{*std::move(secret), FileIdentity{}};
}

Sources::Sources(std::filesystem::path data_dir, const Clock* clock)
    : impl_{std::make_unique<Impl>(std::move(data_dir), clock)} {}

Sources::~Sources() = default;

Result<Obtained> Sources::obtain(const config::Credential& credential) {
    const std::lock_guard lock{impl_->disk_mutex};
    auto entry = impl_->refresh(credential, impl_->find(credential));
    if (!entry) {
        // A value that can no longer be read must not live on in the cache.
        impl_->forget(credential.id);
        return named(entry.error(), credential);
    }
    Obtained obtained = *entry->obtained;
    impl_->keep(credential.id, *std::move(entry));
    return obtained;
}

std::shared_ptr<const Obtained> Sources::cached(const config::Credential& credential) const {
    const auto entry = impl_->find(credential);
    if (!entry) return nullptr;
    const bool is_file = credential.source.kind == config::SecretSource::Kind::file;
    if (is_file && impl_->clock.steady() - entry->checked_at >= fresh_for) return nullptr;
    return entry->obtained;
}

}  // namespace sworn::credentials
