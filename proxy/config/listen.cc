// Where Sworn listens. A listener that is not named is not opened.
#include <set>

#include "proxy/config/draft.h"
#include "proxy/config/hosts.h"

namespace sworn::config {
namespace {

constexpr std::size_t socket_path_bytes_max = 107;  // sockaddr_un.sun_path without its zero.
constexpr std::string_view socket_prefix = "unix:";

/// Reads listeners and refuses one that was named before, under whatever key.
class ListenerReader {
public:
    explicit ListenerReader(Draft& draft) : draft_{draft} {}

    std::optional<Listener> read(const Field& field) {
        const auto text = field.text();
        if (!text) return std::nullopt;
        auto listener = text->starts_with(socket_prefix) ? socket(field, *text) : tcp(field, *text);
        if (!listener) return std::nullopt;
        const bool any_port = listener->kind == Listener::Kind::tcp && listener->port == 0;
        const std::string name = listener->kind == Listener::Kind::tcp
                                     ? listener->host + "|" + std::to_string(listener->port)
                                     : listener->path.string();
        if (!any_port && !seen_.insert(name).second) {
            field.fault(shown(*text) + " is listened on twice");
        }
        return listener;
    }

    void read_list(Section& section, std::string_view key, std::vector<Listener>& into) {
        const auto field = section.get(key);
        if (!field) return;
        for (const Field& item : field.one_or_more()) {
            if (auto listener = read(item)) into.push_back(std::move(*listener));
        }
    }

private:
    std::optional<Listener> socket(const Field& field, const std::string& text) {
        const std::string path = text.substr(socket_prefix.size());
        if (path.empty()) {
            field.fault("needs a path after unix:, as in unix:./data/control.sock");
            return std::nullopt;
        }
        Listener listener{.kind = Listener::Kind::unix_socket,
                          .host = "",
                          .port = 0,
                          .path = anchored(draft_, path)};
        if (listener.path.string().size() > socket_path_bytes_max) {
            field.fault("the socket's absolute path is longer than " +
                        std::to_string(socket_path_bytes_max) + " bytes");
        }
        return listener;
    }

    static std::optional<Listener> tcp(const Field& field, const std::string& text) {
        const auto parsed = parse_host_port(text, true);
        if (!parsed) {
            field.fault(shown(text) + " is not a listener like 127.0.0.1:8118, [::1]:8118 or " +
                        "unix:/path");
            return std::nullopt;
        }
        return Listener{
            .kind = Listener::Kind::tcp, .host = parsed->host, .port = parsed->port, .path = {}};
    }

    Draft& draft_;
    std::set<std::string> seen_;
};

void check_control_token(const Field& control, const Draft& draft) {
    if (!control || draft.out.control_token) return;
    for (const Field& item : control.one_or_more()) {
        const auto text = item.text();
        if (text && !text->starts_with(socket_prefix)) {
            item.fault("a control listener on TCP needs control_token, as in control_token: " +
                       std::string{"{file: ./data/control.token}"});
            return;
        }
    }
}

}  // namespace

void read_listen(Section& root, Draft& draft) {
    const auto field = root.need("listen", "listen: {proxy: [127.0.0.1:8118]}");
    const auto token = root.get("control_token");
    if (token) draft.out.control_token = read_source(token, draft);
    if (!field) return;
    Section section{field};
    ListenerReader reader{draft};
    const auto proxy = section.need("proxy", "the address that callers use, like 127.0.0.1:8118");
    reader.read_list(section, "proxy", draft.out.listen.proxy);
    if (proxy.is_list() && proxy.items().empty()) proxy.fault("names no listener");
    reader.read_list(section, "control", draft.out.listen.control);
    reader.read_list(section, "ssh", draft.out.listen.ssh);
    if (const auto metrics = section.get("metrics")) {
        draft.out.listen.metrics = reader.read(metrics);
    }
    // A token that is there but faulty has its own fault.
    if (!token) check_control_token(section.get("control"), draft);
}

}  // namespace sworn::config
