// What Sworn counts, as a plain object; the only room that names prometheus-cpp. Labels are closed
// vocabularies or ids from the configuration, never anything a caller or a remote sent.
// Thread-safe: every call may come from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/vocabulary.h"

namespace sworn::metrics {

class Metrics {
public:
    explicit Metrics(std::string_view version);
    ~Metrics();
    Metrics(const Metrics&) = delete;

    /// Makes every series of these routes and credentials exist at zero. Again after a reload.
    void configure(const std::vector<std::string>& routes,
                   const std::vector<std::pair<std::string, std::string>>& credential_versions);

    /// One invocation ended. `route` empty: none matched (label "none"). No code: RFC-complete end.
    void invocation_ended(std::string_view route, Phase phase, Outcome outcome, const Code* code,
                          Retry retry, std::chrono::nanoseconds elapsed) noexcept;
    void inflight_changed(int by) noexcept;
    void unsettled(std::size_t count) noexcept;
    void journal_committed(std::size_t events, std::chrono::nanoseconds elapsed) noexcept;
    void journal_writable(bool yes) noexcept;
    void connection_used(bool reused) noexcept;
    void upstream_connections(long active, long idle) noexcept;  ///< Deltas.
    void approvals_pending(std::size_t count) noexcept;
    void credential_version(std::string_view credential, std::string_view version) noexcept;

    /// The Prometheus text exposition, format 0.0.4.
    [[nodiscard]] std::string text() const;

    struct Impl;

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace sworn::metrics
