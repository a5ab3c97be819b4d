#include "proxy/pipeline/http_run.h"

#include <utility>

#include "journal/verdict.h"
#include "proxy/pipeline/evidence.h"

namespace sworn::pipeline {

using http::CallerState;
using http::DeliveryWatchPtr;

HttpRun::HttpRun(Pipeline& pipeline, contract::HttpAction action, http::Body body,
                 http::CallerSide& side)
    : pipeline_{pipeline},
      services_{pipeline.services()},
      runtime_{services_.runtime.current()},
      voice_{voice_of(*runtime_->snapshot())},
      action_{std::move(action)},
      body_{std::move(body)},
      side_{side},
      started_{services_.clock.steady()},
      open_{check_open(services_, runtime_->snapshot()->limits)} {
    pipeline_.enter(*this);
    side_.listen(this);
}

HttpRun::~HttpRun() {
    side_.listen(nullptr);
    if (begun_) services_.observer.inflight_changed(-1);
    pipeline_.leave(*this);
}

io::Task<DeliveryWatchPtr> HttpRun::walk() {
    ledger_.emplace(new_invocation_id(services_.clock.now()), services_.clock);
    // A FIN that came behind an earlier request of this connection is told to nobody again.
    caller_changed(side_.state());
    if (!open_) {
        co_await refuse(open_.error());
        co_return nullptr;
    }
    if (auto bound = bind(); !bound) {
        co_await refuse(bound.error());
        co_return nullptr;
    }
    auto watch = co_await walk_bound();
    co_return watch;
}

/// Preflight, with the credential's version as far as it is known without reading it.
Status HttpRun::bind() {
    const auto& snapshot = runtime_->snapshot();
    const auto route = contract::select_route(action_, *snapshot);
    if (!route) return route.error();
    std::string version;
    if (const auto* credential = snapshot->credential((*route)->credential)) {
        const auto cached = services_.sources.cached(*credential);
        version = cached ? cached->version : credential->version;
        if (cached) obtained_ = *cached;
    }
    contract::KeySources keys;
    keys.now = services_.clock.now();
    auto bound = contract::preflight(action_, snapshot, version, keys);
    if (!bound) return bound.error();
    bound_.emplace(std::move(*bound));
    return Done{};
}

io::Task<DeliveryWatchPtr> HttpRun::walk_bound() {
    if (action_.wishes.repeat_despite_unknown) {
        if (auto forced = co_await force_repeat(); !forced) {
            co_await refuse(forced.error());
            co_return nullptr;
        }
    } else if (names_a_first()) {
        auto first = co_await find_first();
        if (first && co_await answer_repeat(std::move(*first))) co_return std::move(repeat_watch_);
    }
    const bool continues = ledger_->record().accepted.has_value();
    if (!continues && !bound_->semantics.repeatable && bound_->route->guard.enabled) {
        const auto& accepted = bound_->accepted;
        const auto first = services_.journal.guarded(accepted.caller, accepted.fingerprint);
        if (first) {
            co_await refuse(
                Error{Code::unresolved_duplicate, "An earlier identical request is unresolved."},
                first);
            co_return nullptr;
        }
    }
    const auto obtained = co_await obtain_credential();
    if (!continues) {
        if (!names_a_first()) {
            note_bound();
        } else if (!co_await bind_token()) {
            co_return std::move(repeat_watch_);
        }
    }
    if (!obtained) {
        co_await refuse(obtained.error());
        co_return nullptr;
    }
    auto watch = co_await walk_validated();
    co_return watch;
}

void HttpRun::note_bound() {
    begin_record();
    ledger_->note(bound_->validated);
}

io::Task<DeliveryWatchPtr> HttpRun::walk_validated() {
    if (auto sealed = seal(); !sealed) {
        co_await refuse(sealed.error());
        co_return nullptr;
    }
    if (auto connected = co_await connect(); !connected) {
        co_await refuse(connected.error());
        co_return nullptr;
    }
    auto watch = co_await dispatch();
    co_return watch;
}

io::Task<Status> HttpRun::obtain_credential() {
    if (bound_->credential == nullptr || obtained_) co_return Done{};
    auto read = [&] { return services_.sources.obtain(*bound_->credential); };
    auto obtained = co_await services_.workers.run(read);
    if (!obtained) co_return obtained.error();
    obtained_.emplace(std::move(*obtained));
    bound_->validated.credential_version = obtained_->version;
    services_.observer.credential_used(bound_->credential->id, obtained_->version);
    co_return Done{};
}

Status HttpRun::seal() {
    journal::CredentialAuthorized authorized;
    authorized.credential = bound_->validated.credential;
    authorized.version = obtained_ ? obtained_->version : std::string{};
    authorized.mode = bound_->validated.injection;
    auto permit = ledger_->authorize(std::move(authorized));
    SWORN_ASSERT(static_cast<bool>(permit));
    auto sealed = credentials::seal(bound_->plan, bound_->credential,
                                    obtained_ ? obtained_->secret.get() : nullptr, *permit);
    if (!sealed) return sealed.error();
    sealed_.emplace(std::move(*sealed));
    return Done{};
}

connect::Origin HttpRun::origin() const {
    const auto& plan = bound_->plan;
    connect::Origin origin;
    origin.host = plan.origin_host;
    origin.port = plan.origin_port;
    origin.tls = plan.tls;
    origin.ca = bound_->route->upstream.ca;
    origin.pins = bound_->route->upstream.pin;
    origin.caller = action_.caller;
    if (obtained_) origin.credential = bound_->validated.credential + "\n" + obtained_->version;
    return origin;
}

void HttpRun::note_attempts(const std::vector<connect::Attempt>& attempts) {
    for (const auto& attempt : attempts) {
        journal::AttemptFailed event;
        event.n = ++attempt_;
        event.stage = attempt.stage;
        event.code = attempt.code;
        event.ends_with = attempt.ends_with;
        event.address = attempt.address;
        event.elapsed = attempt.elapsed;
        proxy_error_ = attempt.proxy_error;
        ledger_->note(std::move(event), Source::transport_observed);
    }
}

void HttpRun::note_ready() {
    journal::ConnectionReady event;
    event.n = ++attempt_;
    event.connection = connection_->id;
    event.reused = connection_->reused;
    event.address = connection_->address;
    event.peer_name = connection_->peer.name;
    event.peer_sha256 = connection_->peer.sha256;
    event.peer_verified = connection_->peer.verified;
    event.hops = connection_->hops;
    ledger_->note(std::move(event), Source::transport_observed);
    services_.observer.connection_used(connection_->reused);
}

io::Task<Status> HttpRun::connect() {
    dialer_ = pipeline_.dialer(bound_->snapshot);
    if (!ledger_->record().attempts.empty()) attempt_ = ledger_->record().attempts.back().n;
    const auto where = origin();
    connection_ = dialer_->take_idle(where);
    if (!connection_) {
        // Whatever happens to this process now, the record says how far the action came.
        append_buffered();
        auto dialled =
            co_await dialer_->connect(where, bound_->route->timeouts, bound_->route->retry.attempts,
                                      connect::Dialer::Reuse::allowed);
        note_attempts(dialled.attempts);
        connection_ = std::move(dialled.connection);
        if (!connection_ && side_.state() != CallerState::gone) {
            const auto& last = dialled.attempts.back();
            static constexpr Literal why{"No connection to the target could be made."};
            co_return Error{last.ends_with, why};
        }
    }
    proxy_error_ = ProxyError::none;
    if (connection_) note_ready();
    co_return Done{};
}

Status HttpRun::check_before_dispatch() const {
    if (interrupted_) return Error{Code::broker_interrupted, "The broker is stopping."};
    if (side_.state() == CallerState::gone) {
        return Error{Code::caller_cancelled, "The caller left before anything was sent."};
    }
    SWORN_ASSERT(connection_ != nullptr);
    const auto current = services_.runtime.current()->snapshot();
    return contract::recheck(*bound_, sealed_->request_digest(), *current);
}

io::Task<DeliveryWatchPtr> HttpRun::dispatch() {
    if (auto same = check_before_dispatch(); !same) {
        co_await refuse(same.error());
        co_return nullptr;
    }
    journal::DispatchStarted started;
    started.n = attempt_;
    started.request_digest = sealed_->request_digest();
    ledger_->note(std::move(started));
    auto outcome = co_await append_and_wait(journal::Durability::durable);
    if (!outcome) {
        dialer_->give_back(std::move(connection_));
        co_await refused_append(std::move(outcome));
        co_return nullptr;
    }
    ledger_->dispatched_at(outcome.last_seq);
    note_cancelled();
    SWORN_ASSERT(outcome.dispatch.has_value());
    auto ticket = std::move(*outcome.dispatch);
    using contract::ExchangeEnd;
    const bool connected = connect::Dialer::fit(*connection_) || co_await renew_connection();
    if (interrupted_) {
        co_await leave_unused(ExchangeEnd::interrupted);
    } else if (gone_noted_ && closes_on_cancel()) {
        co_await leave_unused(ExchangeEnd::cancelled_by_caller);
    } else if (!connected) {
        co_await leave_unused(ExchangeEnd::never_sent);
    } else {
        auto watch = co_await exchange(std::move(ticket));
        co_return watch;
    }
    co_return nullptr;
}

/// The ticket came, but nothing is handed over against it.
io::Task<void> HttpRun::leave_unused(contract::ExchangeEnd why) {
    contract::Observations unused;
    unused.end = why;
    const auto judgement =
        contract::settle(unused, contract::operation_of(*bound_), services_.clock.now());
    co_await break_off(judgement);
}

/// The pooled connection died between the look and the ticket: another verified one may take the
/// unused ticket, in the same generation.
io::Task<bool> HttpRun::renew_connection() {
    connection_.reset();
    const auto where = origin();
    auto dialled =
        co_await dialer_->connect(where, bound_->route->timeouts, bound_->route->retry.attempts,
                                  connect::Dialer::Reuse::never);
    note_attempts(dialled.attempts);
    connection_ = std::move(dialled.connection);
    if (!connection_) co_return false;
    note_ready();
    co_return true;
}

void HttpRun::caller_changed(CallerState state) noexcept {
    const auto& record = ledger_->record();
    const bool dispatched =
        !record.generations.empty() && journal::was_dispatched(record.generations.back());
    if (state == CallerState::half_closed) {
        services_.journal.note_half_closed(ledger_->id());
        return;
    }
    if (state != CallerState::gone) return;
    if (!appending_ && dispatched) note_cancelled();
}

/// CALLER_CANCELLED, once, while the exchange is not settled (contract section 7).
void HttpRun::note_cancelled() {
    if (gone_noted_ || side_.state() != CallerState::gone) return;
    if (services_.joiners->any(ledger_->id())) return;  // Others still wait for this answer.
    gone_noted_ = true;
    if (!ledger_->add(journal::CallerCancelled{"reset"}, Source::transport_observed)) return;
    append_buffered();
    if (!exchange_) return;
    if (closes_on_cancel()) {
        exchange_->stop(contract::ExchangeEnd::cancelled_by_caller);
    } else {
        exchange_->count_total_again();
    }
}

bool HttpRun::closes_on_cancel() const {
    using config::OnCancel;
    const auto wish = bound_->route->on_cancel;
    return wish == OnCancel::close || (wish == OnCancel::by_method && bound_->semantics.safe);
}

void HttpRun::interrupt() noexcept {
    interrupted_ = true;
    if (exchange_) exchange_->stop(contract::ExchangeEnd::interrupted);
}

void HttpRun::append_buffered() {
    if (ledger_->has_pending()) {
        services_.journal.append(ledger_->take(journal::Durability::buffered));
    }
}

io::Task<journal::AppendOutcome> HttpRun::append_and_wait(journal::Durability durability) {
    appending_ = true;
    auto request = ledger_->take(durability);
    auto outcome = co_await append(services_.journal, std::move(request), pipeline_.waker());
    appending_ = false;
    co_return outcome;
}

void HttpRun::ended() {
    services_.observer.ended(ledger_->record(), ledger_->projection(),
                             services_.clock.steady() - started_);
}

}  // namespace sworn::pipeline
