#include "proxy/cli/client.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "proxy/cli/exit_code.h"
#include "proxy/config/load.h"
#include "proxy/credentials/credentials.h"

namespace sworn::cli {

namespace asio = boost::asio;
namespace http = boost::beast::http;

std::string ControlAddress::text() const {
    return path.empty() ? "http://" + host + ":" + std::to_string(port) : "unix:" + path.string();
}

namespace {

CliError usage(std::string what) { return CliError{std::move(what), exit_usage}; }

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string{} : std::string{value};
}

Result<ControlAddress, CliError> parse_control(std::string_view text) {
    ControlAddress address;
    if (text.starts_with("unix:")) {
        address.path = std::filesystem::path{text.substr(5)};
        return address;
    }
    if (text.starts_with("http://")) text.remove_prefix(7);
    if (text.ends_with('/')) text.remove_suffix(1);
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return usage("--control is http://host:port or unix:/path");
    }
    const auto port = text.substr(colon + 1);
    const auto [end, failed] =
        std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (failed != std::errc{} || end != port.data() + port.size() || address.port == 0) {
        return usage("--control is http://host:port or unix:/path");
    }
    address.host = text.substr(0, colon);
    return address;
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
    if (chosen.kind == Kind::tcp && snapshot.control_token) {
        if (auto token = credentials::read_source(*snapshot.control_token)) {
            address.token = std::move(*token);
        }
    }
    return address;
}

}  // namespace

std::filesystem::path find_config(const std::filesystem::path& asked) {
    if (!asked.empty()) return asked;
    if (auto named = environment("SWORN_CONFIG"); !named.empty()) return named;
    for (const char* usual : {"sworn.yaml", "/etc/sworn/sworn.yaml"}) {
        if (std::filesystem::exists(usual)) return std::filesystem::absolute(usual);
    }
    return {};
}

Result<ControlAddress, CliError> find_control(const ControlHints& hints) {
    auto named = hints.control.empty() && hints.config.empty() ? environment("SWORN_CONTROL")
                                                               : hints.control;
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
    // A token for a TCP door is where the config says, if there is one.
    if (auto token = environment("SWORN_CONTROL_TOKEN"); !token.empty()) {
        address->token = Secret{std::move(token)};
    } else if (!config.empty()) {
        const auto loaded = config::load_file(config);
        if (loaded && (*loaded)->control_token) {
            auto read = credentials::read_source(*(*loaded)->control_token);
            if (read) address->token = std::move(*read);
        }
    }
    return address;
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
            out.push_back('%');
            out.push_back(digits[byte >> 4U]);
            out.push_back(digits[byte & 15U]);
        }
    }
    return out;
}

namespace {

template <class Socket>
Result<ControlAnswer, CliError> exchange(Socket& socket, const ControlAddress& address,
                                         std::string_view method, std::string_view target,
                                         std::string_view body) {
    http::request<http::string_body> request;
    request.method_string({method.data(), method.size()});
    request.target({target.data(), target.size()});
    request.version(11);
    request.set(http::field::host, address.path.empty() ? address.host : "localhost");
    request.set(http::field::connection, "close");
    if (!address.token.empty()) {
        request.set(http::field::authorization, "Bearer " + std::string{address.token.bytes()});
    }
    if (!body.empty()) {
        request.set(http::field::content_type, "application/json");
        request.body() = body;
    }
    request.prepare_payload();
    boost::system::error_code failed;
    http::write(socket, request, failed);
    http::response_parser<http::string_body> parser;
    parser.body_limit(boost::none);
    boost::beast::flat_buffer buffer;
    if (!failed) http::read(socket, buffer, parser, failed);
    if (failed) {
        return CliError{"the broker at " + address.text() +
                            " did not answer completely: " + failed.message(),
                        exit_unreachable};
    }
    auto message = parser.release();
    ControlAnswer answer;
    answer.status = static_cast<int>(message.result_int());
    answer.body = std::move(message.body());
    for (const auto& field : message) {
        std::string name{field.name_string()};
        std::ranges::transform(name, name.begin(), [](unsigned char c) {
            return static_cast<char>(std::tolower(c));
        });
        answer.fields[name] = field.value();
    }
    return answer;
}

CliError unreachable(const ControlAddress& address, const std::string& why) {
    return CliError{"no broker answers at " + address.text() + " (" + why +
                        "); start one with: sworn serve --config FILE",
                    exit_unreachable};
}

}  // namespace

Result<ControlAnswer, CliError> call(const ControlAddress& address, std::string_view method,
                                     std::string_view target, std::string_view body) {
    asio::io_context context;
    boost::system::error_code failed;
    if (!address.path.empty()) {
        asio::local::stream_protocol::socket socket{context};
        socket.connect(asio::local::stream_protocol::endpoint{address.path.string()}, failed);
        if (failed) return unreachable(address, failed.message());
        return exchange(socket, address, method, target, body);
    }
    asio::ip::tcp::socket socket{context};
    asio::ip::tcp::resolver resolver{context};
    const auto found = resolver.resolve(address.host, std::to_string(address.port), failed);
    if (!failed) asio::connect(socket, found, failed);
    if (failed) return unreachable(address, failed.message());
    return exchange(socket, address, method, target, body);
}

}  // namespace sworn::cli
