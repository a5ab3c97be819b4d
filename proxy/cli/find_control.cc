// Which broker a command speaks to: what the user says, the environment, a configuration.
#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "proxy/cli/client.h"
#include "proxy/cli/exit_code.h"
#include "proxy/config/load.h"
#include "proxy/credentials/credentials.h"

namespace sworn::cli {

std::string ControlAddress::text() const {
    if (!path.empty()) return "unix:" + path.string();
    const bool is_ipv6 = host.find(':') != std::string::npos;
    return "http://" + (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string percent_encoded(std::string_view text) {
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
        if (plain) {
            out.push_back(c);
        } else {
            out.append("%").append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
        }
    }
    return out;
}

namespace {

CliError usage(std::string what) {
    return CliError{std::move(what), exit_usage};
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string{} : std::string{value};
}

/// The port at the end; nothing for any other spelling, and for 0.
std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto* last = text.data() + text.size();
    const auto [end, failed] = std::from_chars(text.data(), last, port);
    if (failed != std::errc{} || end != last || port == 0) return std::nullopt;
    return port;
}

/// A name or address as it stands in a URL; IPv6 in brackets, which are taken off.
std::optional<std::string> parse_host(std::string_view text) {
    const bool bracketed = text.starts_with('[') && text.ends_with(']');
    if (bracketed) text = text.substr(1, text.size() - 2);
    if (text.empty()) return std::nullopt;
    const auto bad = text.find_first_of(bracketed ? "[]/@ " : "[]/@: ");
    if (bad != std::string_view::npos) return std::nullopt;
    return std::string{text};
}

Result<ControlAddress, CliError> parse_control(std::string_view named) {
    ControlAddress address;
    if (named.starts_with("unix:") && named.size() > 5) {
        address.path = std::filesystem::path{named.substr(5)};
        return address;
    }
    auto text = named;
    if (text.starts_with("http://")) text.remove_prefix(7);
    if (text.ends_with('/')) text.remove_suffix(1);
    const auto colon = std::min(text.rfind(':'), text.size());
    auto host = parse_host(text.substr(0, colon));
    const auto port =
        colon < text.size() ? parse_port(text.substr(colon + 1)) : std::optional<std::uint16_t>{};
    if (!host || !port) {
        return usage("a control address is http://host:port or unix:/path, not " +
                     std::string{named});
    }
    address.host = std::move(*host);
    address.port = *port;
    return address;
}

/// This machine, as far as its name says: loopback, or the wildcard of a local listener.
bool is_this_machine(const std::string& host) {
    if (host == "localhost") return true;
    boost::system::error_code no_address;
    const auto address = boost::asio::ip::make_address(host, no_address);
    return !no_address && (address.is_loopback() || address.is_unspecified());
}

/// The token of a TCP door: of the environment, or where the config has it. None may be right too:
/// the broker says so. What a config names stays on this machine: a planted ./sworn.yaml must not
/// have a file of the user's sent somewhere.
Secret token_for(const config::Snapshot* snapshot, const std::string& host) {
    if (auto named = environment("SWORN_CONTROL_TOKEN"); !named.empty()) {
        return Secret{std::move(named)};
    }
    if (snapshot == nullptr || !snapshot->control_token || !is_this_machine(host)) return {};
    auto read = credentials::read_source(*snapshot->control_token);
    return read ? std::move(*read) : Secret{};
}

Result<ControlAddress, CliError> control_of(const config::Snapshot& snapshot) {
    using Kind = config::Listener::Kind;
    const auto& all = snapshot.listen.control;
    if (all.empty()) {
        return usage(snapshot.file.string() + " opens no control listener (listen.control)");
    }
    const auto unix_one = std::ranges::find(all, Kind::unix_socket, &config::Listener::kind);
    const auto& chosen = unix_one == all.end() ? all.front() : *unix_one;
    ControlAddress address;
    address.path = chosen.path;
    address.host = chosen.host;
    address.port = chosen.port;
    address.config = snapshot.file;
    if (chosen.kind == Kind::tcp) address.token = token_for(&snapshot, address.host);
    return address;
}

}  // namespace

std::filesystem::path find_config(const std::filesystem::path& asked) {
    if (!asked.empty()) return asked;
    if (auto named = environment("SWORN_CONFIG"); !named.empty()) return named;
    for (const char* usual : {"sworn.yaml", "/etc/sworn/sworn.yaml"}) {
        // A folder that may not be entered holds no configuration for this user.
        std::error_code hidden;
        if (std::filesystem::exists(usual, hidden)) {
            return std::filesystem::absolute(usual, hidden);
        }
    }
    return {};
}

Result<ControlAddress, CliError> find_control(const ControlHints& hints) {
    auto named = hints.control;
    if (named.empty() && hints.config.empty()) named = environment("SWORN_CONTROL");
    const auto config = find_config(hints.config);
    if (named.empty() && config.empty()) {
        return usage(
            "no broker is named: give --control or --config, or set SWORN_CONTROL or SWORN_CONFIG");
    }
    if (named.empty()) {
        const auto loaded = config::load_file(config);
        if (!loaded) return CliError{config::format(config, loaded.error()), exit_refused};
        return control_of(**loaded);
    }
    auto address = parse_control(named);
    if (!address || !address->path.empty()) return address;
    config::SnapshotPtr snapshot;
    if (!config.empty()) {
        if (auto loaded = config::load_file(config)) snapshot = *loaded;
    }
    address->token = token_for(snapshot.get(), address->host);
    return address;
}

}  // namespace sworn::cli
