// What every pipeline shares, built once by the wiring and handed on by reference. Thread-safe as
// each member says.
#pragma once

#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "common/clock.h"
#include "journal/journal.h"
#include "proxy/config/snapshot.h"
#include "proxy/credentials/credentials.h"
#include "proxy/io/worker_pool.h"
#include "proxy/pipeline/joiners.h"
#include "proxy/pipeline/own_door.h"
#include "proxy/pipeline/runtime.h"

namespace sworn::pipeline {

/// Told of each invocation's end, once, and of what the gauges show. Feeds metrics and the log.
class InvocationObserver {
public:
    virtual ~InvocationObserver() = default;
    virtual void ended(const journal::Record& record, const journal::Projection& projection,
                       std::chrono::nanoseconds elapsed) noexcept = 0;
    virtual void inflight_changed(int by) noexcept = 0;
    virtual void connection_used(bool reused) noexcept = 0;
    virtual void credential_used(std::string_view id, std::string_view version) noexcept = 0;
};

/// Whether new actions are let in.
struct Gate {
    std::atomic<bool> draining{false};
    std::atomic<bool> store_failed{false};  ///< A result could not be stored: no new actions.
    std::atomic<std::uint64_t> inflight{0};
};

struct Services {
    journal::Journal& journal;
    credentials::Sources& sources;
    io::WorkerPool& workers;
    const Clock& clock;
    const RuntimeSource& runtime;
    InvocationObserver& observer;
    Gate& gate;
    const std::vector<boost::asio::ip::tcp::endpoint>& own_listeners;  ///< Set before serving.
    OwnDoor& own_door;
    std::unique_ptr<Joiners> joiners = std::make_unique<Joiners>();
};

}  // namespace sworn::pipeline
