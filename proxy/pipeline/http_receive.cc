// The response's way: held whole until the commit where it is small, else stored and handed on part
// by part with the end withheld (contract section 7).
#include <algorithm>
#include <utility>

#include "common/json.h"
#include "common/proxy_status.h"
#include "common/utf8.h"
#include "proxy/pipeline/delivery.h"
#include "proxy/pipeline/http_run.h"

namespace sworn::pipeline {

using http::DeliveryWatchPtr;
using Part = http::Exchange::Part;
using namespace std::chrono_literals;

namespace {

/// How long a chunked response below 64 KiB may be held back, from its header section on.
constexpr auto hold_patience = 50ms;

constexpr std::size_t field_bytes_max = 1024;

/// As a record and its JSON can hold it.
std::string field_of(const http::ResponseHead& head, std::string_view name) {
    const auto value = contract::find_field(head.fields, name);
    if (!value) return {};
    const auto shown = value->substr(0, field_bytes_max);
    return is_utf8(shown) ? std::string{shown} : printable(shown, field_bytes_max);
}

bool is_event_stream(const http::ResponseHead& head) {
    const auto type = contract::find_field(head.fields, "content-type");
    if (!type) return false;
    const auto bare = type->substr(0, type->find(';'));
    return contract::equals_ignoring_case(bare, "text/event-stream") ||
           contract::equals_ignoring_case(bare, "application/x-ndjson") ||
           contract::equals_ignoring_case(bare, "application/ndjson");
}

std::string remote_request_id(const http::ResponseHead& head) {
    for (const std::string_view name :
         {"x-request-id", "request-id", "x-amzn-requestid", "x-github-request-id"}) {
        if (auto id = field_of(head, name); !id.empty()) return id.substr(0, 128);
    }
    return {};
}

}  // namespace

io::Task<DeliveryWatchPtr> HttpRun::exchange(journal::DispatchTicket ticket) {
    exchange_.emplace(std::move(connection_), action_.method, bound_->route->timeouts,
                      bound_->route->limits, pipeline_.thread(), services_.workers);
    sink_.emplace(services_.workers, services_.journal.results_directory(), ledger_->id(),
                  ledger_->generation(), bound_->snapshot->journal.max_result, sealed_->needles());
    co_await exchange_->send(std::move(ticket), *sealed_, body_);
    if (!co_await read_final_head()) {
        const auto judgement = judge();
        co_await break_off(judgement);
        co_return nullptr;
    }
    const auto& markers = exchange_->observations().markers;
    journal::RequestSent sent;
    sent.headers = markers.request_headers_sent.value_or(false);
    sent.body = markers.request_body_sent.value_or(false);
    sent.bytes = body_.size();
    ledger_->note(std::move(sent), Source::transport_observed);
    prepare_head();
    auto watch = co_await receive();
    co_return watch;
}

/// What the exchange proves, as far as it came. A hop's name is a remote's own word.
contract::Judgement HttpRun::judge() {
    auto judgement = contract::settle(exchange_->observations(), contract::operation_of(*bound_),
                                      services_.clock.now());
    if (bound_->route->redact) sink_->masker().mask(judgement.hop);
    return judgement;
}

void HttpRun::mask(http::ResponseHead& head) {
    if (!bound_->route->redact) return;
    sink_->masker().mask(head.reason);
    for (auto& field : head.fields) {
        sink_->masker().mask(field.second);
    }
}

/// Passes 1xx on as they come; true once a final head is there.
io::Task<bool> HttpRun::read_final_head() {
    for (;;) {
        auto next = co_await exchange_->read_head();
        switch (next.kind) {
            case http::Exchange::Head::Kind::broken:
                co_return false;
            case http::Exchange::Head::Kind::final:
                remote_head_ = std::move(next.head);
                co_return true;
            case http::Exchange::Head::Kind::informational: {
                journal::InformationalResponse event;
                event.status = static_cast<std::uint32_t>(next.head.status);
                ledger_->note(event, Source::remote_response);
                mask(next.head);
                co_await side_.inform(next.head.status, std::move(next.head.fields));
                break;
            }
        }
    }
}

/// REMOTE_RESPONSE_STARTED, and the head as the caller will see it, secrets masked.
void HttpRun::prepare_head() {
    mask(remote_head_);
    journal::RemoteResponseStarted event;
    event.status = static_cast<std::uint32_t>(remote_head_.status);
    event.content_type = field_of(remote_head_, "content-type");
    event.content_encoding = field_of(remote_head_, "content-encoding");
    event.retry_after = field_of(remote_head_, "retry-after");
    event.location = field_of(remote_head_, "location");
    event.remote_request_id = remote_request_id(remote_head_);
    const bool coded = !event.content_encoding.empty() && event.content_encoding != "identity";
    if (!bound_->route->redact || coded) {
        sink_->cannot_scan(coded ? event.content_encoding : "unmasked by configuration");
    }
    ledger_->note(std::move(event), Source::remote_response);
    passed_head_ = passed_on_head(remote_head_, ledger_->id(), voice_);
}

HttpRun::Hold HttpRun::hold_for() const {
    using Kind = http::BodyFraming::Kind;
    const auto& framing = remote_head_.framing;
    if (side_.http10() && (framing.kind == Kind::chunked || framing.kind == Kind::until_close)) {
        return Hold::whole;
    }
    switch (framing.kind) {
        case Kind::none:
            return Hold::whole;
        case Kind::length:
            return framing.length <= held_bytes_max ? Hold::whole : Hold::no;
        case Kind::chunked:
        case Kind::until_close:
            if (is_event_stream(remote_head_)) return Hold::no;
            return remote_head_.status < 400 ? Hold::patient : Hold::whole;
    }
    SWORN_UNREACHABLE();
}

io::Task<Part> HttpRun::next_part(Hold hold, SteadyTime until) {
    if (hold != Hold::patient) {
        auto part = co_await exchange_->read_body();
        co_return part;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - services_.clock.steady());
    auto part = co_await exchange_->read_body_for(std::max(left, 1ms));
    co_return part;
}

io::Task<DeliveryWatchPtr> HttpRun::receive() {
    const auto hold = hold_for();
    const auto until = services_.clock.steady() + hold_patience;
    while (hold != Hold::no) {
        const auto part = co_await next_part(hold, until);
        if (part.kind == Part::Kind::complete) {
            sink_->hold(sink_->take_rest());
            auto watch = co_await commit_held();
            co_return watch;
        }
        if (part.kind == Part::Kind::broken) {
            const auto judgement = judge();
            co_await break_off(judgement);
            co_return nullptr;
        }
        sink_->hold(sink_->take(part.data));
        const bool too_much = !sink_->fits(0);
        const bool too_long = hold == Hold::patient && services_.clock.steady() >= until;
        if (too_much || too_long) break;
    }
    auto watch = co_await stream();
    co_return watch;
}

io::Task<DeliveryWatchPtr> HttpRun::stream() {
    if (!gone_noted_) exchange_->streaming();
    const auto& framing = remote_head_.framing;
    if (framing.kind == http::BodyFraming::Kind::length &&
        framing.length > bound_->snapshot->journal.max_result) {
        sink_->keep_nothing();
    }
    std::string first = sink_->held();
    co_await sink_->start_file();
    // An HTTP/1.0 caller cannot see the end of a message without a length: it gets the whole.
    const bool spool = side_.http10() && framing.kind != http::BodyFraming::Kind::length;
    add_early_stop_signs();
    if (!spool && !sink_->failed()) {
        co_await side_.begin(passed_head_, framing);
        if (!first.empty()) co_await side_.part(first);
    }
    for (;;) {
        const auto part = co_await exchange_->read_body();
        if (part.kind == Part::Kind::broken) {
            const auto judgement = judge();
            co_await break_off(judgement);
            co_return nullptr;
        }
        std::string bytes =
            part.kind == Part::Kind::complete ? sink_->take_rest() : sink_->take(part.data);
        co_await pass_on(std::move(bytes));
        if (part.kind == Part::Kind::complete) break;
    }
    auto watch = co_await commit_streamed();
    co_return watch;
}

/// The head of a streamed answer goes before its outcome is known. Where neither a complete end nor
/// a cut would allow a repeat, it says so already.
void HttpRun::add_early_stop_signs() {
    if (remote_head_.status < 400 || bound_->semantics.repeatable) return;
    auto whole = exchange_->observations();
    whole.end = contract::ExchangeEnd::complete;
    const auto operation = contract::operation_of(*bound_);
    const auto judgement = contract::settle(whole, operation, services_.clock.now());
    const bool keyed =
        operation.key_bound && bound_->validated.key_origin == journal::KeyOrigin::caller;
    const bool settled = judgement.outcome == Outcome::committed;
    if (settled || (judgement.outcome == Outcome::unknown && !keyed)) {
        add_stop_signs(passed_head_.fields);
    }
}

/// Stored first, then handed on; after a failed store nothing more is shown to the caller.
io::Task<void> HttpRun::pass_on(std::string bytes) {
    if (bytes.empty()) co_return;
    co_await sink_->store(bytes);
    sink_->note_parts(*ledger_);
    append_buffered();
    if (sink_->failed() || !side_.begun()) co_return;
    co_await side_.part(bytes);
}

void HttpRun::stage_completion(const contract::Judgement& judgement, bool stored) {
    const auto& seen = exchange_->observations();
    journal::RemoteResponseComplete complete;
    complete.settles = judgement.settles;
    complete.status = static_cast<std::uint32_t>(seen.status);
    complete.framing = seen.framing;
    complete.bytes = seen.body_bytes;
    complete.received_digest = sink_->received_digest();
    complete.outcome = judgement.outcome;
    complete.code = judgement.code;
    complete.directive = judgement.directive;
    complete.result_stored = stored;
    complete.redactions = sink_->redactions();
    complete.unscanned = sink_->unscanned();
    complete.hop = judgement.hop;
    ledger_->note(std::move(complete), Source::remote_response);
}

/// The durable end of a complete exchange. Nothing: it could not be made durable.
io::Task<std::optional<journal::CommitTicket>> HttpRun::commit(
    const contract::Judgement& judgement) {
    stage_completion(judgement, true);
    if (judgement.settles) {
        journal::ResultCommitted result;
        result.outcome = judgement.outcome;
        result.code = judgement.code;
        result.directive = judgement.directive;
        result.retry_at = judgement.retry_at;
        result.status = static_cast<std::uint32_t>(remote_head_.status);
        result.result_digest = sink_->stored_digest();
        result.bytes = sink_->bytes();
        result.retained = sink_->retained();
        result.part_file = sink_->file_name();
        ledger_->note(std::move(result), Source::remote_response);
        ledger_->set_head(journal::ResultHead{store_head(passed_head_)});
    } else {
        const auto& markers = exchange_->observations().markers;
        journal::ExchangeBroken broken;
        broken.code = judgement.code.value_or(Code::intermediary_error);
        broken.proxy_error = judgement.proxy_error;
        broken.how = judgement.how;
        broken.hop = judgement.hop;
        broken.handed_over = markers.handed_over;
        broken.request_headers_sent = markers.request_headers_sent;
        broken.request_body_sent = markers.request_body_sent;
        broken.response_headers_received = markers.response_headers_received;
        broken.response_complete = markers.response_complete;
        ledger_->note(std::move(broken), Source::remote_response);
    }
    auto outcome = co_await append_and_wait(journal::Durability::durable);
    if (!outcome || !outcome.commit) co_return std::nullopt;
    co_return std::move(outcome.commit);
}

io::Task<DeliveryWatchPtr> HttpRun::commit_held() {
    const auto judgement = judge();
    if (judgement.settles && !sink_->held().empty()) {
        journal::InlinePart part;
        part.bytes = sink_->held();
        ledger_->add_part(std::move(part));
        journal::ResultPart event;
        event.size = sink_->held().size();
        event.digest = sink_->stored_digest();
        ledger_->note(std::move(event), Source::remote_response);
    }
    if (auto free = exchange_->finish()) dialer_->give_back(std::move(free));
    auto ticket = co_await commit(judgement);
    if (!ticket) {
        co_await answer_unsettled();
        close_ledger(services_.journal, *ledger_);
        ended();
        co_return nullptr;
    }
    http::Answer answer;
    answer.head = std::move(passed_head_);
    answer.body = sink_->release_held();
    add_outcome(answer.head.fields, ledger_->record(), ledger_->projection(), answer.head.status);
    ended();
    const bool handed_over = co_await side_.deliver(std::move(answer), *ticket);
    co_return after_delivery(handed_over);
}

io::Task<DeliveryWatchPtr> HttpRun::commit_streamed() {
    const auto judgement = judge();
    if (auto free = exchange_->finish()) dialer_->give_back(std::move(free));
    // What settles nothing leaves no result: its file goes with the sink.
    const bool stored = judgement.settles ? co_await sink_->seal() : !sink_->failed();
    if (!stored) {
        co_await store_failed(judgement);
        co_return nullptr;
    }
    sink_->note_parts(*ledger_);
    auto ticket = co_await commit(judgement);
    if (!ticket) {
        if (side_.begun()) {
            side_.cut();
        } else {
            co_await answer_unsettled();
        }
        close_ledger(services_.journal, *ledger_);
        ended();
        co_return nullptr;
    }
    ended();
    bool handed_over = false;
    if (side_.begun()) {
        handed_over = co_await side_.finish(*ticket);
    } else {
        // Spooled for an HTTP/1.0 caller: now its length is known.
        handed_over = co_await deliver_spooled(*ticket);
    }
    co_return after_delivery(handed_over);
}

DeliveryWatchPtr HttpRun::after_delivery(bool handed_over) {
    const auto& record = ledger_->record();
    const bool committed = !record.generations.empty() && record.generations.back().result;
    if (!committed) {
        close_ledger(services_.journal, *ledger_);
        return nullptr;
    }
    auto watch = std::make_unique<Delivery>(services_.journal, std::move(*ledger_));
    if (!handed_over) {
        watch->failed("the caller was gone");
        return nullptr;
    }
    return watch;
}

}  // namespace sworn::pipeline
