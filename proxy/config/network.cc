// How Sworn reaches the world: address policy, trust, upstream proxy, name resolution.
#include "proxy/config/checks.h"
#include "proxy/config/draft.h"
#include "proxy/config/hosts.h"

namespace sworn::config {
namespace {

void read_allow_private(Section& section, Network& network) {
    const auto field = section.get("allow_private");
    if (!field) return;
    for (const Field& item : field.items()) {
        const auto text = item.text();
        if (!text) continue;
        if (auto block = parse_cidr(*text)) {
            network.allow_private.push_back(std::move(*block));
            continue;
        }
        const bool v6 = text->find(':') != std::string::npos;
        const std::string hint = parse_address(*text) ? *text + (v6 ? "/128" : "/32")
                                 : v6                 ? "fd00::/8"
                                                      : "10.0.0.0/8";
        item.fault(shown(*text) + " is not an address block like " + hint);
    }
}

void read_proxy_url(const Field& field, Network& network) {
    constexpr std::string_view scheme = "http://";
    const auto text = field.text();
    if (!text) return;
    if (text->find('@') != std::string::npos) {
        field.fault(
            "must not hold a user or password; name a credential instead: "
            "{url: http://host:port, credential: id}");
        return;
    }
    std::string_view rest = *text;
    if (rest.ends_with('/')) rest.remove_suffix(1);
    const auto parsed = rest.starts_with(scheme)
                            ? parse_host_port(rest.substr(scheme.size()), false)
                            : std::nullopt;
    if (!parsed) {
        field.fault(shown(*text) + " is not a proxy like http://host:port");
        return;
    }
    network.upstream_proxy_host = parsed->host;
    network.upstream_proxy_port = parsed->port;
}

void read_proxy_credential(Section& section, Draft& draft) {
    const Credential* credential =
        read_credential_name(section, draft.out.network.upstream_proxy_credential, draft);
    if (credential == nullptr) return;
    if (credential->inject.kind != Injection::Kind::basic &&
        credential->inject.kind != Injection::Kind::header) {
        section.get("credential")
            .fault("an upstream proxy takes a credential with inject.basic or inject.header");
    }
}

void read_upstream_proxy(Section& section, Draft& draft) {
    const auto field = section.get("upstream_proxy");
    if (!field) return;
    if (field.is_scalar()) {
        read_proxy_url(field, draft.out.network);
        return;
    }
    Section proxy{field};
    if (const auto url = proxy.need("url", "http://host:port")) {
        read_proxy_url(url, draft.out.network);
    }
    read_proxy_credential(proxy, draft);
}

void read_nameservers(Section& section, Network& network) {
    const auto field = section.get("nameservers");
    if (!field) return;
    for (const Field& item : field.items()) {
        const auto text = item.text();
        if (!text) continue;
        const auto with_port = parse_host_port(*text, false);
        if (!parse_address(*text) && !(with_port && parse_address(with_port->host))) {
            item.fault(shown(*text) + " is not an address like 192.0.2.53 or 192.0.2.53:5353");
            continue;
        }
        network.nameservers.push_back(*text);
    }
}

void read_fixed_answer(const std::string& name, const Field& field, Network& network) {
    const auto host = parse_host(name);
    if (!host || parse_address(name)) {
        field.fault(shown(name) + " is not a host name");
        return;
    }
    if (is_own_name(*host)) {
        field.fault(std::string{own_name} + " is Sworn's own name");
        return;
    }
    std::vector<std::string> addresses;
    for (const Field& item : field.one_or_more()) {
        const auto text = item.text();
        if (!text) continue;
        if (auto address = parse_address(*text)) {
            addresses.push_back(std::move(*address));
        } else {
            item.fault(shown(*text) + " is not an address like 127.0.0.1 or ::1");
        }
    }
    if (!network.resolve.emplace(*host, std::move(addresses)).second) {
        field.fault("given twice; names are compared without regard to case");
    }
}

}  // namespace

void read_network(Section& root, Draft& draft) {
    const auto field = root.get("network");
    if (!field) return;
    Section section{field};
    Network& network = draft.out.network;
    read_allow_private(section, network);
    if (const auto trusted = section.get("trusted_ca")) {
        const auto text = trusted.text();
        if (text && *text != "system") network.trusted_ca = anchored(draft, *text);
    }
    read_upstream_proxy(section, draft);
    read_nameservers(section, network);
    if (const auto resolve = section.get("resolve")) {
        for (const auto& [name, answer] : resolve.pairs()) {
            read_fixed_answer(name, answer, network);
        }
    }
}

}  // namespace sworn::config
