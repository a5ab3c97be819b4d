#include "proxy/cli/acceptors.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include "proxy/cli/log.h"

namespace sworn::cli {

namespace asio = io::asio;
using namespace std::chrono_literals;

namespace {

/// What a spawned connection leaves behind if a library threw: a line in the log.
struct LogFailure {
    void operator()(const std::exception_ptr& failed) const {
        if (!failed) return;
        try {
            std::rethrow_exception(failed);
        } catch (const std::exception& why) {
            log_error("a connection ended by an exception", {{"what", why.what()}});
        }
    }
};

/// Counts a connection for as long as it is served.
class Counted {
public:
    explicit Counted(std::atomic<std::size_t>& count) : count_{count} { ++count_; }
    ~Counted() { --count_; }
    Counted(const Counted&) = delete;

private:
    std::atomic<std::size_t>& count_;
};

/// How long an acceptor rests when there are no descriptors or too many connections.
constexpr auto rest = 50ms;

using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock,
                               asio::wait_traits<std::chrono::steady_clock>, io::Executor>;

}  // namespace

Acceptors::Acceptors(std::vector<Seat> seats, const http::FrontSettingsSource& settings,
                     io::WorkerPool& workers, control::Services& control)
    : seats_{std::move(seats)}, settings_{settings}, workers_{workers}, control_{control} {}

Result<Done, ListenError> Acceptors::open_one(Use use, const config::Listener& listener) {
    auto opened = OpenListener::open(seats_.front().thread->context, listener);
    if (!opened) return opened.error();
    const char* name = use == Use::proxy ? "proxy" : use == Use::control ? "control" : "metrics";
    log_info("listening", {{"listener", name}, {"address", opened->address()}});
    entries_.push_back(Entry{use, std::move(*opened)});
    return Done{};
}

Result<Done, ListenError> Acceptors::open(const config::Snapshot& snapshot) {
    for (const auto& listener : snapshot.listen.proxy) {
        if (auto opened = open_one(Use::proxy, listener); !opened) return opened.error();
    }
    for (const auto& listener : snapshot.listen.control) {
        if (auto opened = open_one(Use::control, listener); !opened) return opened.error();
    }
    if (snapshot.listen.metrics) {
        auto opened = open_one(Use::metrics, *snapshot.listen.metrics);
        if (!opened) return opened.error();
    }
    return Done{};
}

std::vector<asio::ip::tcp::endpoint> Acceptors::endpoints() const {
    std::vector<asio::ip::tcp::endpoint> all;
    for (const auto& entry : entries_) {
        if (const auto endpoint = entry.listener.endpoint()) all.push_back(*endpoint);
    }
    return all;
}

void Acceptors::start() {
    auto& context = seats_.front().thread->context;
    for (auto& entry : entries_) {
        std::visit(
            [&](auto& acceptor) {
                asio::co_spawn(context, accept_loop(acceptor, entry.use), LogFailure{});
            },
            entry.listener.acceptor());
    }
}

bool Acceptors::full() const {
    return open_connections_ >= settings_.settings()->limits.max_connections;
}

template <class Acceptor>
io::Task<void> Acceptors::accept_loop(Acceptor& acceptor, Use use) {
    Timer timer{seats_.front().thread->context};
    while (acceptor.is_open()) {
        if (use == Use::proxy && full()) {
            timer.expires_after(rest);
            co_await timer.async_wait(io::no_throw);
            continue;
        }
        const auto seat = next_seat();
        auto [failed, socket] = co_await acceptor.async_accept(seat.thread->context, io::no_throw);
        if (failed == asio::error::operation_aborted || failed == asio::error::bad_descriptor)
            break;
        if (failed) {
            log_warn("accept failed", {{"why", failed.message()}});
            timer.expires_after(rest);
            co_await timer.async_wait(io::no_throw);
            continue;
        }
        hand_over(std::move(socket), use, seat);
    }
}

io::Task<void> Acceptors::serve_proxy(io::StreamPtr stream, Seat seat) {
    const Counted counted{open_connections_};
    co_await http::serve_connection(std::move(stream), *seat.thread, *seat.pipeline, settings_,
                                    workers_);
}

template <class Socket>
void Acceptors::hand_over(Socket socket, Use use, Seat seat) {
    auto& context = seat.thread->context;
    using Concrete =
        std::conditional_t<std::is_same_v<typename Socket::protocol_type, asio::ip::tcp>,
                           io::TcpSocket, io::UnixSocket>;
    constexpr bool is_tcp = std::is_same_v<typename Socket::protocol_type, asio::ip::tcp>;
    asio::post(context, [this, use, seat, moved = Concrete{std::move(socket)}]() mutable {
        if (use == Use::proxy) {
            auto stream = io::make_stream(*seat.thread, std::move(moved));
            asio::co_spawn(seat.thread->context, serve_proxy(std::move(stream), seat),
                           LogFailure{});
            return;
        }
        const auto door = use == Use::metrics ? control::Door::metrics
                          : is_tcp            ? control::Door::tcp
                                              : control::Door::unix_socket;
        asio::co_spawn(seat.thread->context,
                       control::serve_connection(control::Socket{std::move(moved)}, door, control_),
                       LogFailure{});
    });
}

void Acceptors::stop(bool proxy_only) {
    asio::post(seats_.front().thread->context, [this, proxy_only] {
        for (auto& entry : entries_) {
            if (!proxy_only || entry.use == Use::proxy) entry.listener.close();
        }
    });
}

void Acceptors::stop_proxy() {
    stop(true);
}
void Acceptors::stop_all() {
    stop(false);
}

}  // namespace sworn::cli
