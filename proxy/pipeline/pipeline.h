// The way of an action, one per I/O thread: the handler behind the front. Each action is walked by
// one HttpRun (http_run.h); this file holds what runs share on a thread.
#pragma once

#include <list>
#include <memory>

#include "proxy/connect/dialer.h"
#include "proxy/http/caller_side.h"
#include "proxy/pipeline/append.h"
#include "proxy/pipeline/services.h"

namespace sworn::pipeline {

class HttpRun;

class Pipeline final : public http::ActionHandler {
public:
    Pipeline(io::ThreadContext& thread, Services& services);
    ~Pipeline() override;

    io::Task<http::DeliveryWatchPtr> handle(contract::HttpAction action, http::Body body,
                                            http::CallerSide& side) override;
    io::Task<void> refuse(http::Refused refused, http::CallerSide& side) override;
    Status admit(const contract::HttpAction& action, std::uint64_t announced_body) override;
    Result<std::string> identify(std::string_view proxy_authorization) override;

    /// The drain deadline passed: every exchange under way ends as BROKER_INTERRUPTED. Call on
    /// this pipeline's thread.
    void interrupt_all() noexcept;
    void close_idle_connections() noexcept;
    [[nodiscard]] connect::Dialer::Counts connections() const noexcept;

    // For the runs of this thread.
    [[nodiscard]] Services& services() noexcept { return services_; }
    [[nodiscard]] io::ThreadContext& thread() noexcept { return thread_; }
    [[nodiscard]] IoWaker& waker() noexcept { return waker_; }
    /// The dialer of this snapshot; kept alive by the run that uses it.
    [[nodiscard]] std::shared_ptr<connect::Dialer> dialer(const config::SnapshotPtr& snapshot);
    void enter(HttpRun& run);
    void leave(HttpRun& run) noexcept;

private:
    io::Task<http::DeliveryWatchPtr> answer_own(contract::HttpAction action, http::Body body,
                                                http::CallerSide& side);

    io::ThreadContext& thread_;
    Services& services_;
    IoWaker waker_;
    config::SnapshotPtr dialer_snapshot_;
    std::shared_ptr<connect::Dialer> dialer_;
    std::list<HttpRun*> runs_;
};

/// Refusals that depend on the broker's state, not on the action. Errors: broker_draining,
/// journal_unavailable, broker_overloaded.
[[nodiscard]] Status check_open(const Services& services, const config::Limits& limits);

}  // namespace sworn::pipeline
