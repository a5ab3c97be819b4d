// The handlers of the control API, one file per resource.
#pragma once

#include "proxy/control/router.h"

namespace sworn::control {

// invocations.cc
Response list_invocations(Services& services, const Request& request);
Response show_invocation(Services& services, const Request& request);
Response list_routes(Services& services, const Request& request);
// result.cc
Response fetch_result(Services& services, const Request& request);
// findings.cc
Response acknowledge(Services& services, const Request& request);
Response reconcile(Services& services, const Request& request);
Response retry(Services& services, const Request& request);
// journal_tools.cc
Response verify_journal(Services& services, const Request& request);
Response export_journal(Services& services, const Request& request);
// health.cc
Response healthz(Services& services, const Request& request);
Response readyz(Services& services, const Request& request);
Response metrics_text(Services& services, const Request& request);

}  // namespace sworn::control
