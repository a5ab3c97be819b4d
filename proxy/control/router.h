// Requests to handlers: one table. Handlers are plain functions, so they are tested without a
// socket.
#pragma once

#include <boost/json/value.hpp>

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/envelope.h"
#include "common/ids.h"
#include "proxy/control/server.h"

namespace sworn::control {

struct Request {
    std::string method;
    std::string path;                          ///< Without the query, percent-decoded.
    std::map<std::string, std::string> query;  ///< Decoded.
    std::string authorization, host;
    std::string body;
    Door door = Door::unix_socket;
    std::string identity;  ///< Who the door saw: "unix:0", "control-token", "caller:ci".
    std::string caller;    ///< With Door::caller: whose records may be seen.
    InvocationId id{};     ///< Of the path, where the route names one.

    /// Empty where it is not given.
    [[nodiscard]] std::string_view parameter(const std::string& name) const;
};

/// What follows of a body that is not held whole: the next bytes, or nothing at its end. An error
/// breaks the message off. Runs on a worker, one call at a time.
using NextPiece = std::function<Result<std::optional<std::string>, journal::StoreError>()>;

struct Response {
    int status = 200;
    std::string type = "application/json";
    std::string body;
    NextPiece pieces;  ///< Instead of `body`, where it is set.
    std::vector<std::pair<std::string, std::string>> fields;
};

using Handler = Response (*)(Services&, const Request&);

/// Who may use a row: operators; callers too, over what is their own; nobody in particular (health,
/// on every listener but the proxy's); the metrics listener only.
enum class OpenTo : std::uint8_t { operators, callers, everyone, metrics };

/// One row of the API. `path` has "{id}" where an invocation id stands; `parameters` are the names
/// that its query may have, with a blank between. Rows of one path are open to the same.
struct Row {
    std::string_view method, path;
    Handler handler;
    OpenTo open_to = OpenTo::operators;
    std::string_view parameters{};
};
[[nodiscard]] std::span<const Row> rows() noexcept;

/// Finds the row, checks who asks, runs it. Blocking.
[[nodiscard]] Response route(Services& services, Request request);

/// Takes the target of a request apart: path and query, decoded.
void split_target(std::string_view target, Request& request);

// Shared by the handlers.
/// Whose action it was; empty where it was refused before that was known.
[[nodiscard]] std::string_view caller_of(const journal::Record& record) noexcept;
/// The record of the path's id; none where there is none, or where it is another caller's.
[[nodiscard]] std::optional<journal::StoredRecord> read_visible(Services& services,
                                                                const Request& request);
[[nodiscard]] Response json_response(const boost::json::value& value, int status = 200);
[[nodiscard]] Response problem(ControlProblem kind, std::string_view detail);
[[nodiscard]] Response no_such_invocation();
[[nodiscard]] Response envelope_response(const Envelope& envelope, int status);

}  // namespace sworn::control
