// The snapshot while it is being read, what the sections need of each other, and one function per
// section. Each notes its faults and leaves the default in place of what it could not read.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/config/reader.h"
#include "proxy/config/snapshot.h"

namespace sworn::config {

struct Draft {
    Snapshot out;
    std::filesystem::path folder;                 ///< The config file's; relative paths start here.
    std::map<std::string, int> credential_lines;  ///< Every credential id, faulty ones included.
    std::map<std::string, int> route_lines;       ///< HTTP and SSH routes share one namespace.
};

/// Absolute and normal; relative paths start at the config file's folder.
[[nodiscard]] std::filesystem::path anchored(const Draft& draft, std::string_view path);

/// Reads `id`, checks its spelling and that `lines` does not hold it yet; adds it.
void read_id(Section& section, std::string& id, std::map<std::string, int>& lines);

/// {env: NAME}, {file: PATH} or {vault: NAME}; exactly one.
[[nodiscard]] std::optional<SecretSource> read_source(const Field& field, const Draft& draft);

// settings.cc
void read_journal(Section& root, Draft& draft);
void read_global_limits(Section& root, Draft& draft);
void read_global_timeouts(Section& root, Draft& draft);
void read_route_limits(Section& route, Limits& limits);
void read_route_timeouts(Section& route, Timeouts& timeouts);

// one file each
void read_listen(Section& root, Draft& draft);
void read_network(Section& root, Draft& draft);  ///< After the credentials.
void read_credentials(Section& root, Draft& draft);
void read_routes(Section& root, Draft& draft);      ///< After the credentials.
void read_ssh_routes(Section& root, Draft& draft);  ///< After the routes.
void read_callers(Section& root, Draft& draft);     ///< After all routes.

// parts of a route that HTTP and SSH share (route_promises.cc)
void read_retry(Section& route, RetryPolicy& retry);
void read_approval(Section& route, Approval& approval);
void read_guard(Section& route, Guard& guard);
void read_on_cancel(Section& route, OnCancel& on_cancel);
/// The route's credential, if it names one that exists.
[[nodiscard]] const Credential* read_credential_name(Section& route, std::string& name,
                                                     const Draft& draft);
/// Names in braces that reconcile templates may use; a fault for any other.
void check_template(const Field& field, std::string_view text,
                    const std::vector<std::string>& known);
void read_finding(Section& reconcile, std::string_view key, FindingRule& rule, bool ssh);
/// A fault where both rules could say yes to one answer.
void check_findings_differ(const Section& reconcile, const ReconcileQuery& query);

// parts of an HTTP route
void read_idempotency(Section& route, Route& out);  // route_promises.cc
void read_reconcile(Section& route, Route& out);    // route_answers.cc
void read_job(Section& route, Route& out);
void read_batch(Section& route, Route& out);
void read_semantics(Section& route, Route& out);

/// Methods as a list of registered names other than TRACE and CONNECT.
void read_methods(Section& section, std::vector<std::string>& methods);  // routes.cc
/// A path prefix.
void read_path_prefix(Section& section, std::string& path);
/// Header names that a route may name.
[[nodiscard]] std::optional<std::string> read_header_name(const Field& field);

}  // namespace sworn::config
