#include "tests/support/raw_caller.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <netinet/tcp.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "common/json.h"

namespace sworn::test {
namespace {

constexpr int patience_seconds = 20;

std::string text_of(const boost::json::object& object, std::string_view key) {
    const auto* const value = object.if_contains(key);
    if (value == nullptr || !value->is_string()) return "null";
    return std::string{value->as_string()};
}

}  // namespace

std::string Response::field(std::string_view name) const {
    std::string all;
    for (std::size_t at = head.find("\r\n"); at + 4 < head.size(); at = head.find("\r\n", at + 2)) {
        const auto line = std::string_view{head}.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
        const auto colon = line.find(':');
        if (colon != name.size()) continue;
        if (::strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
        if (!all.empty()) all += ", ";
        all += line.substr(std::min(colon + 2, line.size()));
    }
    return all;
}

bool Response::has(std::string_view name) const {
    return !field(name).empty();
}

boost::json::object Response::json() const {
    const auto value = parse_json(body);
    return value && value->is_object() ? value->as_object() : boost::json::object{};
}

std::string Response::error() const {
    const auto all = json();
    const auto* const error = all.if_contains("error");
    if (error == nullptr || !error->is_object()) return {};
    const auto& words = error->as_object();
    return text_of(words, "code") + " " + text_of(words, "phase") + " " +
           text_of(words, "outcome") + " " + text_of(words, "retry");
}

boost::json::object Response::evidence() const {
    const auto all = json();
    const auto* const evidence = all.if_contains("evidence");
    return evidence != nullptr && evidence->is_object() ? evidence->as_object()
                                                        : boost::json::object{};
}

RawCaller::RawCaller(std::uint16_t port)
    : descriptor_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{patience_seconds, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const int on = 1;
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(descriptor_, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0) std::abort();
}

RawCaller::~RawCaller() {
    close();
}

RawCaller::RawCaller(RawCaller&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)},
      buffer_{std::move(other.buffer_)},
      end_{other.end_} {}

RawCaller& RawCaller::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) break;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return *this;
}

bool RawCaller::fill() {
    if (end_ != PeerEnd::open) return false;
    std::array<char, 16 * 1024> some;
    const auto got = ::recv(descriptor_, some.data(), some.size(), 0);
    // Nothing for so long: nothing would be learnt from going on.
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) std::abort();
    if (got < 0) end_ = PeerEnd::reset;
    if (got == 0) end_ = PeerEnd::fin;
    if (got > 0) buffer_.append(some.data(), static_cast<std::size_t>(got));
    return got > 0;
}

std::string RawCaller::take(std::size_t count) {
    std::string taken = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return taken;
}

std::string RawCaller::read_until(std::string_view mark) {
    for (;;) {
        const auto at = buffer_.find(mark);
        if (at != std::string::npos) return take(at + mark.size());
        if (!fill()) return take(buffer_.size());
    }
}

std::string RawCaller::read(std::size_t count) {
    while (buffer_.size() < count && fill()) {
    }
    return take(count);
}

std::string RawCaller::read_to_end() {
    while (fill()) {
    }
    return take(buffer_.size());
}

bool RawCaller::has_bytes() {
    pollfd waiting{descriptor_, POLLIN, 0};
    return !buffer_.empty() || ::poll(&waiting, 1, 0) == 1;
}

bool RawCaller::read_chunks(std::string& body) {
    for (;;) {
        const auto size_line = read_until("\r\n");
        if (!size_line.ends_with("\r\n")) return false;
        const auto size = std::strtoull(size_line.c_str(), nullptr, 16);
        const auto bytes = read(size);
        body += bytes;
        if (bytes.size() != size || read(2) != "\r\n") return false;
        if (size == 0) return true;
    }
}

Response RawCaller::read_response(std::string_view method) {
    Response response;
    for (;;) {
        response.head = read_until("\r\n\r\n");
        if (!response.head.ends_with("\r\n\r\n")) return response;
        response.status = std::atoi(response.head.c_str() + 9);
        if (response.status >= 200) break;
        response.informational.push_back(response.status);
    }
    const bool bodyless = method == "HEAD" || response.status == 204 || response.status == 304;
    if (bodyless) {
        response.complete = true;
    } else if (response.field("Transfer-Encoding") == "chunked") {
        response.complete = read_chunks(response.body);
    } else {
        const auto length = std::strtoull(response.field("Content-Length").c_str(), nullptr, 10);
        response.body = read(length);
        response.complete = response.body.size() == length && response.has("Content-Length");
    }
    return response;
}

void RawCaller::fin() {
    ::shutdown(descriptor_, SHUT_WR);
}

void RawCaller::reset() {
    const linger hard{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close();
}

void RawCaller::close() {
    if (const int descriptor = std::exchange(descriptor_, -1); descriptor >= 0) ::close(descriptor);
}

}  // namespace sworn::test
