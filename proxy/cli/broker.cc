#include "proxy/cli/broker.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <sys/stat.h>
#include <thread>

#include "metrics/metrics.h"
#include "proxy/cli/acceptors.h"
#include "proxy/cli/log.h"
#include "proxy/cli/observers.h"
#include "proxy/cli/runtime_holder.h"
#include "proxy/cli/version.h"
#include "proxy/control/own_door.h"
#include "proxy/pipeline/pipeline.h"

namespace sworn::cli {

namespace asio = io::asio;
using namespace std::chrono_literals;

namespace {

using WorkGuard = asio::executor_work_guard<io::Executor>;

/// One I/O thread with everything that lives on it.
struct IoThread {
    io::ThreadContext context;
    std::unique_ptr<pipeline::Pipeline> pipeline;
    std::optional<WorkGuard> guard;
    std::thread thread;
    connect::Dialer::Counts counted;
};

journal::Options journal_options(const config::Snapshot& snapshot) {
    journal::Options options;
    options.directory = snapshot.data_dir;
    options.reserve_bytes = snapshot.journal.reserve;
    options.retain_results = snapshot.journal.retain_results;
    options.retain_records = snapshot.journal.retain_records;
    options.retain_tokens = snapshot.journal.retain_tokens;
    options.max_size = snapshot.journal.max_size;
    return options;
}

void make_private_directory(const std::filesystem::path& path) {
    std::error_code ignored;
    std::filesystem::create_directories(path, ignored);
    ::chmod(path.c_str(), 0700);
}

constexpr std::size_t worker_threads = 4;

}  // namespace

struct Broker::Impl {
    explicit Impl(pipeline::RuntimePtr runtime)
        : holder{std::move(runtime), gate}, sources{snapshot().data_dir} {}

    [[nodiscard]] const config::Snapshot& snapshot() const { return *holder.current()->snapshot(); }

    SystemClock clock;
    pipeline::Gate gate;
    RuntimeHolder holder;
    metrics::Metrics metrics{version};
    JournalObserver journal_observer{metrics};
    EndObserver end_observer{metrics};
    credentials::Sources sources;
    std::vector<asio::ip::tcp::endpoint> own_listeners;
    std::unique_ptr<journal::Journal> journal;
    std::vector<std::unique_ptr<IoThread>> threads;
    // After the threads' contexts: what runs on it is finished before they go.
    std::unique_ptr<io::WorkerPool> workers;
    std::optional<pipeline::Services> services;
    std::optional<control::Services> control_services;
    std::optional<control::CallerDoor> own_door;
    std::unique_ptr<Acceptors> acceptors;
    unsigned ticks = 0;

    void configure_metrics();
    Result<Done, StartError> open_journal();
    Result<Done, StartError> open_listeners();
    void start_threads();
    void wait_for_idle(std::chrono::milliseconds limit);
};

void Broker::Impl::configure_metrics() {
    std::vector<std::string> routes;
    std::vector<std::pair<std::string, std::string>> versions;
    for (const auto& route : snapshot().routes)
        routes.push_back(route.id);
    for (const auto& credential : snapshot().credentials) {
        versions.emplace_back(credential.id, credential.version);
    }
    metrics.configure(routes, versions);
}

Result<Done, Broker::StartError> Broker::Impl::open_journal() {
    make_private_directory(snapshot().data_dir);
    make_private_directory(snapshot().data_dir / "spool");
    auto opened = journal::Journal::open(journal_options(snapshot()), clock, journal_observer);
    if (!opened) return StartError{opened.error().what};
    journal = std::move(*opened);
    const auto& found = journal->recovery();
    log_info("journal open", {{"unfinished", std::to_string(found.unfinished)},
                              {"corrupt", std::to_string(found.corrupt)},
                              {"last_seq", std::to_string(found.last_seq)}});
    return Done{};
}

void Broker::Impl::start_threads() {
    const unsigned count = std::max(1u, std::thread::hardware_concurrency());
    workers = std::make_unique<io::WorkerPool>(worker_threads);
    control_services.emplace(control::Services{*journal, *workers, clock, holder, metrics, gate});
    own_door.emplace(*control_services);
    services.emplace(pipeline::Services{*journal, sources, *workers, clock, holder, end_observer,
                                        gate, own_listeners, *own_door});
    for (unsigned i = 0; i < count; ++i) {
        auto one = std::make_unique<IoThread>();
        one->context.index = i;
        one->pipeline = std::make_unique<pipeline::Pipeline>(one->context, *services);
        one->guard.emplace(one->context.context.get_executor());
        threads.push_back(std::move(one));
    }
}

Result<Done, Broker::StartError> Broker::Impl::open_listeners() {
    std::vector<Acceptors::Seat> seats;
    for (auto& one : threads) {
        seats.push_back(Acceptors::Seat{&one->context, one->pipeline.get()});
    }
    acceptors = std::make_unique<Acceptors>(std::move(seats), holder, *workers, *control_services);
    if (auto opened = acceptors->open(snapshot()); !opened) return StartError{opened.error().what};
    own_listeners = acceptors->endpoints();
    acceptors->start();
    for (auto& one : threads) {
        one->thread = std::thread{[&context = one->context.context] { context.run(); }};
    }
    return Done{};
}

Result<std::unique_ptr<Broker>, Broker::StartError> Broker::start(config::SnapshotPtr snapshot) {
    auto runtime = pipeline::Runtime::make(std::move(snapshot));
    if (!runtime) return StartError{runtime.error().what};
    auto impl = std::make_unique<Impl>(std::move(*runtime));
    impl->configure_metrics();
    if (auto opened = impl->open_journal(); !opened) return opened.error();
    impl->start_threads();
    if (auto opened = impl->open_listeners(); !opened) return opened.error();
    return std::unique_ptr<Broker>{new Broker{std::move(impl)}};
}

Broker::Broker(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}

Result<Done, Broker::StartError> Broker::reload(config::SnapshotPtr snapshot) {
    if (snapshot->data_dir != impl_->snapshot().data_dir) {
        return StartError{"data_dir cannot change while the broker runs"};
    }
    auto runtime = pipeline::Runtime::make(std::move(snapshot));
    if (!runtime) return StartError{runtime.error().what};
    impl_->holder.swap(std::move(*runtime));
    impl_->configure_metrics();
    return Done{};
}

void Broker::Impl::wait_for_idle(std::chrono::milliseconds limit) {
    const auto until = clock.steady() + limit;
    std::mutex mutex;
    std::condition_variable wake;
    std::unique_lock lock{mutex};
    while (gate.inflight > 0 && clock.steady() < until) {
        wake.wait_for(lock, 10ms);
    }
}

void Broker::drain() {
    auto& broker = *impl_;
    broker.gate.draining = true;
    broker.acceptors->stop_proxy();
    broker.wait_for_idle(broker.snapshot().timeouts.drain);
    if (broker.gate.inflight > 0) {
        log_warn("drain deadline passed: breaking off what is still under way",
                 {{"inflight", std::to_string(broker.gate.inflight.load())}});
        for (auto& one : broker.threads) {
            asio::post(one->context.context,
                       [&pipeline = *one->pipeline] { pipeline.interrupt_all(); });
        }
        broker.wait_for_idle(5s);
    }
    broker.acceptors->stop_all();
}

void Broker::tick() {
    auto& broker = *impl_;
    for (auto& one : broker.threads) {
        asio::post(one->context.context, [&broker, thread = one.get()] {
            const auto now = thread->pipeline->connections();
            const auto delta = [](std::size_t after, std::size_t before) {
                return static_cast<long>(after) - static_cast<long>(before);
            };
            broker.metrics.upstream_connections(delta(now.active, thread->counted.active),
                                                delta(now.idle, thread->counted.idle));
            thread->counted = now;
        });
    }
    if (++broker.ticks % 60 == 0) {
        asio::post(broker.workers->pool(), [&broker] {
            const auto removed = broker.journal->sweep(broker.clock.now());
            if (removed > 0) log_info("retention", {{"removed", std::to_string(removed)}});
        });
    }
}

Broker::~Broker() {
    if (!impl_) return;
    auto& broker = *impl_;
    if (broker.gate.inflight > 0) {
        // Something did not let itself be broken off: what is queued becomes durable, the rest is
        // for the next start to recover.
        broker.journal.reset();
        std::_Exit(0);
    }
    for (auto& one : broker.threads) {
        one->guard.reset();
        one->context.context.stop();
        if (one->thread.joinable()) one->thread.join();
    }
}

}  // namespace sworn::cli
