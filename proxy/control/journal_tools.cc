// The journal looked at as a whole, beside the running broker.
#include <boost/json/array.hpp>

#include "journal/verify.h"
#include "proxy/control/handlers.h"

namespace sworn::control {

namespace json = boost::json;

Response verify_journal(Services& services, const Request&) {
    const auto report = journal::verify(services.journal.readable_store(),
                                        services.journal.results_directory());
    json::array problems;
    for (const auto& one : report.problems) {
        problems.push_back(json::object{{"invocation_id", one.id.text()}, {"what", one.what}});
    }
    return json_response(
        json::object{{"sound", report.sound()},
                     {"records", report.records},
                     {"events", report.events},
                     {"tombstones", report.tombstones},
                     {"unreadable", report.unreadable},
                     {"fault", report.fault.empty() ? json::value(nullptr)
                                                    : json::value(report.fault)},
                     {"problems", std::move(problems)}});
}

Response export_journal(Services& services, const Request&) {
    Response response;
    response.type = "application/x-ndjson";
    const auto exported =
        journal::export_jsonl(services.journal.readable_store(), [&](std::string_view line) {
            response.body.append(line);
            response.body.push_back('\n');
        });
    if (!exported) {
        return problem(ControlProblem::conflict, "The journal could not be read to its end.");
    }
    return response;
}

}  // namespace sworn::control
