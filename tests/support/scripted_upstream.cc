#include "tests/support/scripted_upstream.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <poll.h>
#include <sys/socket.h>

#include "tests/support/raw_caller.h"

namespace sworn::test {
namespace {

constexpr std::chrono::seconds patience{20};

/// Bytes of the body that this head announces.
std::size_t body_bytes(std::string_view head) {
    constexpr std::string_view name = "\r\nContent-Length: ";
    const auto at = head.find(name);
    return at == std::string_view::npos
               ? 0
               : std::strtoull(std::string{head.substr(at + name.size(), 20)}.c_str(), nullptr, 10);
}

/// Readable, or at its end.
bool wait_readable(const FarEnd& end) {
    pollfd waiting{end.descriptor(), POLLIN, 0};
    return ::poll(&waiting, 1, -1) == 1;
}

}  // namespace

void Gate::open() {
    const std::lock_guard lock{mutex_};
    open_ = true;
    opened_.notify_all();
}

void Gate::wait() {
    std::unique_lock lock{mutex_};
    if (!opened_.wait_for(lock, patience, [&] { return open_; })) std::abort();
}

bool Gate::is_open() {
    const std::lock_guard lock{mutex_};
    return open_;
}

Reply& Reply::send(std::string bytes) {
    steps_.emplace_back(std::move(bytes));
    return *this;
}
Reply& Reply::wait(Gate& gate) {
    steps_.emplace_back(&gate);
    return *this;
}
Reply& Reply::fin() {
    steps_.emplace_back(End::fin);
    return *this;
}
Reply& Reply::reset() {
    steps_.emplace_back(End::reset);
    return *this;
}
Reply& Reply::before_body() {
    before_body_ = true;
    return *this;
}

Reply answer(int status, std::string_view body, std::string_view fields) {
    std::string bytes = "HTTP/1.1 " + std::to_string(status) + " Said\r\n";
    bytes.append(fields);
    bytes += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    Reply reply;
    reply.send(bytes.append(body));
    return reply;
}

Reply chunked(int status, std::string_view fields) {
    std::string bytes = "HTTP/1.1 " + std::to_string(status) + " Said\r\n";
    bytes.append(fields);
    Reply reply;
    reply.send(bytes + "Transfer-Encoding: chunked\r\n\r\n");
    return reply;
}

std::string chunk(std::string_view bytes) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.begin(), digits.end(), bytes.size(), 16).ptr;
    std::string all{digits.begin(), end};
    return all.append("\r\n").append(bytes).append("\r\n");
}

ScriptedUpstream::ScriptedUpstream(Begin begin)
    : closed_{std::make_unique<ClosedPort>()}, port_{closed_->port()} {
    if (begin == Begin::listening) start_listening();
}

void ScriptedUpstream::start_listening() {
    listener_ = std::make_unique<Listener>(std::move(*closed_));
    acceptor_ = std::thread{[this] { accept_all(); }};
}

ScriptedUpstream::~ScriptedUpstream() {
    stop_listening();
    {
        const std::lock_guard lock{mutex_};
        for (const auto& peer : peers_)
            ::shutdown(peer->end->descriptor(), SHUT_RDWR);
    }
    for (const auto& peer : peers_)
        peer->thread.join();
}

ScriptedUpstream& ScriptedUpstream::will(Reply reply) {
    const std::lock_guard lock{mutex_};
    script_.push_back(std::move(reply));
    return *this;
}

std::size_t ScriptedUpstream::count() {
    const std::lock_guard lock{mutex_};
    return requests_.size();
}

std::size_t ScriptedUpstream::connections() {
    const std::lock_guard lock{mutex_};
    return peers_.size();
}

std::vector<std::string> ScriptedUpstream::requests() {
    const std::lock_guard lock{mutex_};
    return requests_;
}

std::string ScriptedUpstream::request(std::size_t index) {
    const std::lock_guard lock{mutex_};
    return index < requests_.size() ? requests_[index] : std::string{};
}

void ScriptedUpstream::wait_for_requests(std::size_t count) {
    std::unique_lock lock{mutex_};
    if (!changed_.wait_for(lock, patience, [&] { return requests_.size() >= count; })) std::abort();
}

void ScriptedUpstream::close_all_idle() {
    std::unique_lock lock{mutex_};
    const auto idle = [&] { return std::ranges::all_of(peers_, &Peer::idle); };
    if (!changed_.wait_for(lock, patience, idle)) std::abort();
    for (const auto& peer : peers_)
        ::shutdown(peer->end->descriptor(), SHUT_RDWR);
}

void ScriptedUpstream::stop_listening() {
    {
        const std::lock_guard lock{mutex_};
        if (stopping_ || !listener_) return;
        stopping_ = true;
    }
    // A caller of our own, so that the accept returns.
    const RawCaller knock{port_};
    acceptor_.join();
    listener_.reset();
}

void ScriptedUpstream::accept_all() {
    for (;;) {
        auto end = listener_->accept();
        const std::lock_guard lock{mutex_};
        if (stopping_) return;
        auto& peer = *peers_.emplace_back(std::make_unique<Peer>());
        peer.end = std::make_unique<FarEnd>(std::move(end));
        peer.thread = std::thread{[this, &peer] { serve(peer); }};
    }
}

void ScriptedUpstream::serve(Peer& peer) {
    while (serve_one(peer)) {
    }
}

bool ScriptedUpstream::serve_one(Peer& peer) {
    wait_readable(*peer.end);
    std::string request;
    while (!request.ends_with("\r\n\r\n")) {
        const auto byte = peer.end->read(1);
        if (byte.empty()) return false;
        request += byte;
    }
    auto reply = take_reply();
    if (!reply.before_body_) request += peer.end->read(body_bytes(request));
    {
        const std::lock_guard lock{mutex_};
        requests_.push_back(std::move(request));
        peer.idle = false;
        changed_.notify_all();
    }
    const bool goes_on = play(peer, reply);
    const std::lock_guard lock{mutex_};
    peer.idle = true;
    changed_.notify_all();
    return goes_on;
}

Reply ScriptedUpstream::take_reply() {
    const std::lock_guard lock{mutex_};
    if (script_.empty()) return answer(200, "done");
    auto reply = std::move(script_.front());
    script_.pop_front();
    return reply;
}

bool ScriptedUpstream::play(Peer& peer, const Reply& reply) {
    for (const auto& step : reply.steps_) {
        if (const auto* bytes = std::get_if<std::string>(&step)) {
            if (!peer.end->write(*bytes)) return false;
        } else if (const auto* gate = std::get_if<Gate*>(&step)) {
            (*gate)->wait();
        } else {
            const std::lock_guard lock{mutex_};
            if (std::get<Reply::End>(step) == Reply::End::reset) {
                peer.end->reset();
            } else {
                peer.end->fin();
            }
            return false;
        }
    }
    return !reply.before_body_;
}

}  // namespace sworn::test
