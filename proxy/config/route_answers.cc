// Parts of a route that read the remote's answers: semantics, jobs, batches, reconcile queries.
#include <algorithm>

#include "proxy/config/checks.h"
#include "proxy/config/draft.h"

namespace sworn::config {
namespace {

void read_semantics_word(Section& section, std::string_view key, Semantics& into) {
    section.read_word<Semantics>(key, into,
                                 {{"idempotent", Semantics::idempotent},
                                  {"non_idempotent", Semantics::non_idempotent},
                                  {"by_method", Semantics::by_method}});
}

void read_pointer(Section& section, std::string_view key, std::string& into, bool root_allowed) {
    const auto field = section.get(key);
    if (!field) return;
    const auto text = root_allowed ? field.maybe_empty() : field.text();
    if (!text) return;
    if (!is_json_pointer(*text)) {
        field.fault(shown(*text) + " is not a JSON pointer like /data/id");
        return;
    }
    into = *text;
}

std::optional<Extract> read_extract(Section& section, std::string_view key) {
    const auto field = section.get(key);
    if (!field) return std::nullopt;
    Section place{field};
    const Field json = place.get("json");
    const Field header = place.get("header");
    if (field.is_map() && static_cast<bool>(json) == static_cast<bool>(header)) {
        field.fault("must hold exactly one of json (a pointer) and header");
    }
    Extract extract;
    read_pointer(place, "json", extract.json, false);
    if (header) {
        const auto name = header.text();
        if (name && !is_token(*name)) header.fault(shown(*name) + " is not a header name");
        if (name) extract.header = *name;
    }
    return extract;
}

void read_statuses(const Field& field, std::vector<int>& into, std::uint64_t min,
                   std::uint64_t max) {
    if (!field) return;
    for (const Field& item : field.one_or_more()) {
        if (const auto value = item.number(min, max)) into.push_back(static_cast<int>(*value));
    }
}

void read_json_rules(const Field& field, FindingRule& rule) {
    if (!field) return;
    for (const auto& [pointer, expected] : field.pairs()) {
        if (!is_json_pointer(pointer)) {
            expected.fault(shown(pointer) + " is not a JSON pointer like /status");
        } else if (!expected) {
            expected.fault("must be the text that the value has");
        } else if (const auto text = expected.maybe_empty()) {
            rule.json.emplace(pointer, *text);
        }
    }
}

void check_distinct(const Section& batch, const Batch& out) {
    for (const std::string& word : out.applied) {
        if (std::find(out.refused.begin(), out.refused.end(), word) != out.refused.end()) {
            batch.fault(shown(word) + " cannot mean both applied and refused");
        }
    }
}

}  // namespace

void read_semantics(Section& route, Route& out) {
    const auto field = route.get("semantics");
    if (!field) return;
    if (!field.is_list()) {
        read_semantics_word(route, "semantics", out.semantics);
        return;
    }
    for (const Field& item : field.items()) {
        Section section{item};
        SemanticsRule rule;
        rule.path = "/";
        read_methods(section, rule.methods);
        read_path_prefix(section, rule.path);
        (void)section.need("is", "idempotent, non_idempotent or by_method");
        read_semantics_word(section, "is", rule.is);
        out.semantics_rules.push_back(std::move(rule));
    }
}

void read_job(Section& route, Route& out) {
    const auto field = route.get("job");
    if (!field) return;
    Section section{field};
    Job job;
    job.id = read_extract(section, "id");
    job.status_url = read_extract(section, "status_url");
    if (field.is_map() && !job.id && !job.status_url) {
        field.fault("must say where the job's id or status_url is");
    }
    out.job = std::move(job);
}

void read_batch(Section& route, Route& out) {
    const auto field = route.get("batch");
    if (!field) return;
    Section section{field};
    Batch batch;
    for (const std::string_view key : {"request", "response", "id", "status"}) {
        (void)section.need(key, "a JSON pointer");
    }
    read_pointer(section, "request", batch.request, true);
    read_pointer(section, "response", batch.response, true);
    read_pointer(section, "id", batch.id, false);
    read_pointer(section, "status", batch.status, false);
    const auto applied = section.need("applied", "the status values that mean done, as in [ok]");
    section.read("applied", batch.applied);
    if (applied.is_list() && applied.items().empty()) applied.fault("names no status value");
    section.read("refused", batch.refused);
    section.read("atomic", batch.atomic);
    check_distinct(section, batch);
    out.batch = std::move(batch);
}

void check_template(const Field& field, std::string_view text,
                    const std::vector<std::string>& known) {
    const auto names = placeholders(text);
    if (!names) {
        field.fault("has a brace without its partner");
        return;
    }
    for (const std::string& name : *names) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            field.fault(shown("{" + name + "}") + " is not known; use {" + known.front() +
                        (known.size() > 1 ? "} or {" + known.back() : "") + "}" +
                        did_you_mean(name, known));
        }
    }
}

void read_finding(Section& reconcile, std::string_view key, FindingRule& rule, bool ssh) {
    const auto field = reconcile.get(key);
    if (!field) return;
    Section section{field};
    const Field exit = ssh ? section.get("exit") : Field{};
    const Field status = ssh ? Field{} : section.get("status");
    const Field json = ssh ? Field{} : section.get("json");
    read_statuses(exit, rule.exit, 0, 255);
    read_statuses(status, rule.status, 200, 599);
    read_json_rules(json, rule);
    if (field.is_map() && !exit && !status && !json) {
        field.fault(ssh ? "must list exit statuses, as in {exit: [0]}"
                        : "must list statuses or values, as in {status: [200]}");
    }
}

void check_findings_differ(const Section& reconcile, const ReconcileQuery& query) {
    const FindingRule& yes = query.applied;
    const FindingRule& no = query.not_applied;
    const auto shared = [](const std::vector<int>& a, const std::vector<int>& b) {
        return std::any_of(a.begin(), a.end(),
                           [&b](int x) { return std::find(b.begin(), b.end(), x) != b.end(); });
    };
    const bool same_exit = shared(yes.exit, no.exit);
    const bool same_status = shared(yes.status, no.status) && yes.json.empty() && no.json.empty();
    if (same_exit || same_status || (!yes.json.empty() && yes.json == no.json)) {
        reconcile.fault("one answer would mean both applied and not_applied");
    }
}

void read_reconcile(Section& route, Route& out) {
    const auto field = route.get("reconcile");
    if (!field) return;
    Section section{field};
    ReconcileQuery query;
    section.read_word<std::string>("method", query.method, {{"GET", "GET"}, {"HEAD", "HEAD"}});
    const auto path = section.need("path", "a path like /v1/by-key/{idempotency_key}");
    if (path) {
        query.path = path.text().value_or("");
        if (!query.path.empty() && (!is_visible(query.path) || query.path.front() != '/')) {
            path.fault(shown(query.path) + " is not a path; it starts with /");
        }
        check_template(path, query.path, {"idempotency_key", "operation_id"});
        if (query.path.find("{idempotency_key}") != std::string::npos && !out.idempotency) {
            path.fault("uses {idempotency_key}, and the route declares no idempotency");
        }
    }
    (void)section.need("applied", "the answers that mean it was applied, as in {status: [200]}");
    read_finding(section, "applied", query.applied, false);
    read_finding(section, "not_applied", query.not_applied, false);
    section.read("settle_after", query.settle_after);
    check_findings_differ(section, query);
    out.reconcile = std::move(query);
}

}  // namespace sworn::config
