// Who may use which routes.
#include <algorithm>

#include "proxy/config/checks.h"
#include "proxy/config/draft.h"

namespace sworn::config {
namespace {

void read_caller_routes(Section& section, Caller& caller, const Draft& draft) {
    const auto field = section.get("routes");
    if (!field) return;
    std::vector<std::string> known;
    for (const auto& [id, line] : draft.route_lines)
        known.push_back(id);
    for (const Field& item : field.items()) {
        const auto text = item.text();
        if (!text) continue;
        if (!draft.route_lines.contains(*text)) {
            item.fault("no route has the id " + shown(*text) + did_you_mean(*text, known));
        } else if (std::find(caller.routes.begin(), caller.routes.end(), *text) !=
                   caller.routes.end()) {
            item.fault("given twice");
        } else {
            caller.routes.push_back(*text);
        }
    }
    // An empty list in the snapshot means every route, which nobody means by writing [].
    if (field.is_list() && field.items().empty()) {
        field.fault("names no route; leave it out to allow all of them");
    }
}

void read_caller(const Field& item, Draft& draft, std::map<std::string, int>& lines) {
    Section section{item};
    Caller caller;
    read_id(section, caller.id, lines);
    const Field token = section.get("token");
    if (token) caller.token = read_source(token, draft).value_or(SecretSource{});
    const Field keys = section.get("ssh_keys");
    if (keys) {
        for (const Field& key : keys.items()) {
            const auto text = key.text();
            if (!text) continue;
            if (!is_ssh_public_key(*text)) {
                key.fault("is not a public key like \"ssh-ed25519 AAAA...\"");
                continue;
            }
            caller.ssh_keys.push_back(*text);
        }
    }
    if (item.is_map() && !token && !keys) {
        item.fault("needs a token (or ssh_keys) to be known by");
    }
    read_caller_routes(section, caller, draft);
    draft.out.callers.push_back(std::move(caller));
}

}  // namespace

void read_callers(Section& root, Draft& draft) {
    const auto field = root.get("callers");
    if (!field) return;
    std::map<std::string, int> lines;
    for (const Field& item : field.items()) {
        read_caller(item, draft, lines);
    }
}

}  // namespace sworn::config
