#include "metrics/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

namespace sworn::metrics {
namespace {

using namespace std::chrono_literals;

using Labels = std::map<std::string, std::string>;

struct Sample {
    std::string name;
    Labels labels;
    double value = 0;
};

/// name{label="value",…} number, as the exposition format writes it; our values need no escapes.
std::optional<Sample> parse_sample(const std::string& line) {
    Sample sample;
    const auto blank = line.rfind(' ');
    if (blank == std::string::npos) return std::nullopt;
    sample.value = std::stod(line.substr(blank + 1));
    std::string series = line.substr(0, blank);
    const auto open = series.find('{');
    sample.name = series.substr(0, open);
    if (open == std::string::npos) return sample;
    if (!series.ends_with('}')) return std::nullopt;
    std::istringstream labels{series.substr(open + 1, series.size() - open - 2)};
    for (std::string pair; std::getline(labels, pair, ',');) {
        const auto equals = pair.find("=\"");
        if (equals == std::string::npos || !pair.ends_with('"')) return std::nullopt;
        sample.labels[pair.substr(0, equals)] = pair.substr(equals + 2, pair.size() - equals - 3);
    }
    return sample;
}

std::vector<Sample> samples_of(const Metrics& metrics) {
    std::vector<Sample> samples;
    std::istringstream lines{metrics.text()};
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.starts_with('#')) continue;
        auto sample = parse_sample(line);
        EXPECT_TRUE(sample) << line;
        if (sample) samples.push_back(*std::move(sample));
    }
    return samples;
}

std::optional<double> value_of(const Metrics& metrics, const std::string& name,
                               const Labels& labels = {}) {
    for (const auto& sample : samples_of(metrics)) {
        if (sample.name == name && sample.labels == labels) return sample.value;
    }
    return std::nullopt;
}

std::size_t series_of(const Metrics& metrics, const std::string& name) {
    const auto samples = samples_of(metrics);
    return static_cast<std::size_t>(std::count_if(
        samples.begin(), samples.end(), [&name](const Sample& one) { return one.name == name; }));
}

Metrics& configured(Metrics& metrics) {
    metrics.configure({"payments", "docs"}, {{"pay-key", "2026-11"}});
    return metrics;
}

TEST(Metrics, MakesEverySeriesExistAtZero) {
    Metrics metrics{"1.2.3"};
    configured(metrics);
    EXPECT_EQ(series_of(metrics, "sworn_invocations_total"), 3U * 5U * 4U);
    EXPECT_EQ(series_of(metrics, "sworn_errors_total"), all_values<Code>().size());
    EXPECT_EQ(series_of(metrics, "sworn_retry_directives_total"), all_values<Retry>().size());
    EXPECT_EQ(series_of(metrics, "sworn_invocation_duration_seconds_count"), 3U);
    for (const auto& sample : samples_of(metrics)) {
        const bool is_info = sample.name.ends_with("_info");
        EXPECT_EQ(sample.value, is_info ? 1 : 0) << sample.name;
    }
}

TEST(Metrics, NamesAreTheDocumentedOnes) {
    Metrics metrics{"1.2.3"};
    configured(metrics);
    const std::map<std::string, std::set<std::string>> documented{
        {"sworn_invocations_total", {"route", "phase", "outcome"}},
        {"sworn_errors_total", {"code"}},
        {"sworn_retry_directives_total", {"retry"}},
        {"sworn_unsettled_invocations", {}},
        {"sworn_inflight_invocations", {}},
        {"sworn_invocation_duration_seconds", {"route"}},
        {"sworn_journal_commit_duration_seconds", {}},
        {"sworn_journal_batch_events", {}},
        {"sworn_journal_writable", {}},
        {"sworn_upstream_connections", {"state"}},
        {"sworn_connection_reuse_total", {"reused"}},
        {"sworn_approvals_pending", {}},
        {"sworn_credential_version_info", {"credential", "version"}},
        {"sworn_build_info", {"version"}},
    };
    std::set<std::string> seen;
    for (const auto& sample : samples_of(metrics)) {
        std::string name = sample.name;
        std::set<std::string> labels;
        for (const auto& [label, value] : sample.labels)
            labels.insert(label);
        for (const std::string suffix : {"_bucket", "_sum", "_count"}) {
            const bool histogram = name.ends_with(suffix) && !documented.contains(name);
            if (histogram) name.resize(name.size() - suffix.size());
        }
        labels.erase("le");
        ASSERT_TRUE(documented.contains(name)) << name;
        EXPECT_EQ(labels, documented.at(name)) << name;
        seen.insert(name);
    }
    EXPECT_EQ(seen.size(), documented.size());
}

TEST(Metrics, CountsAnEndOnceInEachFamily) {
    Metrics metrics{"1.2.3"};
    configured(metrics);
    const Code code = Code::remote_timeout;
    metrics.invocation_ended("payments", Phase::remote_execution, Outcome::unknown, &code,
                             Retry::reconcile, 40ms);
    EXPECT_EQ(
        value_of(metrics, "sworn_invocations_total",
                 {{"route", "payments"}, {"phase", "remote_execution"}, {"outcome", "unknown"}}),
        1);
    EXPECT_EQ(value_of(metrics, "sworn_errors_total", {{"code", "REMOTE_TIMEOUT"}}), 1);
    EXPECT_EQ(value_of(metrics, "sworn_retry_directives_total", {{"retry", "reconcile"}}), 1);
    const std::string buckets = "sworn_invocation_duration_seconds_bucket";
    EXPECT_EQ(value_of(metrics, buckets, {{"route", "payments"}, {"le", "0.025"}}), 0);
    EXPECT_EQ(value_of(metrics, buckets, {{"route", "payments"}, {"le", "0.05"}}), 1);
}

TEST(Metrics, AnEndWithoutACodeCountsNoError) {
    Metrics metrics{"1.2.3"};
    configured(metrics);
    metrics.invocation_ended("docs", Phase::result_delivery, Outcome::committed, nullptr,
                             Retry::never, 1ms);
    for (const auto& sample : samples_of(metrics)) {
        if (sample.name != "sworn_errors_total") continue;
        EXPECT_EQ(sample.value, 0) << sample.labels.at("code");
    }
    EXPECT_EQ(value_of(metrics, "sworn_retry_directives_total", {{"retry", "never"}}), 1);
}

TEST(Metrics, LabelsStayClosedWhateverRouteIsNamed) {
    Metrics metrics{"1.2.3"};
    configured(metrics);
    const std::size_t before = samples_of(metrics).size();
    for (const std::string route : {"", "removed", "a\"} 1\nevil", "Payments"}) {
        metrics.invocation_ended(route, Phase::validation, Outcome::not_attempted, nullptr,
                                 Retry::never, 1ms);
    }
    EXPECT_EQ(samples_of(metrics).size(), before);
    EXPECT_EQ(value_of(metrics, "sworn_invocations_total",
                       {{"route", "none"}, {"phase", "validation"}, {"outcome", "not_attempted"}}),
              4);
}

TEST(Metrics, ACredentialHasOneVersionAtATime) {
    Metrics metrics{"1.2.3"};
    configured(metrics);
    metrics.credential_version("pay-key", "2026-11+1");
    metrics.credential_version("pay-key", "2026-11+1");
    EXPECT_EQ(series_of(metrics, "sworn_credential_version_info"), 1U);
    EXPECT_EQ(value_of(metrics, "sworn_credential_version_info",
                       {{"credential", "pay-key"}, {"version", "2026-11+1"}}),
              1);
}

TEST(Metrics, KeepsCountsOverAReload) {
    Metrics metrics{"1.2.3"};
    configured(metrics);
    metrics.invocation_ended("docs", Phase::result_delivery, Outcome::committed, nullptr,
                             Retry::never, 1ms);
    metrics.configure({"docs", "search"}, {});
    const Labels committed{{"phase", "result_delivery"}, {"outcome", "committed"}};
    Labels docs = committed;
    docs["route"] = "docs";
    Labels search = committed;
    search["route"] = "search";
    EXPECT_EQ(value_of(metrics, "sworn_invocations_total", docs), 1);
    EXPECT_EQ(value_of(metrics, "sworn_invocations_total", search), 0);
}

TEST(Metrics, GaugesFollowTheirLastValue) {
    Metrics metrics{"1.2.3"};
    metrics.inflight_changed(3);
    metrics.inflight_changed(-1);
    metrics.unsettled(7);
    metrics.journal_writable(true);
    metrics.approvals_pending(2);
    metrics.upstream_connections(2, 1);
    metrics.upstream_connections(-1, 1);
    metrics.connection_used(true);
    metrics.connection_used(false);
    metrics.connection_used(false);
    metrics.journal_committed(5, 80us);
    EXPECT_EQ(value_of(metrics, "sworn_inflight_invocations"), 2);
    EXPECT_EQ(value_of(metrics, "sworn_unsettled_invocations"), 7);
    EXPECT_EQ(value_of(metrics, "sworn_journal_writable"), 1);
    EXPECT_EQ(value_of(metrics, "sworn_approvals_pending"), 2);
    EXPECT_EQ(value_of(metrics, "sworn_upstream_connections", {{"state", "active"}}), 1);
    EXPECT_EQ(value_of(metrics, "sworn_upstream_connections", {{"state", "idle"}}), 2);
    EXPECT_EQ(value_of(metrics, "sworn_connection_reuse_total", {{"reused", "true"}}), 1);
    EXPECT_EQ(value_of(metrics, "sworn_connection_reuse_total", {{"reused", "false"}}), 2);
    EXPECT_EQ(value_of(metrics, "sworn_journal_batch_events_sum"), 5);
    EXPECT_EQ(value_of(metrics, "sworn_journal_commit_duration_seconds_count"), 1);
    EXPECT_EQ(value_of(metrics, "sworn_build_info", {{"version", "1.2.3"}}), 1);
}

TEST(Metrics, ManyThreadsLoseNoCount) {
    Metrics metrics{"1.2.3"};
    configured(metrics);
    constexpr int ends_per_thread = 1000;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&metrics] {
                for (int end = 0; end < ends_per_thread; ++end) {
                    metrics.invocation_ended("docs", Phase::result_delivery, Outcome::committed,
                                             nullptr, Retry::never, 1ms);
                }
            });
        }
    }
    EXPECT_EQ(value_of(metrics, "sworn_retry_directives_total", {{"retry", "never"}}),
              4 * ends_per_thread);
}

}  // namespace
}  // namespace sworn::metrics
