// Parts of a route about repeating: idempotency contract, retry budget, guard, approval.
#include <algorithm>
#include <array>

#include "proxy/config/checks.h"
#include "proxy/config/draft.h"

namespace sworn::config {
namespace {

/// What a well-known service publishes about its keys.
struct Preset {
    std::string_view name;
    std::string_view header;
    milliseconds retention;
    milliseconds margin;
};

constexpr std::array presets{
    Preset{"stripe", "Idempotency-Key", 24h, 1h},
    Preset{"stripe_v2", "Idempotency-Key", 24h * 30, 1h},
    Preset{"adyen", "Idempotency-Key", 24h * 7, 1h},
    Preset{"paypal", "PayPal-Request-Id", 6h, 1h},
    Preset{"checkout", "Cko-Idempotency-Key", 24h, 1h},
};

/// Takes the preset's values; the keys that it fixes may not be given beside it.
void apply_preset(const Field& field, Section& section, Idempotency& contract) {
    const auto name = field.text();
    if (!name) return;
    const auto found = std::find_if(presets.begin(), presets.end(),
                                    [&](const Preset& preset) { return preset.name == *name; });
    if (found == presets.end()) {
        std::vector<std::string> known;
        for (const Preset& preset : presets)
            known.emplace_back(preset.name);
        field.fault(shown(*name) + " is not a preset: " + listed(known) +
                    did_you_mean(*name, known));
    } else {
        contract.preset = found->name;
        contract.header = found->header;
        contract.retention = found->retention;
        contract.margin = found->margin;
        contract.verified_by = "preset";
    }
    for (const std::string_view fixed : {"header", "body_pointer", "retention", "window"}) {
        if (const auto given = section.get(fixed)) given.fault("is fixed by the preset");
    }
}

void read_key_place(Section& section, Idempotency& contract) {
    const Field header = section.get("header");
    const Field pointer = section.get("body_pointer");
    if (static_cast<bool>(header) == static_cast<bool>(pointer)) {
        section.fault(
            "must say where the key is: exactly one of header and body_pointer, "
            "or a preset");
    }
    if (header) contract.header = read_header_name(header).value_or("");
    if (pointer) {
        const auto text = pointer.text();
        if (text && !is_json_pointer(*text)) {
            pointer.fault(shown(*text) + " is not a JSON pointer like /request_id");
        }
        if (text) contract.body_pointer = *text;
    }
}

void read_key_lifetime(Section& section, Idempotency& contract) {
    const Field retention = section.get("retention");
    const Field window = section.get("window");
    if (static_cast<bool>(retention) == static_cast<bool>(window)) {
        section.fault(
            "must say how long a key is good: exactly one of retention (as published) "
            "and window (a cautious guess)");
    }
    section.read_positive("retention", contract.retention);
    section.read_positive("window", contract.retention);
    contract.conservative_window = static_cast<bool>(window);
}

void read_verified(Section& section, Idempotency& contract) {
    const auto field = section.get("verified");
    if (!field) return;
    Section verified{field};
    if (const auto by = verified.need("by", "who read the remote's documentation")) {
        contract.verified_by = by.text().value_or("");
    }
    const auto on = verified.need("on", "the date, as in 2026-11-01");
    if (!on) return;
    const auto date = on.text();
    if (date && !is_date(*date)) on.fault(shown(*date) + " is not a date like 2026-11-01");
    if (date) contract.verified_on = *date;
}

}  // namespace

void read_idempotency(Section& route, Route& out) {
    const auto field = route.get("idempotency");
    if (!field) return;
    Section section{field};
    if (!field.is_map()) return;
    Idempotency contract;
    contract.scope = out.id;
    if (const auto preset = section.get("preset")) {
        apply_preset(preset, section, contract);
    } else {
        read_key_place(section, contract);
        read_key_lifetime(section, contract);
    }
    section.read("scope", contract.scope);
    section.read("margin", contract.margin);
    section.read("generate", contract.generate);
    read_verified(section, contract);
    if (contract.retention.count() > 0 && contract.margin >= contract.retention) {
        const Field margin = section.get("margin");
        (margin ? margin : field).fault("must be shorter than the time that a key is good");
    }
    out.idempotency = std::move(contract);
}

void read_retry(Section& route, RetryPolicy& retry) {
    constexpr std::uint64_t budget_max = 1000;
    const auto field = route.get("retry");
    if (!field) return;
    Section section{field};
    section.read("automatic", retry.automatic);
    section.read_number("attempts", retry.attempts, 1, budget_max);
    section.read_number("generations", retry.generations, 1, budget_max);
    section.read_positive("deadline", retry.deadline);
    section.read_positive("lease", retry.lease);
    if (const auto delay = section.get("default_delay")) retry.default_delay = delay.duration();
    const auto refused = section.get("refused_without_effect");
    if (!refused) return;
    for (const Field& item : refused.one_or_more()) {
        if (const auto status = item.number(400, 599)) {
            retry.refused_without_effect.push_back(static_cast<int>(*status));
        }
    }
}

void read_approval(Section& route, Approval& approval) {
    const auto field = route.get("approval");
    if (!field) return;
    Section section{field};
    section.read("required", approval.required);
    section.read_positive("ttl", approval.ttl);
}

void read_guard(Section& route, Guard& guard) {
    const auto field = route.get("guard");
    if (!field) return;
    if (field.is_word("off")) {
        guard.enabled = false;
        return;
    }
    if (field.is_scalar()) {
        field.fault("must be off, or a map like {window: 24h, unconfirmed: 10m}");
        return;
    }
    Section section{field};
    section.read_positive("window", guard.window);
    section.read("unconfirmed", guard.unconfirmed);
    bool per_caller = true;
    section.read_word<bool>("scope", per_caller, {{"caller", true}});
}

void read_on_cancel(Section& route, OnCancel& on_cancel) {
    route.read_word<OnCancel>("on_cancel", on_cancel,
                              {{"finish", OnCancel::finish}, {"close", OnCancel::close}});
}

const Credential* read_credential_name(Section& route, std::string& name, const Draft& draft) {
    const auto field = route.get("credential");
    if (!field) return nullptr;
    const auto text = field.text();
    if (!text) return nullptr;
    if (!draft.credential_lines.contains(*text)) {
        std::vector<std::string> known;
        for (const auto& [id, line] : draft.credential_lines)
            known.push_back(id);
        field.fault("no credential has the id " + shown(*text) + did_you_mean(*text, known));
        return nullptr;
    }
    name = *text;
    return draft.out.credential(*text);
}

}  // namespace sworn::config
