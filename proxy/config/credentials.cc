// Credentials: where each secret comes from and where it goes. No secret is read here, and no
// message shows a value that might be one by mistake.
#include "proxy/config/checks.h"
#include "proxy/config/draft.h"

namespace sworn::config {
namespace {

constexpr std::string_view secret_word = "{secret}";
constexpr std::size_t placeholder_bytes_max = 128;

/// Fields that frame or route a message: what is injected there would change who is asked what.
bool is_framing_header(std::string_view lower) {
    for (const std::string_view name :
         {"host", "connection", "content-length", "content-type", "content-encoding", "expect",
          "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "via",
          "proxy-status"}) {
        if (lower == name) return true;
    }
    return lower.starts_with("sworn-");
}

bool is_env_name(std::string_view text) {
    if (text.empty() || (text.front() >= '0' && text.front() <= '9')) return false;
    for (const char c : text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '_') return false;
    }
    return true;
}

void read_header_injection(const Field& field, Section& section, Injection& inject) {
    inject.kind = Injection::Kind::header;
    if (auto name = read_header_name(field)) inject.header = std::move(*name);
    const auto format = section.get("format");
    if (!format) return;
    const auto text = format.text();
    if (!text) return;
    const std::size_t first = text->find(secret_word);
    if (first == std::string::npos ||
        text->find(secret_word, first + secret_word.size()) != std::string::npos) {
        format.fault("must hold {secret} exactly once, as in \"Bearer {secret}\"");
        return;
    }
    if (!is_header_text(*text)) {
        format.fault("must be visible ASCII, with blanks only inside");
        return;
    }
    inject.format = *text;
}

void read_username(Section& section, std::string& username, bool colon_allowed) {
    const auto field = section.need("username", "the name that goes with the secret");
    if (!field) return;
    const auto text = field.maybe_empty();
    if (!text) return;
    const bool fits = text->empty() ? !colon_allowed : is_header_text(*text);
    if (!fits || (!colon_allowed && text->find(':') != std::string::npos)) {
        field.fault(shown(*text) + " is not a user name");
        return;
    }
    username = *text;
}

void read_named_user(const Field& field, Injection& inject, Injection::Kind kind) {
    inject.kind = kind;
    Section section{field};
    // An HTTP user name may be empty (some services take ":token"), and ends at the first colon.
    read_username(section, inject.username, kind == Injection::Kind::ssh_key);
}

void read_client_cert(const Field& field, Injection& inject, const Draft& draft) {
    inject.kind = Injection::Kind::client_cert;
    Section section{field};
    if (const auto chain = section.get("chain")) {
        if (const auto text = chain.text()) inject.client_cert_chain = anchored(draft, *text);
    }
}

void read_placeholder(Section& section, Injection& inject) {
    const auto field = section.get("placeholder");
    if (!field) return;
    const auto text = field.text();
    if (!text) return;
    if (!is_visible(*text) || text->size() > placeholder_bytes_max) {
        field.fault("must be 1 to " + std::to_string(placeholder_bytes_max) +
                    " bytes of visible ASCII");
        return;
    }
    inject.placeholder = *text;
}

void read_injection(const Field& field, Injection& inject, const Draft& draft) {
    Section section{field};
    const Field header = section.get("header");
    const Field basic = section.get("basic");
    const Field query = section.get("query");
    const Field client_cert = section.get("client_cert");
    const Field ssh_key = section.get("ssh_key");
    read_placeholder(section, inject);
    if (header) read_header_injection(header, section, inject);
    if (basic) read_named_user(basic, inject, Injection::Kind::basic);
    if (query) {
        inject.kind = Injection::Kind::query;
        const auto name = query.text();
        if (name && !is_token(*name)) query.fault(shown(*name) + " is not a parameter name");
        if (name) inject.query = *name;
    }
    if (client_cert) read_client_cert(client_cert, inject, draft);
    if (ssh_key) read_named_user(ssh_key, inject, Injection::Kind::ssh_key);
    int kinds = 0;
    for (const Field* kind : {&header, &basic, &query, &client_cert, &ssh_key}) {
        kinds += *kind ? 1 : 0;
    }
    if (field.is_map() && kinds != 1) {
        field.fault("must hold exactly one of header, basic, query, client_cert and ssh_key");
    }
    if (kinds == 1 && !header) {
        if (const auto format = section.get("format")) format.fault("goes with header only");
    }
}

void read_credential(const Field& item, Draft& draft) {
    Section section{item};
    Credential credential;
    read_id(section, credential.id, draft.credential_lines);
    if (const auto version = section.get("version")) {
        const auto text = version.text();
        if (text && !is_id(*text)) {
            version.fault(shown(*text) + " is not a version: 1 to 64 of A-Z a-z 0-9 . _ -");
        }
        if (text) credential.version = *text;
    }
    const auto source = section.need("source", "{env: NAME}, {file: PATH} or {vault: NAME}");
    if (source) credential.source = read_source(source, draft).value_or(SecretSource{});
    const auto inject = section.need(
        "inject", "{header: Authorization, format: \"Bearer {secret}\"} or another place");
    if (inject) read_injection(inject, credential.inject, draft);
    draft.out.credentials.push_back(std::move(credential));
}

}  // namespace

std::optional<std::string> read_header_name(const Field& field) {
    const auto text = field.text();
    if (!text) return std::nullopt;
    if (!is_token(*text)) {
        field.fault(shown(*text) + " is not a header name");
        return std::nullopt;
    }
    if (is_framing_header(lower_case(*text))) {
        field.fault(shown(*text) + " frames or routes the message and cannot be used here");
        return std::nullopt;
    }
    return text;
}

std::optional<SecretSource> read_source(const Field& field, const Draft& draft) {
    if (!field.is_map()) {
        field.fault(
            "must be {env: NAME}, {file: PATH} or {vault: NAME}; secrets are not written "
            "into this file");
        return std::nullopt;
    }
    Section section{field};
    const Field env = section.get("env");
    const Field file = section.get("file");
    const Field vault = section.get("vault");
    if ((env ? 1 : 0) + (file ? 1 : 0) + (vault ? 1 : 0) != 1) {
        field.fault("must hold exactly one of env, file and vault");
        return std::nullopt;
    }
    const Field& given = env ? env : file ? file : vault;
    const auto name = given.text();
    if (!name) return std::nullopt;
    if (env) {
        // The text may be the secret itself, put here by mistake: it is not shown.
        if (!is_env_name(*name)) {
            env.fault("is not a variable's name: letters, digits and _ only");
            return std::nullopt;
        }
        return SecretSource{SecretSource::Kind::env, *name};
    }
    if (file) return SecretSource{SecretSource::Kind::file, anchored(draft, *name).string()};
    if (!is_id(*name)) {
        vault.fault("is not a vault entry's name: 1 to 64 of A-Z a-z 0-9 . _ -");
        return std::nullopt;
    }
    return SecretSource{SecretSource::Kind::vault, *name};
}

void read_credentials(Section& root, Draft& draft) {
    const auto field = root.get("credentials");
    if (!field) return;
    for (const Field& item : field.items()) {
        read_credential(item, draft);
    }
}

}  // namespace sworn::config
