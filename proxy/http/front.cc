#include "proxy/http/front.h"

#include "proxy/http/session.h"

namespace sworn::http {

io::Task<void> serve_connection(io::StreamPtr stream, io::ThreadContext& thread,
                                ActionHandler& handler, const FrontSettingsSource& settings,
                                io::WorkerPool& workers) {
    Session session{*stream, thread, handler, settings, workers};
    co_await session.run();
}

}  // namespace sworn::http
