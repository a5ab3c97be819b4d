#include <openssl/evp.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/credentials/credentials.h"

namespace sworn::credentials {
namespace {

using Kind = config::Injection::Kind;

constexpr std::string_view secret_place = "{secret}";

bool is_visible_or_blank(char c) noexcept {
    return c >= ' ' && c < 0x7f;
}

/// A recipient strips blanks from the ends of a field value, so they cannot be carried there.
bool fits_a_field(std::string_view value) noexcept {
    return !value.starts_with(' ') && !value.ends_with(' ') &&
           std::all_of(value.begin(), value.end(), is_visible_or_blank);
}

Secret base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // One more: EVP ends it with a NUL.
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return Secret{std::move(text)};
}

/// RFC 3986 section 2.3: everything but unreserved characters is encoded.
Secret percent_encoded(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    constexpr std::string_view unreserved =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string text;
    text.reserve(3 * bytes.size());
    for (const char c : bytes) {
        if (unreserved.find(c) != std::string_view::npos) {
            text += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            text += '%';
            text += digits[byte >> 4U];
            text += digits[byte & 0x0fU];
        }
    }
    return Secret{std::move(text)};
}

/// All parts in one buffer of the right size, so that no outgrown copy is left in memory.
Secret joined(std::string_view a, std::string_view b, std::string_view c) {
    std::string text;
    text.reserve(a.size() + b.size() + c.size());
    text.append(a).append(b).append(c);
    return Secret{std::move(text)};
}

Secret formatted(std::string_view format, std::string_view secret) {
    const auto place = format.find(secret_place);
    SWORN_ASSERT(place != std::string_view::npos);
    return joined(format.substr(0, place), secret, format.substr(place + secret_place.size()));
}

Secret basic_credentials(const config::Injection& inject, const Secret& secret) {
    return base64(joined(inject.username, ":", secret.bytes()).bytes());
}

Error unsupported(Literal why, const config::Credential& credential) {
    return Error{Code::injection_unsupported, why, FieldPath{credential.id}};
}

/// What stands in the secret segment; the plan holds the text around it.
Result<Secret> render(const config::Credential& credential, const Secret& secret) {
    switch (credential.inject.kind) {
        case Kind::header:
            return secret.clone();
        case Kind::basic:
            return basic_credentials(credential.inject, secret);
        case Kind::query:
            return percent_encoded(secret.bytes());
        case Kind::none:
        case Kind::client_cert:
        case Kind::ssh_key:
            break;
    }
    return unsupported("This kind of credential has no place in a request's head.", credential);
}

std::vector<Secret> needles_of(const config::Credential& credential, const Secret& secret) {
    std::vector<Secret> needles;
    needles.push_back(secret.clone());
    if (credential.inject.kind == Kind::basic) {
        needles.push_back(basic_credentials(credential.inject, secret));
    }
    Secret encoded = percent_encoded(secret.bytes());
    if (!encoded.equals(secret.bytes())) needles.push_back(std::move(encoded));
    return needles;
}

bool has_secret_place(const contract::RequestPlan& plan) noexcept {
    return std::any_of(plan.head.begin(), plan.head.end(), [](const contract::Segment& segment) {
        return segment.kind == contract::Segment::Kind::secret;
    });
}

std::size_t head_bytes(const contract::RequestPlan& plan, const Secret& rendered) {
    std::size_t bytes = 0;
    for (const auto& segment : plan.head) {
        bytes +=
            segment.kind == contract::Segment::Kind::secret ? rendered.size() : segment.text.size();
    }
    return bytes;
}

}  // namespace

Status check_injectable(const config::Credential& credential, const Secret& secret) {
    if (credential.inject.kind != Kind::header) return Done{};
    const Secret value = formatted(credential.inject.format, secret.bytes());
    if (fits_a_field(value.bytes())) return Done{};
    return unsupported(
        "The credential's value cannot stand in a header: visible ASCII and inner blanks only.",
        credential);
}

Result<SealedRequest> seal(const contract::RequestPlan& plan, const config::Credential* credential,
                           const Secret* secret, const journal::CredentialPermit& permit) {
    SWORN_ASSERT(permit.live());
    SealedRequest sealed;
    Secret rendered;
    if (has_secret_place(plan)) {
        SWORN_ASSERT(credential != nullptr);
        SWORN_ASSERT(secret != nullptr);
        if (const auto fits = check_injectable(*credential, *secret); !fits) return fits.error();
        auto value = render(*credential, *secret);
        if (!value) return value.error();
        rendered = *std::move(value);
        sealed.needles_ = needles_of(*credential, *secret);
    }

    std::string head;
    head.reserve(head_bytes(plan, rendered));
    for (const auto& segment : plan.head) {
        const bool is_secret = segment.kind == contract::Segment::Kind::secret;
        const std::string_view bytes = is_secret ? rendered.bytes() : segment.text;
        sealed.slots_.push_back(
            {segment.kind, head.size(), bytes.size(), is_secret ? segment.text : std::string{}});
        head += bytes;
    }
    sealed.id_ = permit.id();
    sealed.head_ = Secret{std::move(head)};
    sealed.plan_tail_.body_digest = plan.body_digest;
    sealed.plan_tail_.body_size = plan.body_size;
    sealed.plan_tail_.origin_host = plan.origin_host;
    sealed.plan_tail_.origin_port = plan.origin_port;
    sealed.plan_tail_.tls = plan.tls;
    return sealed;
}

}  // namespace sworn::credentials
