// Accepts on every listener and deals connections out to the I/O threads in turn.
#pragma once

#include <atomic>
#include <list>
#include <vector>

#include "proxy/cli/listeners.h"
#include "proxy/control/server.h"
#include "proxy/http/front.h"
#include "proxy/pipeline/pipeline.h"

namespace sworn::cli {

class Acceptors {
public:
    /// One I/O thread and the handler that lives on it.
    struct Seat {
        io::ThreadContext* thread;
        pipeline::Pipeline* pipeline;
    };
    Acceptors(std::vector<Seat> seats, const http::FrontSettingsSource& settings,
              io::WorkerPool& workers, control::Services& control);

    [[nodiscard]] Result<Done, ListenError> open(const config::Snapshot& snapshot);
    [[nodiscard]] std::vector<io::asio::ip::tcp::endpoint> endpoints() const;
    /// Spawns the accept loops; call once, before the threads run.
    void start();
    void stop_proxy();  ///< Any thread.
    void stop_all();

private:
    enum class Use : std::uint8_t { proxy, control, metrics };
    struct Entry {
        Use use;
        OpenListener listener;
    };

    [[nodiscard]] Result<Done, ListenError> open_one(Use use, const config::Listener& listener);
    template <class Acceptor>
    io::Task<void> accept_loop(Acceptor& acceptor, Use use);
    template <class Socket>
    void hand_over(Socket socket, Use use, Seat seat);
    io::Task<void> serve_proxy(io::StreamPtr stream, Seat seat);
    void stop(bool proxy_only);
    [[nodiscard]] Seat next_seat() noexcept { return seats_[turn_++ % seats_.size()]; }
    [[nodiscard]] bool full() const;

    std::vector<Seat> seats_;
    const http::FrontSettingsSource& settings_;
    io::WorkerPool& workers_;
    control::Services& control_;
    std::list<Entry> entries_;
    std::size_t turn_ = 0;
    std::atomic<std::size_t> open_connections_{0};
};

}  // namespace sworn::cli
