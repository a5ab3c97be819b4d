#include "proxy/contract/semantics.h"

#include <algorithm>
#include <array>

#include "proxy/contract/path_forms.h"

namespace sworn::contract {
namespace {

constexpr std::array<std::string_view, 3> safe_methods{"GET", "HEAD", "OPTIONS"};
constexpr std::string_view git_read = "/git-upload-pack";

bool rule_holds(const config::SemanticsRule& rule, std::string_view method, std::string_view path) {
    const bool method_fits =
        rule.methods.empty() || std::ranges::find(rule.methods, method) != rule.methods.end();
    if (!method_fits) return false;
    const auto under = [&](PathForm form) { return lies_under(path, rule.path, form); };
    const auto forms = forms_of(path);
    switch (rule.is) {
        case config::Semantics::idempotent:
            return !forms.empty() && std::ranges::all_of(forms, under);
        case config::Semantics::non_idempotent:
            return std::ranges::any_of(forms, under);
        case config::Semantics::by_method:
            return path.starts_with(rule.path);
    }
    return false;
}

config::Semantics declared(const config::Route& route, std::string_view method,
                           std::string_view path) {
    for (const auto& rule : route.semantics_rules) {
        if (rule_holds(rule, method, path)) return rule.is;
    }
    return route.semantics;
}

bool is_git_read(std::string_view method, std::string_view path) {
    if (method != "POST" || !path.ends_with(git_read)) return false;
    return std::ranges::all_of(
        forms_of(path), [path](PathForm form) { return in_form(path, form).ends_with(git_read); });
}

}  // namespace

bool is_safe_method(std::string_view method) noexcept {
    return std::ranges::find(safe_methods, method) != safe_methods.end();
}

bool is_idempotent_method(std::string_view method) noexcept {
    return is_safe_method(method) || method == "PUT" || method == "DELETE";
}

Semantics semantics_of(const config::Route& route, std::string_view method, const Target& target) {
    const auto path = target.path_only();
    const auto is = declared(route, method, path);
    if (is == config::Semantics::non_idempotent) return {false, false, "route"};
    if (is_git_read(method, path)) return {true, true, "builtin"};
    const bool safe = is_safe_method(method);
    if (is == config::Semantics::idempotent) return {true, safe, "route"};
    return {is_idempotent_method(method), safe, "method"};
}

}  // namespace sworn::contract
