// The front: accepts callers, reads their requests strictly and in order, and answers through the
// pipeline. One acceptor per listener and thread; one session per connection.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "proxy/config/snapshot.h"
#include "proxy/http/caller_side.h"
#include "proxy/io/stream.h"
#include "proxy/io/thread_context.h"
#include "proxy/io/worker_pool.h"

namespace sworn::http {

struct FrontSettings {
    config::Timeouts timeouts;
    config::Limits limits;
    std::filesystem::path spool_directory;
};

/// Where sessions find today's settings (a reload swaps them between requests).
class FrontSettingsSource {
public:
    virtual ~FrontSettingsSource() = default;
    [[nodiscard]] virtual std::shared_ptr<const FrontSettings> settings() const = 0;
    [[nodiscard]] virtual bool draining() const noexcept = 0;
};

/// Serves one connection until it closes. Never throws; every accepted request gets a complete
/// answer or a cut.
io::Task<void> serve_connection(io::StreamPtr stream, io::ThreadContext& thread,
                                ActionHandler& handler, const FrontSettingsSource& settings,
                                io::WorkerPool& workers);

}  // namespace sworn::http
