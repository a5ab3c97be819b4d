#include "tests/support/broker_rig.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "proxy/config/load.h"
#include "proxy/http/front.h"
#include "proxy/io/tcp_stream.h"
#include "proxy/pipeline/pipeline.h"
#include "tests/support/drive.h"

namespace sworn::test {
namespace {

namespace asio = io::asio;
using namespace std::chrono_literals;
using WorkGuard = asio::executor_work_guard<io::Executor>;
using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, io::Executor>;

std::filesystem::path make_directory() {
    std::string pattern = std::filesystem::temp_directory_path() / "sworn-rig-XXXXXX";
    return ::mkdtemp(pattern.data());
}

/// What reloads swap, for the pipeline and the front.
class Holder final : public pipeline::RuntimeSource, public http::FrontSettingsSource {
public:
    explicit Holder(const pipeline::Gate& gate) : gate_{gate} {}
    void swap(pipeline::RuntimePtr runtime) {
        auto settings = std::make_shared<http::FrontSettings>();
        settings->timeouts = runtime->snapshot()->timeouts;
        settings->limits = runtime->snapshot()->limits;
        settings->spool_directory = runtime->snapshot()->data_dir / "spool";
        settings_.store(std::move(settings));
        runtime_.store(std::move(runtime));
    }
    [[nodiscard]] pipeline::RuntimePtr current() const override { return runtime_.load(); }
    [[nodiscard]] std::shared_ptr<const http::FrontSettings> settings() const override {
        return settings_.load();
    }
    [[nodiscard]] bool draining() const noexcept override { return gate_.draining; }

private:
    const pipeline::Gate& gate_;
    std::atomic<pipeline::RuntimePtr> runtime_;
    std::atomic<std::shared_ptr<const http::FrontSettings>> settings_;
};

struct QuietJournalObserver final : journal::Observer {
    void committed(std::size_t, std::chrono::nanoseconds) noexcept override {}
    void unsettled(std::size_t) noexcept override {}
    void writable(bool) noexcept override {}
};

struct QuietObserver final : pipeline::InvocationObserver {
    void ended(const journal::Record&, const journal::Projection&,
               std::chrono::nanoseconds) noexcept override {}
    void inflight_changed(int) noexcept override {}
    void connection_used(bool) noexcept override {}
    void credential_used(std::string_view, std::string_view) noexcept override {}
};

struct NoDoor final : pipeline::OwnDoor {
    pipeline::OwnAnswer answer(const std::string&, const std::string&, const std::string&,
                               const std::string&) override {
        return {};
    }
};

struct IoThread {
    io::ThreadContext context;
    std::unique_ptr<pipeline::Pipeline> pipeline;
    std::optional<WorkGuard> guard;
    std::thread thread;
};

}  // namespace

std::string request(std::string_view method, std::string_view path, std::string_view body,
                    std::string_view fields) {
    std::string bytes{method};
    bytes.append(" http://api.example.test").append(path).append(" HTTP/1.1\r\n");
    bytes.append("Host: api.example.test\r\n").append(fields);
    if (!body.empty()) bytes += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return bytes.append("\r\n").append(body);
}
std::string post(std::string_view fields, std::string_view body) {
    return request("POST", "/v1/pay", body, fields);
}
std::string get(std::string_view fields) {
    return request("GET", "/v1/pay", "", fields);
}

struct BrokerRig::Broker {
    Broker(const Clock& a_clock, std::filesystem::path data_dir)
        : clock{a_clock}, sources{data_dir} {}
    ~Broker();
    void start(std::size_t thread_count);
    io::Task<void> accept_all();
    void interrupt_all();

    const Clock& clock;
    pipeline::Gate gate;
    Holder holder{gate};
    QuietJournalObserver journal_observer;
    QuietObserver observer;
    NoDoor own_door;
    credentials::Sources sources;
    std::vector<asio::ip::tcp::endpoint> own_listeners;
    std::unique_ptr<journal::Journal> journal;
    std::vector<std::unique_ptr<IoThread>> threads;
    // After the threads' contexts: what runs on it is finished before they go.
    std::unique_ptr<io::WorkerPool> workers = std::make_unique<io::WorkerPool>(2);
    std::optional<pipeline::Services> services;
    std::optional<Acceptor> acceptor;
    std::uint16_t port = 0;
};

void BrokerRig::Broker::start(std::size_t thread_count) {
    services.emplace(pipeline::Services{*journal, sources, *workers, clock, holder, observer, gate,
                                        own_listeners, own_door});
    for (std::size_t i = 0; i < thread_count; ++i) {
        auto one = std::make_unique<IoThread>();
        one->context.index = i;
        one->pipeline = std::make_unique<pipeline::Pipeline>(one->context, *services);
        one->guard.emplace(one->context.context.get_executor());
        threads.push_back(std::move(one));
    }
    auto& context = threads.front()->context;
    acceptor.emplace(context.context, asio::ip::tcp::endpoint{asio::ip::address_v4::loopback(), 0});
    port = acceptor->local_endpoint().port();
    own_listeners.push_back(acceptor->local_endpoint());
    spawn(context, accept_all());
    for (auto& one : threads)
        one->thread = std::thread{[&all = one->context.context] { all.run(); }};
}

io::Task<void> BrokerRig::Broker::accept_all() {
    for (std::size_t next = 0;; ++next) {
        IoThread& seat = *threads[next % threads.size()];
        auto [failed, socket] = co_await acceptor->async_accept(seat.context.context, io::no_throw);
        if (failed) co_return;
        asio::post(seat.context.context, [this, &seat,
                                          moved = io::TcpSocket{std::move(socket)}]() mutable {
            auto stream = io::make_stream(seat.context, std::move(moved));
            spawn(seat.context, http::serve_connection(std::move(stream), seat.context,
                                                       *seat.pipeline, holder, *workers));
        });
    }
}

void BrokerRig::Broker::interrupt_all() {
    for (auto& one : threads)
        asio::post(one->context.context, [&all = *one->pipeline] { all.interrupt_all(); });
}

BrokerRig::Broker::~Broker() {
    if (threads.empty()) return;
    gate.draining = true;
    interrupt_all();
    while (gate.inflight > 0)
        std::this_thread::yield();
    for (auto& one : threads) {
        one->guard.reset();
        one->context.context.stop();
        one->thread.join();
    }
    acceptor.reset();
}

BrokerRig::BrokerRig(Setup setup)
    : upstream{setup.refusing ? ScriptedUpstream::Begin::refusing
                              : ScriptedUpstream::Begin::listening},
      directory_{make_directory()},
      setup_{std::move(setup)} {
    std::filesystem::create_directories(directory_ / "data" / "spool");
    write_secret(rig_secret);
    start();
}

BrokerRig::~BrokerRig() {
    broker_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

std::string BrokerRig::yaml() const {
    std::ostringstream text;
    text << "data_dir: ./data\n"
         << "listen: {proxy: ['127.0.0.1:0']}\n"
         << "network: {allow_private: [127.0.0.0/8], resolve: {api.example.test: 127.0.0.1}}\n"
         << "credentials:\n"
         << "  - {id: key, version: '1', source: {file: ./secret},"
         << " inject: {header: Authorization, format: 'Bearer {secret}'}}\n"
         << setup_.top << "routes:\n"
         << "  - {id: api, match: {host: api.example.test}, credential: key, upstream: {scheme: "
         << "http, port: " << setup_.port.value_or(upstream.port()) << "}";
    if (!setup_.route.empty()) text << ", " << setup_.route;
    text << "}\n";
    return text.str();
}

void BrokerRig::start() {
    auto snapshot = config::load_text(yaml(), directory_ / "sworn.yaml");
    if (!snapshot) {
        ADD_FAILURE() << config::format("sworn.yaml", snapshot.error());
        std::abort();
    }
    broker_ = std::make_unique<Broker>(clock, directory_ / "data");
    auto runtime = pipeline::Runtime::make(*snapshot);
    SWORN_ASSERT(static_cast<bool>(runtime));
    broker_->holder.swap(std::move(*runtime));
    journal::Options options;
    options.directory = (*snapshot)->data_dir;
    options.reserve_bytes = 0;
    auto opened = setup_.rocksdb ? journal::Journal::open(options, clock, broker_->journal_observer)
                                 : journal::Journal::open_on(disk_->open(), options, clock,
                                                             broker_->journal_observer);
    if (!opened) {
        ADD_FAILURE() << opened.error().what;
        std::abort();
    }
    broker_->journal = std::move(*opened);
    broker_->start(setup_.threads);
}

RawCaller BrokerRig::caller() const {
    return RawCaller{broker_->port};
}

Response BrokerRig::ask(std::string_view bytes, std::string_view method) const {
    auto one = caller();
    one.send(bytes);
    return one.read_response(method);
}

journal::Journal& BrokerRig::journal() {
    return *broker_->journal;
}

void BrokerRig::hold_syncs(Gate& gate, Gate& reached) {
    disk_->on_sync([&gate, &reached] {
        reached.open();
        gate.wait();
    });
}

void BrokerRig::kill_and_restart(Gate* held) {
    const auto left = disk_->crash();
    if (held != nullptr) held->open();
    broker_.reset();
    disk_ = left;
    start();
}

void BrokerRig::restart() {
    broker_.reset();
    start();
}

void BrokerRig::reload(std::string route) {
    setup_.route = std::move(route);
    auto snapshot = config::load_text(yaml(), directory_ / "sworn.yaml");
    SWORN_ASSERT(static_cast<bool>(snapshot));
    auto runtime = pipeline::Runtime::make(*snapshot);
    SWORN_ASSERT(static_cast<bool>(runtime));
    broker_->holder.swap(std::move(*runtime));
}

void BrokerRig::write_secret(std::string_view secret) {
    std::ofstream{directory_ / "secret"} << secret;
}

void BrokerRig::remove_secret() {
    std::filesystem::remove(directory_ / "secret");
}

void BrokerRig::wait_for_joiner(std::string_view id) {
    const auto parsed = parse_invocation_id(id);
    while (!broker_->services->joiners->any(*parsed))
        std::this_thread::yield();
}

void BrokerRig::drain_deadline() {
    broker_->interrupt_all();
}

void BrokerRig::block_results() {
    const auto results = journal().results_directory();
    std::filesystem::remove_all(results);
    std::ofstream{results} << "in the way";
}

}  // namespace sworn::test
