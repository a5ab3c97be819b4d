// A name server on loopback, port zero, UDP and TCP: each question is answered by a function.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace sworn::test {

struct DnsQuestion {
    std::string wire;        ///< The whole query.
    std::string name;        ///< Lower case, without the root's dot.
    std::uint16_t type = 0;  ///< 1 A, 28 AAAA.
    bool tcp = false;
};

/// Builds the reply to one question.
class DnsReply {
public:
    explicit DnsReply(const DnsQuestion& question, unsigned rcode = 0);
    DnsReply& a(const std::string& owner, const std::string& address);
    DnsReply& aaaa(const std::string& owner, const std::string& address);
    DnsReply& cname(const std::string& owner, const std::string& target);
    DnsReply& truncated();
    [[nodiscard]] std::string bytes() const;

private:
    void record(const std::string& owner, std::uint16_t type, std::string_view data);

    std::string question_, answers_;
    std::string id_;
    unsigned rcode_;
    std::uint16_t count_ = 0;
    bool truncated_ = false;
};

class StubDns {
public:
    /// Nothing from `answer`: silence.
    using Answer = std::function<std::optional<std::string>(const DnsQuestion&)>;
    explicit StubDns(Answer answer);
    ~StubDns();
    StubDns(const StubDns&) = delete;

    [[nodiscard]] std::string server() const { return "127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] int questions() const { return questions_; }
    [[nodiscard]] int tcp_questions() const { return tcp_questions_; }

private:
    void serve();
    void serve_udp();
    void serve_tcp();

    Answer answer_;
    int udp_ = -1, tcp_ = -1, stop_[2]{-1, -1};
    std::uint16_t port_ = 0;
    std::atomic<int> questions_{0}, tcp_questions_{0};
    std::thread thread_;
};

}  // namespace sworn::test
