// Where a credential goes, and what the caller may have put there: nothing, an empty value or the
// placeholder (most SDKs insist on a key). Anything else is refused, or replaced where the route
// says so; exactly one value leaves. Pure: sees no secret.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "proxy/config/snapshot.h"
#include "proxy/contract/action.h"
#include "proxy/contract/request_plan.h"

namespace sworn::contract {

/// The caller's part of the request once the injected place is free.
struct Cleared {
    Fields fields;
    std::string path;                   ///< Path and query without the injected parameter.
    std::vector<std::string> replaced;  ///< override: replace: names whose own value was dropped.
};

/// Errors: forbidden_header (field: the header, or "?" and the parameter's name).
[[nodiscard]] Result<Cleared> clear_injected_place(Fields fields, std::string path,
                                                   const config::Injection& injection,
                                                   bool replace);

/// Refuses names that CGI-like servers would read as the injected header, as one that Sworn
/// writes or as a denied one ("X_Api_Key"), and the denied names themselves.
/// Errors: forbidden_header.
[[nodiscard]] Status check_names(const Fields& fields, const config::HeaderRules& rules,
                                 std::string_view injected_header);

/// The header that this injection writes; empty for those that write none.
[[nodiscard]] std::string_view injected_header(const config::Injection& injection) noexcept;
[[nodiscard]] std::string_view to_string(config::Injection::Kind kind) noexcept;  ///< none is ""

/// The injected field with its line end, or the query's "?name=" part; empty for the others.
[[nodiscard]] std::vector<Segment> injected_field(const config::Injection& injection);
[[nodiscard]] std::vector<Segment> injected_query(const config::Injection& injection,
                                                  std::string_view path);

}  // namespace sworn::contract
