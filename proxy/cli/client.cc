#include "proxy/cli/client.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <sys/un.h>

#include "proxy/cli/exit_code.h"

namespace sworn::cli {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t piece_bytes = 64 * 1024;
constexpr std::uint32_t head_bytes_max = 64 * 1024;

using Request = http::request<http::string_body>;
using Parser = http::response_parser<http::buffer_body>;

Request make_request(const ControlAddress& address, std::string_view method,
                     std::string_view target, std::string_view body) {
    Request request;
    request.method_string({method.data(), method.size()});
    request.target({target.data(), target.size()});
    request.version(11);
    request.set(http::field::host, address.path.empty() ? address.text().substr(7) : "localhost");
    request.set(http::field::connection, "close");
    if (!address.token.empty()) {
        request.set(http::field::authorization, "Bearer " + std::string{address.token.bytes()});
    }
    if (!body.empty()) {
        request.set(http::field::content_type, "application/json");
        request.body() = body;
    }
    request.prepare_payload();
    return request;
}

void take_head(const Parser& parser, ControlAnswer& answer) {
    answer.status = static_cast<int>(parser.get().result_int());
    for (const auto& field : parser.get()) {
        std::string name{field.name_string()};
        std::ranges::transform(name, name.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        answer.fields[name] = field.value();
    }
}

/// The body to its end: to the sink where there is one and the answer is a 200.
template <class Socket>
void read_body(Socket& socket, Parser& parser, boost::beast::flat_buffer& buffer,
               ControlAnswer& answer, const BodySink& sink, error_code& failed) {
    std::array<char, piece_bytes> piece;
    while (!failed && !parser.is_done()) {
        auto& room = parser.get().body();
        room.data = piece.data();
        room.size = piece.size();
        http::read(socket, buffer, parser, failed);
        if (failed == http::error::need_buffer) failed = {};
        const std::string_view got{piece.data(), piece.size() - room.size};
        if (sink && answer.status == 200) {
            if (!got.empty()) sink(got);
        } else {
            answer.body += got;
        }
    }
}

template <class Socket>
Result<ControlAnswer, CliError> exchange(Socket& socket, const ControlAddress& address,
                                         const Request& request, const BodySink& sink) {
    error_code failed;
    http::write(socket, request, failed);
    Parser parser;
    parser.body_limit(boost::none);
    parser.header_limit(head_bytes_max);
    boost::beast::flat_buffer buffer;
    ControlAnswer answer;
    if (!failed) http::read_header(socket, buffer, parser, failed);
    if (!failed) {
        take_head(parser, answer);
        read_body(socket, parser, buffer, answer, sink, failed);
    }
    if (failed) {
        return CliError{
            "the broker at " + address.text() + " did not answer completely: " + failed.message(),
            exit_unreachable};
    }
    return answer;
}

CliError unreachable(const ControlAddress& address, const std::string& why) {
    return CliError{"no broker answers at " + address.text() + " (" + why +
                        "); start one with: sworn serve --config FILE",
                    exit_unreachable};
}

Result<ControlAnswer, CliError> connect_and_exchange(const ControlAddress& address,
                                                     const Request& request, const BodySink& sink) {
    asio::io_context context;
    error_code failed;
    if (!address.path.empty()) {
        const auto path = address.path.string();
        if (path.size() >= sizeof(sockaddr_un::sun_path)) {
            return unreachable(address, "the path is too long for a socket");
        }
        asio::local::stream_protocol::socket socket{context};
        socket.connect(asio::local::stream_protocol::endpoint{path}, failed);
        if (failed) return unreachable(address, failed.message());
        return exchange(socket, address, request, sink);
    }
    asio::ip::tcp::socket socket{context};
    asio::ip::tcp::resolver resolver{context};
    const auto found = resolver.resolve(address.host, std::to_string(address.port), failed);
    if (!failed) asio::connect(socket, found, failed);
    if (failed) return unreachable(address, failed.message());
    return exchange(socket, address, request, sink);
}

}  // namespace

Result<ControlAnswer, CliError> call(const ControlAddress& address, std::string_view method,
                                     std::string_view target, std::string_view body) {
    return connect_and_exchange(address, make_request(address, method, target, body), {});
}

Result<ControlAnswer, CliError> call_streaming(const ControlAddress& address,
                                               std::string_view target, const BodySink& sink) {
    return connect_and_exchange(address, make_request(address, "GET", target, {}), sink);
}

}  // namespace sworn::cli
