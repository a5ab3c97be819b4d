// Results that cannot go out as they came: spooled for an HTTP/1.0 caller, or not storable.
#include <algorithm>
#include <utility>

#include "proxy/pipeline/evidence.h"
#include "proxy/pipeline/http_run.h"

namespace sworn::pipeline {

/// The whole result with a length, from its part file: an HTTP/1.0 caller cannot see the end of a
/// message without one. What was too large to keep cannot be given: the caller sees a cut.
io::Task<bool> HttpRun::deliver_spooled(const journal::CommitTicket& ticket) {
    if (!sink_->retained()) {
        side_.cut();
        co_return false;
    }
    http::BodyFraming framing;
    framing.kind = http::BodyFraming::Kind::length;
    framing.length = sink_->bytes();
    add_outcome(passed_head_.fields, ledger_->record(), ledger_->projection(), passed_head_.status);
    co_await side_.begin(std::move(passed_head_), framing);
    const auto file = services_.journal.results_directory() / sink_->file_name();
    for (std::uint64_t at = 0; at < framing.length;) {
        const auto count = std::min<std::uint64_t>(journal::part_bytes, framing.length - at);
        auto read = [&] { return journal::read_file_range(file, at, count); };
        const auto bytes = co_await services_.workers.run(read);
        if (!bytes) {
            side_.cut();
            co_return false;
        }
        co_await side_.part(*bytes);
        at += count;
    }
    co_return co_await side_.finish(ticket);
}

/// The remote answered, but the result cannot be kept: the outcome alone is recorded, from the
/// reserve, the body is not delivered as a result, and no new action is let in.
io::Task<void> HttpRun::store_failed(const contract::Judgement& judgement) {
    services_.gate.store_failed = true;
    services_.journal.release_reserve();
    stage_completion(judgement, false);
    const auto outcome = co_await append_and_wait(journal::Durability::durable);
    if (side_.begun()) {
        side_.cut();
    } else if (!outcome) {
        co_await answer_unsettled();
    } else {
        auto answer = error_answer(ledger_->record(), ledger_->projection(),
                                   ProxyError::proxy_internal_error, voice_, error_form());
        co_await side_.answer(std::move(answer));
    }
    close_ledger(services_.journal, *ledger_);
    ended();
}

}  // namespace sworn::pipeline
