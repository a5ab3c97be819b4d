#include "proxy/cli/observers.h"

#include "proxy/cli/log.h"

namespace sworn::cli {

void JournalObserver::committed(std::size_t events, std::chrono::nanoseconds elapsed) noexcept {
    metrics_.journal_committed(events, elapsed);
}

void JournalObserver::unsettled(std::size_t count) noexcept {
    metrics_.unsettled(count);
}

void JournalObserver::writable(bool yes) noexcept {
    metrics_.journal_writable(yes);
    if (!yes) {
        log_error("the journal cannot be written any more: nothing will be sent until a restart");
    }
}

void EndObserver::ended(const journal::Record& record, const journal::Projection& projection,
                        std::chrono::nanoseconds elapsed) noexcept {
    const std::string_view route = record.validated ? record.validated->route : std::string_view{};
    const Code* code = projection.code ? &*projection.code : nullptr;
    metrics_.invocation_ended(route, projection.phase, projection.outcome, code, projection.retry,
                              elapsed);
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count();
    log_info("invocation",
             {{"id", record.id.text()},
              {"route", std::string{route}},
              {"caller", record.accepted ? record.accepted->caller : std::string{}},
              {"phase", std::string{to_string(projection.phase)}},
              {"outcome", std::string{to_string(projection.outcome)}},
              {"retry", std::string{to_string(projection.retry)}},
              {"code", code != nullptr ? std::string{to_string(*code)} : std::string{}},
              {"us", std::to_string(micros)}});
}

void EndObserver::inflight_changed(int by) noexcept {
    metrics_.inflight_changed(by);
}

void EndObserver::credential_used(std::string_view id, std::string_view version) noexcept {
    metrics_.credential_version(id, version);
}

void EndObserver::connection_used(bool reused) noexcept {
    metrics_.connection_used(reused);
}

}  // namespace sworn::cli
