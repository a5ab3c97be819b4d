// The journal looked at as a whole, beside the running broker.
#include <boost/json/array.hpp>

#include "journal/verify.h"
#include "proxy/control/handlers.h"

namespace sworn::control {

namespace json = boost::json;

namespace {

/// Held at a time; one record more at most.
constexpr std::size_t piece_bytes = 256 * 1024;

/// Where an export stands. A piece ends with a whole record, so between two pieces nothing of the
/// store is held, and a slow reader costs nothing.
struct Export {
    journal::Store* store;
    InvocationId next{};
    bool done = false;

    Result<std::optional<std::string>, journal::StoreError> operator()() {
        if (done) return std::optional<std::string>{};
        auto piece = journal::export_piece(*store, next, piece_bytes);
        if (!piece) return piece.error();
        done = !piece->next;
        if (piece->next) next = *piece->next;
        if (piece->lines.empty()) return std::optional<std::string>{};
        return std::optional{std::move(piece->lines)};
    }
};

}  // namespace

Response verify_journal(Services& services, const Request&) {
    const auto report =
        journal::verify(services.journal.readable_store(), services.journal.results_directory());
    json::array problems;
    for (const auto& one : report.problems) {
        problems.push_back(json::object{{"invocation_id", one.id.text()}, {"what", one.what}});
    }
    return json_response(json::object{
        {"sound", report.sound()},
        {"records", report.records},
        {"events", report.events},
        {"tombstones", report.tombstones},
        {"unreadable", report.unreadable},
        {"fault", report.fault.empty() ? json::value(nullptr) : json::value(report.fault)},
        {"problems", std::move(problems)}});
}

Response export_journal(Services& services, const Request&) {
    Response response;
    response.type = "application/x-ndjson";
    response.pieces = Export{&services.journal.readable_store()};
    return response;
}

}  // namespace sworn::control
