// What a request must be like whatever its route is. Front parsers check the wire's grammar; here
// the same holds for actions that came as JSON or from the journal. Pure.
#pragma once

#include <string_view>

#include "common/result.h"
#include "proxy/contract/action.h"

namespace sworn::contract {

/// Upper-case letters, digits and '-'; at most 32 bytes. Errors: malformed_request;
/// unsupported_action with status 405 for TRACE and CONNECT.
[[nodiscard]] Status check_method(std::string_view method);

/// Names and values by grammar; upgrades other than h2c; Sworn's own fields. Errors:
/// malformed_request, unsupported_action (501).
[[nodiscard]] Status check_fields(const Fields& fields);
[[nodiscard]] Status check_wishes(const CallerWishes& wishes);

/// A Via member (RFC 9110 section 7.6.3) with our own name: the request came through here before.
/// Errors: address_forbidden, field "Via".
[[nodiscard]] Status check_loop(const Fields& fields, std::string_view own_name);

}  // namespace sworn::contract
