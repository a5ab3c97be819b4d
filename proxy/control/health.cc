// Whether the broker lives, whether it takes new actions, and what it counts. Recovery ends before
// anything listens, so "recovering" is a refused connection, never an answer.
#include "proxy/control/handlers.h"

namespace sworn::control {

namespace json = boost::json;

Response healthz(Services&, const Request&) {
    return json_response(json::object{{"status", "alive"}});
}

Response readyz(Services& services, const Request&) {
    std::string_view why;
    if (services.gate.draining) {
        why = "draining";
    } else if (services.gate.store_failed) {
        why = "a result could not be stored";
    } else if (!services.journal.available()) {
        why = "the journal cannot be written";
    }
    if (why.empty()) return json_response(json::object{{"ready", true}});
    return json_response(json::object{{"ready", false}, {"why", why}}, 503);
}

Response metrics_text(Services& services, const Request&) {
    Response response;
    response.type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = services.metrics.text();
    return response;
}

}  // namespace sworn::control
