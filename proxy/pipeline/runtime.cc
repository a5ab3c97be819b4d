#include "proxy/pipeline/runtime.h"

#include "proxy/contract/action.h"
#include "proxy/contract/base64.h"
#include "proxy/credentials/credentials.h"

namespace sworn::pipeline {

Result<RuntimePtr, Runtime::LoadError> Runtime::make(config::SnapshotPtr snapshot) {
    auto runtime = std::shared_ptr<Runtime>{new Runtime{std::move(snapshot)}};
    for (const auto& caller : runtime->snapshot_->callers) {
        auto secret = credentials::read_source(caller.token);
        if (!secret) {
            return LoadError{"callers: the token of \"" + caller.id +
                             "\" cannot be read: " + std::string{secret.error().why.view()}};
        }
        runtime->tokens_.push_back(Token{caller.id, std::move(*secret)});
    }
    return RuntimePtr{std::move(runtime)};
}

namespace {

/// "Scheme rest" with any case of the scheme; empty where it is another one.
std::string_view after_scheme(std::string_view value, std::string_view scheme) {
    if (value.size() <= scheme.size() || value[scheme.size()] != ' ') return {};
    if (!contract::equals_ignoring_case(value.substr(0, scheme.size()), scheme)) return {};
    value.remove_prefix(scheme.size());
    while (!value.empty() && value.front() == ' ')
        value.remove_prefix(1);
    return value;
}

}  // namespace

Result<std::string> Runtime::identify(std::string_view proxy_authorization) const {
    if (snapshot_->callers.empty()) return std::string{"local"};
    if (proxy_authorization.empty()) {
        return Error{Code::caller_not_authorized,
                     "This proxy asks who is calling: send Proxy-Authorization with your token.",
                     "Proxy-Authorization", 407};
    }
    std::string user;
    Secret given;
    if (const auto bearer = after_scheme(proxy_authorization, "Bearer"); !bearer.empty()) {
        given = Secret{std::string{bearer}};
    } else if (const auto basic = after_scheme(proxy_authorization, "Basic"); !basic.empty()) {
        auto decoded = contract::base64_decode(basic);
        const auto colon = decoded ? decoded->find(':') : std::string::npos;
        if (colon != std::string::npos) {
            user = decoded->substr(0, colon);
            given = Secret{decoded->substr(colon + 1)};
            wipe(*decoded);
        }
    }
    // Every token is compared, so that time does not tell which one was close.
    std::string found;
    for (const auto& token : tokens_) {
        const bool same = token.secret.equals(given.bytes());
        if (same && (user.empty() || user == token.caller)) found = token.caller;
    }
    if (found.empty()) {
        return Error{Code::caller_not_authorized,
                     "The token in Proxy-Authorization belongs to no caller of this proxy.",
                     "Proxy-Authorization", 407};
    }
    return found;
}

}  // namespace sworn::pipeline
