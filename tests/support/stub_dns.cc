#include "tests/support/stub_dns.h"

#include <arpa/inet.h>
#include <array>
#include <cstdlib>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sworn::test {
namespace {

constexpr std::size_t header_bytes = 12;
constexpr std::uint16_t type_a = 1, type_cname = 5, type_aaaa = 28;

void must(bool condition) {
    if (!condition) std::abort();
}

void put16(std::string& out, unsigned value) {
    out += static_cast<char>(value >> 8 & 0xff);
    out += static_cast<char>(value & 0xff);
}

std::string encode_name(const std::string& name) {
    std::string out;
    std::size_t from = 0;
    while (from < name.size()) {
        const std::size_t dot = std::min(name.find('.', from), name.size());
        out += static_cast<char>(dot - from);
        out += name.substr(from, dot - from);
        from = dot + 1;
    }
    out += '\0';
    return out;
}

DnsQuestion parse(std::string wire, bool tcp) {
    DnsQuestion question;
    std::size_t at = header_bytes;
    while (at < wire.size() && wire[at] != 0) {
        const auto size = static_cast<std::size_t>(static_cast<unsigned char>(wire[at]));
        if (!question.name.empty()) question.name += '.';
        question.name += wire.substr(at + 1, size);
        at += size + 1;
    }
    must(at + 4 < wire.size());
    for (char& c : question.name)
        c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    question.type = static_cast<std::uint16_t>(static_cast<unsigned char>(wire[at + 2]));
    question.wire = std::move(wire);
    question.tcp = tcp;
    return question;
}

}  // namespace

DnsReply::DnsReply(const DnsQuestion& question, unsigned rcode)
    : question_{encode_name(question.name)}, id_{question.wire.substr(0, 2)}, rcode_{rcode} {
    put16(question_, question.type);
    put16(question_, 1);
}

void DnsReply::record(const std::string& owner, std::uint16_t type, std::string_view data) {
    answers_ += encode_name(owner);
    put16(answers_, type);
    put16(answers_, 1);
    put16(answers_, 0);
    put16(answers_, 0);  // TTL 0
    put16(answers_, static_cast<unsigned>(data.size()));
    answers_ += data;
    ++count_;
}

DnsReply& DnsReply::a(const std::string& owner, const std::string& address) {
    std::array<char, 4> raw{};
    must(::inet_pton(AF_INET, address.c_str(), raw.data()) == 1);
    record(owner, type_a, {raw.data(), raw.size()});
    return *this;
}

DnsReply& DnsReply::aaaa(const std::string& owner, const std::string& address) {
    std::array<char, 16> raw{};
    must(::inet_pton(AF_INET6, address.c_str(), raw.data()) == 1);
    record(owner, type_aaaa, {raw.data(), raw.size()});
    return *this;
}

DnsReply& DnsReply::cname(const std::string& owner, const std::string& target) {
    record(owner, type_cname, encode_name(target));
    return *this;
}

DnsReply& DnsReply::truncated() {
    truncated_ = true;
    return *this;
}

std::string DnsReply::bytes() const {
    std::string out = id_;
    put16(out, 0x8180U | (truncated_ ? 0x0200U : 0U) | rcode_);
    put16(out, 1);
    put16(out, count_);
    put16(out, 0);
    put16(out, 0);
    return out + question_ + answers_;
}

StubDns::StubDns(Answer answer) : answer_{std::move(answer)} {
    sockaddr_in address{};
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    // UDP and TCP on one number: try until both are free.
    for (int tries = 0; tcp_ < 0; ++tries) {
        must(tries < 100);
        udp_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        const int tcp = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        address = {};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        must(::bind(udp_, name, size) == 0);
        must(::getsockname(udp_, name, &size) == 0);
        if (::bind(tcp, name, size) == 0 && ::listen(tcp, 16) == 0) {
            tcp_ = tcp;
        } else {
            ::close(tcp);
            ::close(udp_);
        }
    }
    port_ = ntohs(address.sin_port);
    must(::pipe(stop_) == 0);
    thread_ = std::thread{&StubDns::serve, this};
}

StubDns::~StubDns() {
    ::close(stop_[1]);
    thread_.join();
    for (const int descriptor : {udp_, tcp_, stop_[0]})
        ::close(descriptor);
}

void StubDns::serve() {
    std::array<pollfd, 3> on{{{stop_[0], POLLIN, 0}, {udp_, POLLIN, 0}, {tcp_, POLLIN, 0}}};
    while (::poll(on.data(), on.size(), -1) > 0 && on[0].revents == 0) {
        if (on[1].revents != 0) serve_udp();
        if (on[2].revents != 0) serve_tcp();
    }
}

void StubDns::serve_udp() {
    std::array<char, 1500> bytes{};
    sockaddr_in from{};
    socklen_t size = sizeof from;
    auto* const name = reinterpret_cast<sockaddr*>(&from);
    const auto got = ::recvfrom(udp_, bytes.data(), bytes.size(), 0, name, &size);
    if (got <= 0) return;
    ++questions_;
    const auto reply = answer_(parse({bytes.data(), static_cast<std::size_t>(got)}, false));
    if (reply) ::sendto(udp_, reply->data(), reply->size(), 0, name, size);
}

void StubDns::serve_tcp() {
    const int caller = ::accept4(tcp_, nullptr, nullptr, SOCK_CLOEXEC);
    std::array<char, 1500> bytes{};
    // One question per connection, and loopback delivers it whole; the prefix may come by itself.
    if (::recv(caller, bytes.data(), 2, MSG_WAITALL) == 2) {
        const auto size = static_cast<std::size_t>(static_cast<unsigned char>(bytes[0]) << 8 |
                                                   static_cast<unsigned char>(bytes[1]));
        std::string wire(size, '\0');
        if (::recv(caller, wire.data(), size, MSG_WAITALL) == static_cast<ssize_t>(size)) {
            ++tcp_questions_;
            if (const auto reply = answer_(parse(std::move(wire), true))) {
                std::string out;
                put16(out, static_cast<unsigned>(reply->size()));
                out += *reply;
                ::send(caller, out.data(), out.size(), MSG_NOSIGNAL);
                ::recv(caller, bytes.data(), 1, 0);
            }
        }
    }
    ::close(caller);
}

}  // namespace sworn::test
