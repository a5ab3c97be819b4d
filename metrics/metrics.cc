#include "metrics/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace sworn::metrics {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;

constexpr std::size_t phase_count = 5;
constexpr std::size_t outcome_count = 4;
constexpr std::size_t retry_count = 6;

const Histogram::BucketBoundaries commit_seconds{
    0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1};
const Histogram::BucketBoundaries batch_events{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
const Histogram::BucketBoundaries invocation_seconds{
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};

double seconds(std::chrono::nanoseconds elapsed) noexcept {
    return std::chrono::duration<double>(elapsed).count();
}

std::string text_of(std::string_view word) {
    return std::string{word};
}

Gauge& only(prometheus::Registry& registry, const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

/// The series of one route, resolved once.
struct RouteSeries {
    std::array<std::array<Counter*, outcome_count>, phase_count> ended{};
    Histogram* duration = nullptr;
};

}  // namespace

struct Metrics::Impl {
    explicit Impl(std::string_view version);

    const RouteSeries& add_route(const std::string& route);
    [[nodiscard]] const RouteSeries& series(std::string_view route) const;

    prometheus::Registry registry;
    prometheus::Family<Counter>& invocations;
    prometheus::Family<Histogram>& durations;
    prometheus::Family<Gauge>& versions;
    Gauge& inflight;
    Gauge& unsettled;
    Gauge& writable;
    Gauge& approvals;
    Histogram& commit_duration;
    Histogram& batch;
    Gauge* active = nullptr;
    Gauge* idle = nullptr;
    Counter* reused = nullptr;
    Counter* fresh = nullptr;
    std::vector<Counter*> errors;  ///< By Code.
    std::array<Counter*, retry_count> retries{};

    mutable std::shared_mutex mutex;  ///< Guards the three below; written by reloads only.
    std::map<std::string, RouteSeries, std::less<>> routes;
    std::map<std::string, Gauge*, std::less<>> version_gauges;  ///< By credential.
    std::map<std::string, std::string, std::less<>> version_words;
    const RouteSeries* none = nullptr;
};

Metrics::Impl::Impl(std::string_view version)
    : invocations{prometheus::BuildCounter()
                      .Name("sworn_invocations_total")
                      .Help("Invocations that ended, by route, phase and outcome.")
                      .Register(registry)},
      durations{prometheus::BuildHistogram()
                    .Name("sworn_invocation_duration_seconds")
                    .Help("From the parsed request to the end of the invocation.")
                    .Register(registry)},
      versions{prometheus::BuildGauge()
                   .Name("sworn_credential_version_info")
                   .Help("Always 1; the version label is the one in use.")
                   .Register(registry)},
      inflight{only(registry, "sworn_inflight_invocations", "Invocations that run now.")},
      unsettled{only(registry, "sworn_unsettled_invocations",
                     "Invocations whose outcome is unknown and waits to be settled.")},
      writable{only(registry, "sworn_journal_writable",
                    "1 while the journal accepts writes, 0 when it does not.")},
      approvals{only(registry, "sworn_approvals_pending", "Approvals that wait for a decision.")},
      commit_duration{prometheus::BuildHistogram()
                          .Name("sworn_journal_commit_duration_seconds")
                          .Help("Time of one group commit, the sync included.")
                          .Register(registry)
                          .Add({}, commit_seconds)},
      batch{prometheus::BuildHistogram()
                .Name("sworn_journal_batch_events")
                .Help("Events in one group commit.")
                .Register(registry)
                .Add({}, batch_events)} {
    auto& connections = prometheus::BuildGauge()
                            .Name("sworn_upstream_connections")
                            .Help("Open connections to targets, by state.")
                            .Register(registry);
    active = &connections.Add({{"state", "active"}});
    idle = &connections.Add({{"state", "idle"}});
    auto& reuse = prometheus::BuildCounter()
                      .Name("sworn_connection_reuse_total")
                      .Help("Requests by whether their connection had served another before.")
                      .Register(registry);
    reused = &reuse.Add({{"reused", "true"}});
    fresh = &reuse.Add({{"reused", "false"}});
    auto& errors_family = prometheus::BuildCounter()
                              .Name("sworn_errors_total")
                              .Help("Invocations that ended with a broker error, by code.")
                              .Register(registry);
    for (const Code code : all_values<Code>()) {
        errors.push_back(&errors_family.Add({{"code", text_of(to_string(code))}}));
    }
    auto& retries_family = prometheus::BuildCounter()
                               .Name("sworn_retry_directives_total")
                               .Help("Retry directives given at the end of an invocation.")
                               .Register(registry);
    for (const Retry retry : all_values<Retry>()) {
        retries.at(static_cast<std::size_t>(retry)) =
            &retries_family.Add({{"retry", text_of(to_string(retry))}});
    }
    prometheus::BuildGauge()
        .Name("sworn_build_info")
        .Help("Always 1; the version label names the build.")
        .Register(registry)
        .Add({{"version", text_of(version)}})
        .Set(1);
    none = &add_route("none");
}

const RouteSeries& Metrics::Impl::add_route(const std::string& route) {
    const auto [place, is_new] = routes.try_emplace(route);
    RouteSeries& series = place->second;
    if (!is_new) return series;
    for (const Phase phase : all_values<Phase>()) {
        for (const Outcome outcome : all_values<Outcome>()) {
            series.ended.at(static_cast<std::size_t>(phase)).at(static_cast<std::size_t>(outcome)) =
                &invocations.Add({{"route", route},
                                  {"phase", text_of(to_string(phase))},
                                  {"outcome", text_of(to_string(outcome))}});
        }
    }
    series.duration = &durations.Add({{"route", route}}, invocation_seconds);
    return series;
}

const RouteSeries& Metrics::Impl::series(std::string_view route) const {
    if (route.empty()) return *none;
    const std::shared_lock lock{mutex};
    const auto found = routes.find(route);
    // A record may outlive its route; its name then is no longer one of the configuration.
    return found == routes.end() ? *none : found->second;
}

Metrics::Metrics(std::string_view version) : impl_{std::make_unique<Impl>(version)} {}

Metrics::~Metrics() = default;

void Metrics::configure(
    const std::vector<std::string>& routes,
    const std::vector<std::pair<std::string, std::string>>& credential_versions) {
    {
        const std::unique_lock lock{impl_->mutex};
        for (const auto& route : routes)
            impl_->add_route(route);
    }
    for (const auto& [credential, version] : credential_versions) {
        credential_version(credential, version);
    }
}

void Metrics::invocation_ended(std::string_view route, Phase phase, Outcome outcome,
                               const Code* code, Retry retry,
                               std::chrono::nanoseconds elapsed) noexcept {
    const RouteSeries& series = impl_->series(route);
    series.ended.at(static_cast<std::size_t>(phase))
        .at(static_cast<std::size_t>(outcome))
        ->Increment();
    series.duration->Observe(seconds(elapsed));
    if (code != nullptr) impl_->errors.at(static_cast<std::size_t>(*code))->Increment();
    impl_->retries.at(static_cast<std::size_t>(retry))->Increment();
}

void Metrics::inflight_changed(int by) noexcept {
    impl_->inflight.Increment(by);
}

void Metrics::unsettled(std::size_t count) noexcept {
    impl_->unsettled.Set(static_cast<double>(count));
}

void Metrics::journal_committed(std::size_t events, std::chrono::nanoseconds elapsed) noexcept {
    impl_->commit_duration.Observe(seconds(elapsed));
    impl_->batch.Observe(static_cast<double>(events));
}

void Metrics::journal_writable(bool yes) noexcept {
    impl_->writable.Set(yes ? 1 : 0);
}

void Metrics::connection_used(bool reused) noexcept {
    (reused ? impl_->reused : impl_->fresh)->Increment();
}

void Metrics::upstream_connections(long active, long idle) noexcept {
    impl_->active->Increment(static_cast<double>(active));
    impl_->idle->Increment(static_cast<double>(idle));
}

void Metrics::approvals_pending(std::size_t count) noexcept {
    impl_->approvals.Set(static_cast<double>(count));
}

void Metrics::credential_version(std::string_view credential, std::string_view version) noexcept {
    {
        const std::shared_lock lock{impl_->mutex};
        const auto word = impl_->version_words.find(credential);
        if (word != impl_->version_words.end() && word->second == version) return;
    }
    const std::unique_lock lock{impl_->mutex};
    const std::string id{credential};
    Gauge*& gauge = impl_->version_gauges[id];
    // One version per credential: the series of the old one ends with it.
    if (gauge != nullptr) impl_->versions.Remove(gauge);
    gauge = &impl_->versions.Add({{"credential", id}, {"version", std::string{version}}});
    gauge->Set(1);
    impl_->version_words.insert_or_assign(id, std::string{version});
}

std::string Metrics::text() const {
    return prometheus::TextSerializer{}.Serialize(impl_->registry.Collect());
}

}  // namespace sworn::metrics
