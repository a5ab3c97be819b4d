#include "proxy/contract/idempotency.h"

#include <algorithm>

#include "common/ids.h"
#include "proxy/contract/field_rules.h"
#include "proxy/contract/semantics.h"

namespace sworn::contract {
namespace {

constexpr std::string_view usual_header = "Idempotency-Key";

Error malformed_key(std::string_view field) {
    return Error{Code::malformed_request,
                 "An idempotency key is sent once and holds 1 to 255 visible ASCII bytes.", field};
}

/// The one field so named; empty for none.
Result<std::string> single_key(const Fields& fields, std::string_view header) {
    std::optional<std::string_view> found;
    for (const auto& [name, value] : fields) {
        if (!equals_ignoring_case(name, header)) continue;
        if (found) return malformed_key(header);
        found = trim_blanks(value);
    }
    if (!found) return std::string{};
    if (!is_idempotency_key(*found)) return malformed_key(header);
    return std::string{*found};
}

Result<std::string> key_in_request(const config::Idempotency& contract, const Fields& fields,
                                   std::string_view body_key) {
    if (!contract.header.empty()) return single_key(fields, contract.header);
    if (body_key.empty() || is_idempotency_key(body_key)) return std::string{body_key};
    return malformed_key("body");
}

std::string generated_key(const KeySources& sources) {
    if (!sources.generated_before.empty()) return std::string{sources.generated_before};
    return "req_" + new_invocation_id(sources.now).text().substr(4);
}

/// Without a contract a key is forwarded as it came; it still tells two operations apart.
KeyBinding unbound(const Fields& fields, std::string_view header) {
    KeyBinding binding;
    binding.header = header;
    if (const auto own = find_field(fields, header)) binding.callers_own = trim_blanks(*own);
    return binding;
}

}  // namespace

bool is_idempotency_key(std::string_view text) noexcept {
    if (text.size() > 2 && text.front() == '"' && text.back() == '"') {
        text = text.substr(1, text.size() - 2);
    }
    if (text.empty() || text.size() > key_bytes_max) return false;
    return std::ranges::all_of(
        text, [](char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '\\'; });
}

Result<KeyBinding> bind_key(const config::Route& route, std::string_view method,
                            const Fields& fields, const KeySources& sources) {
    if (!route.idempotency) return unbound(fields, usual_header);
    const auto& contract = *route.idempotency;
    if (is_safe_method(method)) {
        return unbound(fields, contract.header.empty() ? usual_header : contract.header);
    }
    auto own = key_in_request(contract, fields, sources.body_json_key);
    if (!own) return own.error();

    KeyBinding binding;
    binding.header = contract.header;
    binding.scope = contract.scope;
    binding.lifetime = std::max(contract.retention - contract.margin, config::milliseconds{0});
    binding.remote_contract = contract.preset.empty() ? "configured" : "preset:" + contract.preset;
    if (!own->empty()) {
        binding.origin = journal::KeyOrigin::caller;
        binding.key = *own;
        binding.callers_own = std::move(*own);
        return binding;
    }
    // A body is sent as it came, so a key that belongs there cannot be generated.
    if (!contract.generate || contract.header.empty()) {
        return Error{Code::idempotency_key_required,
                     "The route's contract asks for an idempotency key with this method.",
                     FieldPath{contract.header.empty() ? contract.body_pointer : contract.header}};
    }
    binding.origin = journal::KeyOrigin::generated;
    binding.key = generated_key(sources);
    binding.added = Field{contract.header, binding.key};
    return binding;
}

}  // namespace sworn::contract
