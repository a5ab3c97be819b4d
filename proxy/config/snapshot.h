// The configuration as the rest of the program sees it: parsed once, checked once, immutable.
// A reload makes a new Snapshot; whoever holds the old one goes on with it. Every default is
// stated here. Source: docs/configuration.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "proxy/config/route.h"

namespace sworn::config {

/// "127.0.0.1:8118", "[::1]:8118" or "unix:/path" (relative paths: to the config file's folder).
struct Listener {
    enum class Kind : std::uint8_t { tcp, unix_socket };
    Kind kind = Kind::tcp;
    std::string host;        ///< Address literal or name; empty for a socket path.
    std::uint16_t port = 0;  ///< 0: any free port (printed at start).
    std::filesystem::path path;
};

struct Listen {
    std::vector<Listener> proxy, control, ssh;
    std::optional<Listener> metrics;
};

/// Where a secret comes from. Relative file paths are made absolute at load.
struct SecretSource {
    enum class Kind : std::uint8_t { env, file, vault };
    Kind kind = Kind::env;
    std::string name;  ///< Variable name, absolute path, or vault entry.
};

struct Injection {
    enum class Kind : std::uint8_t { none, header, basic, query, client_cert, ssh_key };
    Kind kind = Kind::none;
    std::string header = "Authorization";  ///< header, basic
    std::string format = "{secret}";       ///< header: exactly one {secret}
    std::string username;                  ///< basic, ssh_key
    std::string query;                     ///< query parameter name
    std::string placeholder = "sworn";
    std::filesystem::path client_cert_chain;  ///< client_cert: PEM; empty: it is in the secret.
};

struct Credential {
    std::string id;
    std::string version = "1";
    SecretSource source;
    Injection inject;
};

struct Caller {
    std::string id;
    SecretSource token;
    std::vector<std::string> routes;  ///< Empty: all.
    std::vector<std::string> ssh_keys;
};

/// An address block: `bytes` is the network address, 4 or 16 bytes.
struct Cidr {
    std::vector<std::uint8_t> bytes;
    unsigned prefix = 0;
};

struct Network {
    std::vector<Cidr> allow_private;
    std::filesystem::path trusted_ca;  ///< Empty: the system's.
    std::string upstream_proxy_host;   ///< Empty: none.
    std::uint16_t upstream_proxy_port = 0;
    std::string upstream_proxy_credential;  ///< userinfo in the URL is refused; a credential id.
    std::vector<std::string> nameservers;   ///< "192.0.2.53" or "192.0.2.53:5353"
    std::map<std::string, std::vector<std::string>> resolve;  ///< Lower-case name -> addresses.
};

struct JournalSettings {
    std::string backend = "rocksdb";
    std::uint64_t reserve = 64ull << 20, max_result = 16ull << 20, max_size = 10ull << 30;
    milliseconds retain_results = 72h, retain_records = 24h * 90, retain_tokens = 24h * 400;
};

struct Snapshot {
    std::filesystem::path file;      ///< The config file, absolute.
    std::string name = "sworn";      ///< In Proxy-Status and Via.
    std::filesystem::path data_dir;  ///< Absolute.
    Listen listen;
    std::optional<SecretSource> control_token;
    std::filesystem::path ca_cert, ca_key;  ///< Empty: no interception.
    JournalSettings journal;
    Limits limits;
    Timeouts timeouts;
    std::optional<int> unknown_status;  ///< 424 or absent.
    Network network;
    std::vector<Caller> callers;
    std::vector<Credential> credentials;
    std::vector<Route> routes;
    std::vector<SshRoute> ssh_routes;

    [[nodiscard]] const Credential* credential(std::string_view id) const noexcept;
    [[nodiscard]] const Route* route(std::string_view id) const noexcept;
    [[nodiscard]] const SshRoute* ssh_route(std::string_view id) const noexcept;
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

}  // namespace sworn::config
