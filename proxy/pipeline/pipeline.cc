#include "proxy/pipeline/pipeline.h"

#include "common/json.h"
#include "proxy/contract/preflight.h"
#include "proxy/pipeline/delivery.h"
#include "proxy/pipeline/evidence.h"
#include "proxy/pipeline/http_run.h"
#include "proxy/pipeline/respond.h"

namespace sworn::pipeline {

Pipeline::Pipeline(io::ThreadContext& thread, Services& services)
    : thread_{thread}, services_{services}, waker_{thread} {}

Pipeline::~Pipeline() = default;

Status check_open(const Services& services, const config::Limits& limits) {
    if (services.gate.draining) {
        return Error{Code::broker_draining,
                     "This broker is shutting down and takes no new actions."};
    }
    if (services.gate.store_failed || !services.journal.available()) {
        return Error{Code::journal_unavailable,
                     "The journal cannot be written, so nothing may be sent."};
    }
    if (services.gate.inflight.load() >= limits.max_inflight) {
        return Error{Code::broker_overloaded,
                     "As many actions as limits.max_inflight allows are under way."};
    }
    return Done{};
}

Status Pipeline::admit(const contract::HttpAction& action, std::uint64_t announced_body) {
    const auto runtime = services_.runtime.current();
    const auto& snapshot = *runtime->snapshot();
    if (action.target.host == own_door_host) {
        if (announced_body <= own_door_body_bytes_max) return Done{};
        return Error{Code::payload_limit, "The broker's own API takes small bodies only.", "body"};
    }
    if (auto open = check_open(services_, snapshot.limits); !open) return open.error();
    const auto route = contract::select_route(action, snapshot);
    if (!route) return route.error();
    if (announced_body > (*route)->limits.max_body) {
        return Error{Code::payload_limit, "The body is larger than limits.max_body allows.",
                     "body"};
    }
    return Done{};
}

Result<std::string> Pipeline::identify(std::string_view proxy_authorization) {
    return services_.runtime.current()->identify(proxy_authorization);
}

io::Task<http::DeliveryWatchPtr> Pipeline::handle(contract::HttpAction action, http::Body body,
                                                  http::CallerSide& side) {
    if (action.target.host == own_door_host) {
        auto watch = co_await answer_own(std::move(action), std::move(body), side);
        co_return watch;
    }
    HttpRun run{*this, std::move(action), std::move(body), side};
    auto watch = co_await run.walk();
    co_return watch;
}

namespace {

/// How much of an unparsed method or target a record keeps.
constexpr std::size_t shown_bytes_max = 256;

}  // namespace

io::Task<void> Pipeline::refuse(http::Refused refused, http::CallerSide& side) {
    const auto started = services_.clock.steady();
    const auto runtime = services_.runtime.current();
    const auto voice = voice_of(*runtime->snapshot());
    const auto form = refused.plain_text ? ErrorForm::text_line : ErrorForm::problem_json;
    journal::Ledger ledger{new_invocation_id(services_.clock.now()), services_.clock};
    const auto& info = code_info(refused.error.code);
    if (refused.error.code == Code::journal_unavailable || !services_.journal.available()) {
        const auto envelope = unrecorded_envelope(ledger.id(), refused.error);
        auto answer = error_answer(envelope, info.proxy_error, voice, form);
        co_await side.answer(std::move(answer));
        co_return;
    }
    journal::ActionRefused event;
    event.code = refused.error.code;
    event.phase = info.phase;
    event.field = refused.error.field.view();
    event.message = refused.error.why.view();
    event.status =
        static_cast<std::uint32_t>(refused.error.status != 0 ? refused.error.status : info.status);
    event.caller = refused.caller;
    event.method = printable(refused.method, shown_bytes_max);
    event.target = printable(std::string_view{refused.target}.substr(0, refused.target.find('?')),
                             shown_bytes_max);
    ledger.note(std::move(event));
    const auto projection = ledger.projection();
    auto answer = error_answer(ledger.record(), projection, info.proxy_error, voice, form);
    auto last = ledger.take(journal::Durability::buffered);
    last.last = true;
    services_.journal.append(std::move(last));
    co_await side.answer(std::move(answer));
    services_.observer.ended(ledger.record(), projection, services_.clock.steady() - started);
}

/// The caller's own door: a read, or an acknowledgement; makes no record.
io::Task<http::DeliveryWatchPtr> Pipeline::answer_own(contract::HttpAction action, http::Body body,
                                                      http::CallerSide& side) {
    const std::string content{body.memory().substr(0, own_door_body_bytes_max)};
    auto ask = [&] {
        return services_.own_door.answer(action.caller, action.method, action.target.path, content);
    };
    auto own = co_await services_.workers.run(ask);
    const bool handed_over = co_await side.answer(std::move(own.answer));
    if (!handed_over || !own.fetched) co_return nullptr;
    auto read = [&] { return services_.journal.read(*own.fetched); };
    auto stored = co_await services_.workers.run(read);
    if (!stored || stored->record.delivery == journal::Delivery::delivered) co_return nullptr;
    co_return std::make_unique<Delivery>(
        services_.journal,
        journal::Ledger{*own.fetched, services_.clock, std::move(stored->record)});
}

std::shared_ptr<connect::Dialer> Pipeline::dialer(const config::SnapshotPtr& snapshot) {
    if (snapshot != dialer_snapshot_) {
        dialer_ = std::make_shared<connect::Dialer>(
            thread_, snapshot->network, services_.own_listeners, connect::Dialer::Limits{});
        dialer_snapshot_ = snapshot;
    }
    return dialer_;
}

connect::Dialer::Counts Pipeline::connections() const noexcept {
    return dialer_ ? dialer_->counts() : connect::Dialer::Counts{};
}

void Pipeline::close_idle_connections() noexcept {
    if (dialer_) dialer_->close_idle();
}

void Pipeline::enter(HttpRun& run) {
    runs_.push_back(&run);
    ++services_.gate.inflight;
}

void Pipeline::leave(HttpRun& run) noexcept {
    runs_.remove(&run);
    --services_.gate.inflight;
}

void Pipeline::interrupt_all() noexcept {
    for (HttpRun* run : runs_) {
        run->interrupt();
    }
}

}  // namespace sworn::pipeline
