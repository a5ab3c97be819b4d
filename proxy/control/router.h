// Requests to handlers: one table. Handlers are plain functions, so they are tested without a
// socket.
#pragma once

#include <boost/json/value.hpp>

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
    std::string identity;                      ///< "unix:0", "control-token"
    InvocationId id{};                         ///< Of the path, where the route names one.

    [[nodiscard]] std::string_view parameter(const std::string& name) const;
};

struct Response {
    int status = 200;
    std::string type = "application/json";
    std::string body;
    std::vector<std::pair<std::string, std::string>> fields;
};

using Handler = Response (*)(Services&, const Request&);

/// One row of the API. `path` has "{id}" where an invocation id stands.
struct Row {
    std::string_view method, path;
    Handler handler;
    enum class For : std::uint8_t { operators, everyone, metrics } open_to = For::operators;
};
[[nodiscard]] std::span<const Row> rows() noexcept;

/// Finds the row, checks who asks, runs it. Blocking.
[[nodiscard]] Response route(Services& services, Request request);

// Shared by the handlers.
[[nodiscard]] Response json_response(const boost::json::value& value, int status = 200);
[[nodiscard]] Response problem(ControlProblem kind, std::string_view detail);
[[nodiscard]] Response envelope_response(const Envelope& envelope, int status);

}  // namespace sworn::control
