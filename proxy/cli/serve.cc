#include "proxy/cli/serve.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

#include "proxy/cli/broker.h"
#include "proxy/cli/log.h"
#include "proxy/cli/version.h"
#include "proxy/config/load.h"

namespace sworn::cli {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// No core dump and no debugger of another user: memory holds secrets.
void guard_memory() {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::prctl(PR_SET_DUMPABLE, 0);
}

/// Each caller may need a caller's socket, an upstream socket and a file.
[[nodiscard]] bool raise_descriptor_limit(const config::Limits& limits) {
    const rlim_t wanted = limits.max_connections * 2 + limits.max_inflight + 256;
    rlimit now{};
    ::getrlimit(RLIMIT_NOFILE, &now);
    if (now.rlim_cur >= wanted) return true;
    now.rlim_cur = now.rlim_max < wanted ? now.rlim_max : wanted;
    ::setrlimit(RLIMIT_NOFILE, &now);
    if (now.rlim_cur >= wanted) return true;
    const rlimit more{wanted, wanted};  // Allowed for root only.
    if (::setrlimit(RLIMIT_NOFILE, &more) == 0) return true;
    std::fprintf(stderr,
                 "sworn: limits.max_connections %llu needs %llu file descriptors, and the system "
                 "allows %llu; raise the limit (ulimit -n, LimitNOFILE=) or lower it\n",
                 static_cast<unsigned long long>(limits.max_connections),
                 static_cast<unsigned long long>(wanted),
                 static_cast<unsigned long long>(now.rlim_max));
    return false;
}

/// Signals and the second's tick, on the main thread. The drain runs beside it, so that a second
/// signal is heard.
class Foreground {
public:
    Foreground(Broker& broker, std::filesystem::path config)
        : broker_{broker}, config_{std::move(config)} {
        wait_for_signal();
        wait_for_tick();
    }

    void run() { context_.run(); }
    ~Foreground() {
        if (drain_.joinable()) drain_.join();
    }

private:
    void wait_for_signal() {
        signals_.async_wait([this](boost::system::error_code failed, int number) {
            if (failed) return;
            if (number == SIGHUP) {
                reload();
            } else if (drain_.joinable()) {
                log_warn("second signal: stopping at once");
                std::_Exit(1);
            } else {
                start_drain();
            }
            wait_for_signal();
        });
    }

    void start_drain() {
        log_info("draining");
        drain_ = std::thread{[this] {
            broker_.drain();
            asio::post(context_, [this] { context_.stop(); });
        }};
    }

    void reload() {
        const auto loaded = config::load_file(config_);
        if (!loaded) {
            log_error("reload refused, the old configuration stays",
                      {{"faults", config::format(config_, loaded.error())}});
            return;
        }
        if (const auto done = broker_.reload(*loaded); !done) {
            log_error("reload refused, the old configuration stays", {{"why", done.error().what}});
            return;
        }
        log_info("configuration reloaded");
    }

    void wait_for_tick() {
        timer_.expires_after(1s);
        timer_.async_wait([this](boost::system::error_code failed) {
            if (failed) return;
            broker_.tick();
            wait_for_tick();
        });
    }

    Broker& broker_;
    std::filesystem::path config_;
    asio::io_context context_{1};
    asio::signal_set signals_{context_, SIGTERM, SIGINT, SIGHUP};
    asio::steady_timer timer_{context_};
    std::thread drain_;
};

}  // namespace

int run_serve(const ServeOptions& options) {
    guard_memory();
    ::signal(SIGPIPE, SIG_IGN);
    ::umask(077);
    set_up_log(options.log_format, options.log_level);
    const auto snapshot = config::load_file(options.config);
    if (!snapshot) {
        std::fputs(config::format(options.config, snapshot.error()).c_str(), stderr);
        return 1;
    }
    if (!raise_descriptor_limit((*snapshot)->limits)) return 1;
    auto broker = Broker::start(*snapshot);
    if (!broker) {
        std::fprintf(stderr, "sworn: %s\n", broker.error().what.c_str());
        return 1;
    }
    log_info("ready", {{"version", std::string{version}}, {"name", (*snapshot)->name}});
    {
        Foreground foreground{**broker, options.config};
        foreground.run();
    }
    broker->reset();
    log_info("stopped");
    return 0;
}

}  // namespace sworn::cli
