// What a method and a path promise about repeating (contract section 5, RFC 9110 section 9.2).
// Pure.
#pragma once

#include <string_view>

#include "proxy/config/snapshot.h"
#include "proxy/contract/action.h"

namespace sworn::contract {

[[nodiscard]] bool is_safe_method(std::string_view method) noexcept;        ///< GET HEAD OPTIONS
[[nodiscard]] bool is_idempotent_method(std::string_view method) noexcept;  ///< … PUT DELETE

struct Semantics {
    bool repeatable = false;
    bool safe = false;
    std::string_view ground;  ///< "method", "route", "builtin"
};
/// git's POST …/git-upload-pack is safe by protocol, unless the route declares otherwise. A rule
/// that makes something repeatable holds only if every reading of the path lies under it; one that
/// forbids repeating already holds if any does.
[[nodiscard]] Semantics semantics_of(const config::Route& route, std::string_view method,
                                     const Target& target);

}  // namespace sworn::contract
