// The idempotency contract of a route, applied to one request (contract section 6). A key is the
// remote's promise: without a declared contract nothing is added and nothing becomes repeatable.
// Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "common/clock.h"
#include "common/result.h"
#include "journal/event.h"
#include "proxy/config/snapshot.h"
#include "proxy/contract/action.h"

namespace sworn::contract {

inline constexpr std::size_t key_bytes_max = 255;

/// Bare, or a quoted string without escapes (RFC 9651 section 3.3.3); 1 to 255 visible ASCII bytes
/// inside.
[[nodiscard]] bool is_idempotency_key(std::string_view text) noexcept;

/// What only the pipeline knows.
struct KeySources {
    WallTime now{};                  ///< For the id in a generated key.
    std::string_view body_json_key;  ///< What the contract's body pointer finds; empty = nothing.
    std::string_view generated_before;  ///< The generated key that this invocation already bound.
};

struct KeyBinding {
    journal::KeyOrigin origin = journal::KeyOrigin::none;
    std::string key;  ///< As it is forwarded, quotes included.
    std::string scope;
    std::chrono::milliseconds lifetime{0};
    std::string remote_contract;  ///< "configured", "preset:…"; empty = none bound.
    std::optional<Field> added;   ///< The field that carries a generated key.
    std::string_view header;      ///< For the fingerprint: where the caller's own key is …
    std::string callers_own;      ///< … and what it says, bound or not.
};

/// Errors: malformed_request for a key that is none, repeated included (field: the header, or
/// "body"); idempotency_key_required. `fields` must outlive nothing; `route` outlives the result.
[[nodiscard]] Result<KeyBinding> bind_key(const config::Route& route, std::string_view method,
                                          const Fields& fields, const KeySources& sources);

}  // namespace sworn::contract
