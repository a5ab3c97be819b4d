// An origin that counts and keeps every byte it gets, and answers as a test scripts it. A real
// server on loopback; each connection on a thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "tests/support/loopback.h"

namespace sworn::test {

/// Something that one side of a test waits for and another brings about. A wait that lasts too
/// long ends the process: nothing would be learnt from going on.
class Gate {
public:
    void open();
    void wait();
    [[nodiscard]] bool is_open();

private:
    std::mutex mutex_;
    std::condition_variable opened_;
    bool open_ = false;
};

/// What the origin does once it has a request; told in order.
class Reply {
public:
    Reply& send(std::string bytes);
    Reply& wait(Gate& gate);
    Reply& fin();    ///< Ends the connection in order, whatever was promised.
    Reply& reset();  ///< Ends it with RST.
    /// Answers as soon as the head is there; the body is read, counted and kept no further.
    Reply& before_body();

private:
    friend class ScriptedUpstream;
    enum class End : std::uint8_t { fin, reset };
    using Step = std::variant<std::string, Gate*, End>;
    std::vector<Step> steps_;
    bool before_body_ = false;
};

/// "HTTP/1.1 200 OK", `fields` ("X: y\r\n" each) and the body with its length.
[[nodiscard]] Reply answer(int status, std::string_view body, std::string_view fields = "");
/// The head of a chunked answer; chunk() and last_chunk() follow.
[[nodiscard]] Reply chunked(int status, std::string_view fields = "");
[[nodiscard]] std::string chunk(std::string_view bytes);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

class ScriptedUpstream {
public:
    enum class Begin : std::uint8_t { listening, refusing };
    explicit ScriptedUpstream(Begin begin = Begin::listening);
    ~ScriptedUpstream();
    ScriptedUpstream(const ScriptedUpstream&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    /// The next request gets this; without a script each gets 200 and "done".
    ScriptedUpstream& will(Reply reply);

    [[nodiscard]] std::size_t count();
    [[nodiscard]] std::size_t connections();
    /// Head and body of each request, as they came.
    [[nodiscard]] std::vector<std::string> requests();
    [[nodiscard]] std::string request(std::size_t index);
    void wait_for_requests(std::size_t count);
    /// Waits until every connection waits for a request, then closes them all; their peers can
    /// see it once this returns.
    void close_all_idle();
    void start_listening();  ///< After Begin::refusing.
    /// From now on connecting is refused.
    void stop_listening();

private:
    struct Peer {
        std::unique_ptr<FarEnd> end;
        std::thread thread;
        bool idle = true;
    };
    void accept_all();
    void serve(Peer& peer);
    bool serve_one(Peer& peer);
    Reply take_reply();
    bool play(Peer& peer, const Reply& reply);

    std::unique_ptr<ClosedPort> closed_;
    std::unique_ptr<Listener> listener_;
    std::uint16_t port_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Reply> script_;
    std::vector<std::string> requests_;
    std::vector<std::unique_ptr<Peer>> peers_;
    std::thread acceptor_;
    bool stopping_ = false;
};

}  // namespace sworn::test
