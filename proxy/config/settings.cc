// The journal, and the limits and timeouts that hold for all routes or are laid over for one.
#include "proxy/config/draft.h"

namespace sworn::config {
namespace {

constexpr std::uint64_t count_max = 1'000'000;
constexpr std::uint64_t header_bytes_min = 1024;

/// Names a key that is known at the top of the file and has no meaning inside a route.
void refuse_in_route(Section& section, std::string_view key) {
    if (const auto field = section.get(key)) {
        field.fault("holds for the whole broker; set it at the top of the file");
    }
}

void read_shared_limits(Section& section, Limits& limits) {
    section.read_size("max_body", limits.max_body);
    section.read_size("max_header", limits.max_header, header_bytes_min);
    section.read_number("max_inflight", limits.max_inflight, 1, count_max);
}

void read_shared_timeouts(Section& section, Timeouts& timeouts) {
    section.read_positive("request_body", timeouts.request_body);
    section.read_positive("client_idle", timeouts.client_idle);
    section.read_positive("resolve", timeouts.resolve);
    section.read_positive("connect", timeouts.connect);
    section.read_positive("tls", timeouts.tls);
    section.read_positive("response_header", timeouts.response_header);
    section.read_positive("response_idle", timeouts.response_idle);
    section.read_positive("total", timeouts.total);
}

}  // namespace

void read_journal(Section& root, Draft& draft) {
    const auto field = root.get("journal");
    if (!field) return;
    Section section{field};
    JournalSettings& journal = draft.out.journal;
    if (const auto backend = section.get("backend")) {
        const auto text = backend.text();
        if (text && *text != "rocksdb") {
            backend.fault(shown(*text) + " is not a journal backend; rocksdb is the only one");
        }
    }
    section.read_size("reserve", journal.reserve);
    section.read_size("max_result", journal.max_result);
    section.read_size("max_size", journal.max_size, 1);
    section.read("retain_results", journal.retain_results);
    section.read("retain_records", journal.retain_records);
    section.read("retain_tokens", journal.retain_tokens);
}

void read_global_limits(Section& root, Draft& draft) {
    const auto field = root.get("limits");
    if (!field) return;
    Section section{field};
    read_shared_limits(section, draft.out.limits);
    section.read_number("max_connections", draft.out.limits.max_connections, 1, count_max);
}

void read_global_timeouts(Section& root, Draft& draft) {
    const auto field = root.get("timeouts");
    if (!field) return;
    Section section{field};
    section.read_positive("request_header", draft.out.timeouts.request_header);
    read_shared_timeouts(section, draft.out.timeouts);
    section.read("drain", draft.out.timeouts.drain);
}

void read_route_limits(Section& route, Limits& limits) {
    const auto field = route.get("limits");
    if (!field) return;
    Section section{field};
    read_shared_limits(section, limits);
    refuse_in_route(section, "max_connections");
}

void read_route_timeouts(Section& route, Timeouts& timeouts) {
    const auto field = route.get("timeouts");
    if (!field) return;
    Section section{field};
    read_shared_timeouts(section, timeouts);
    // A request's head is read before its route is known, and draining ends everything.
    refuse_in_route(section, "request_header");
    refuse_in_route(section, "drain");
}

}  // namespace sworn::config
