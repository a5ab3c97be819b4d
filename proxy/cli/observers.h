// What happens, told to the metrics and the log.
#pragma once

#include "journal/journal.h"
#include "metrics/metrics.h"
#include "proxy/pipeline/services.h"

namespace sworn::cli {

class JournalObserver final : public journal::Observer {
public:
    explicit JournalObserver(metrics::Metrics& metrics) : metrics_{metrics} {}
    void committed(std::size_t events, std::chrono::nanoseconds elapsed) noexcept override;
    void unsettled(std::size_t count) noexcept override;
    void writable(bool yes) noexcept override;

private:
    metrics::Metrics& metrics_;
};

class EndObserver final : public pipeline::InvocationObserver {
public:
    explicit EndObserver(metrics::Metrics& metrics) : metrics_{metrics} {}
    void ended(const journal::Record& record, const journal::Projection& projection,
               std::chrono::nanoseconds elapsed) noexcept override;
    void inflight_changed(int by) noexcept override;
    void connection_used(bool reused) noexcept override;
    void credential_used(std::string_view id, std::string_view version) noexcept override;

private:
    metrics::Metrics& metrics_;
};

}  // namespace sworn::cli
