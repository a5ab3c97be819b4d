// SSH routes: which host, users and commands, whose key is trusted there, and how to ask again.
#include "proxy/config/checks.h"
#include "proxy/config/draft.h"
#include "proxy/config/hosts.h"
#include "proxy/config/route_digest.h"

namespace sworn::config {
namespace {

void read_users(Section& section, std::vector<std::string>& users) {
    const auto field = section.get("users");
    if (!field) return;
    for (const Field& item : field.items()) {
        const auto text = item.text();
        if (!text) continue;
        if (!is_visible(*text)) item.fault(shown(*text) + " is not a user name");
        users.push_back(*text);
    }
    if (field.is_list() && field.items().empty()) {
        field.fault("names no user; leave it out to allow any");
    }
}

void read_commands(Section& section, std::vector<std::string>& commands) {
    const auto field = section.get("commands");
    if (!field) return;
    for (const Field& item : field.items()) {
        const auto text = item.text();
        if (!text) continue;
        if (!is_regex(*text)) {
            item.fault(shown(*text) + " is not a regular expression that compiles");
            continue;
        }
        commands.push_back(*text);
    }
    if (field.is_list() && field.items().empty()) {
        field.fault("names no command; leave it out to allow any");
    }
}

void read_ssh_match(Section& route, SshRoute& out) {
    const auto field = route.need("match", "match: {host: build.example.com}");
    if (!field) return;
    Section section{field};
    if (const auto host = section.need("host", "a name, *.name or an address")) {
        const auto text = host.text();
        const auto pattern = text ? parse_host_pattern(*text) : std::nullopt;
        if (text && (!pattern || is_own_name(*pattern))) {
            host.fault(shown(*text) + " is not a host like build.example.com or *.example.com");
        }
        if (pattern) out.host = *pattern;
    }
    if (const auto port = section.get("port")) out.port = port.port().value_or(out.port);
    read_users(section, out.users);
    read_commands(section, out.commands);
}

void read_host_keys(Section& route, SshRoute& out, const Draft& draft) {
    const auto field = route.need("host_keys", "[\"ssh-ed25519 AAAA...\"] or {known_hosts: FILE}");
    if (!field) return;
    if (field.is_map()) {
        Section section{field};
        const auto file = section.need("known_hosts", "a file in the format of known_hosts");
        if (!file) return;
        if (const auto text = file.text()) out.known_hosts = anchored(draft, *text);
        return;
    }
    for (const Field& item : field.items()) {
        const auto text = item.text();
        if (!text) continue;
        if (!is_ssh_public_key(*text)) {
            item.fault(
                "is not a host key like \"ssh-ed25519 AAAA...\" (its type, a blank, base64)");
            continue;
        }
        out.host_keys.push_back(*text);
    }
    if (field.is_list() && field.items().empty()) field.fault("names no key");
}

void read_marker(Section& route, SshRoute& out) {
    const auto field = route.get("marker");
    if (!field) return;
    Section section{field};
    const auto regex = section.need("stdout_regex", "what the last line of stdout looks like");
    if (!regex) return;
    const auto text = regex.text();
    if (text && !is_regex(*text)) {
        regex.fault(shown(*text) + " is not a regular expression that compiles");
    }
    if (text) out.marker_stdout_regex = *text;
}

void read_ssh_reconcile(Section& route, SshRoute& out) {
    const auto field = route.get("reconcile");
    if (!field) return;
    Section section{field};
    ReconcileQuery query;
    if (const auto command = section.need("command", "as in \"status-of {operation_id}\"")) {
        query.command = command.text().value_or("");
        check_template(command, query.command, {"operation_id"});
    }
    (void)section.need("applied", "the exit statuses that mean it was applied, as in {exit: [0]}");
    read_finding(section, "applied", query.applied, true);
    read_finding(section, "not_applied", query.not_applied, true);
    section.read("settle_after", query.settle_after);
    check_findings_differ(section, query);
    out.reconcile = std::move(query);
}

void read_ssh_route(const Field& item, Draft& draft) {
    Section section{item};
    SshRoute out;
    read_id(section, out.id, draft.route_lines);
    read_ssh_match(section, out);
    (void)section.need("credential", "the id of a credential with inject.ssh_key");
    const Credential* credential = read_credential_name(section, out.credential, draft);
    if (credential != nullptr && credential->inject.kind != Injection::Kind::ssh_key &&
        credential->inject.kind != Injection::Kind::none) {
        section.get("credential")
            .fault(shown(credential->id) +
                   " is not injected as ssh_key, so it cannot be used here");
    }
    read_host_keys(section, out, draft);
    section.read_word<Semantics>(
        "semantics", out.semantics,
        {{"idempotent", Semantics::idempotent}, {"non_idempotent", Semantics::non_idempotent}});
    read_marker(section, out);
    read_ssh_reconcile(section, out);
    read_on_cancel(section, out.on_cancel);
    read_retry(section, out.retry);
    read_approval(section, out.approval);
    read_guard(section, out.guard);
    out.digest = route_digest(out, credential);
    draft.out.ssh_routes.push_back(std::move(out));
}

}  // namespace

void read_ssh_routes(Section& root, Draft& draft) {
    const auto field = root.get("ssh_routes");
    if (!field) return;
    for (const Field& item : field.items()) {
        read_ssh_route(item, draft);
    }
}

}  // namespace sworn::config
