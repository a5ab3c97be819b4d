#include "proxy/control/own_door.h"

#include "proxy/control/router.h"

namespace sworn::control {

pipeline::OwnAnswer CallerDoor::answer(const std::string& caller, const std::string& method,
                                       const std::string& target, const std::string& body) {
    Request request;
    request.method = method;
    split_target(target, request);
    request.body = body;
    request.door = Door::caller;
    request.caller = caller;
    request.identity = "caller:" + caller;
    const bool whole = request.path.ends_with("/result") && request.parameter("from_part").empty();
    const auto path = request.path;
    auto response = route(services_, std::move(request));
    pipeline::OwnAnswer own;
    own.answer.head.status = response.status;
    own.answer.head.reason = response.status == 200 ? "OK" : "Refused";
    auto& fields = own.answer.head.fields;
    if (!response.type.empty()) fields.emplace_back("Content-Type", response.type);
    fields.emplace_back("Cache-Control", "no-store");
    for (auto& field : response.fields)
        fields.push_back(std::move(field));
    own.answer.body = std::move(response.body);
    if (whole && method == "GET" && response.status == 200) {
        constexpr std::string_view before = "/v1/invocations/";
        const auto rest = std::string_view{path}.substr(before.size());
        own.fetched = parse_invocation_id(rest.substr(0, rest.find('/')));
    }
    return own;
}

}  // namespace sworn::control
