#include "common/digest.h"

#include <openssl/evp.h>

#include <utility>

#include "common/assert.h"

namespace sworn {
namespace {

constexpr std::string_view prefix = "sha256:";
constexpr std::string_view hex_digits = "0123456789abcdef";

struct FreeContext {
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

/// Fetched once: the implicit fetch of EVP_sha256() costs more than a short digest.
const EVP_MD* algorithm() noexcept {
    static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    SWORN_ASSERT(fetched != nullptr);
    return fetched;
}

Context new_context() noexcept {
    Context context{EVP_MD_CTX_new()};
    SWORN_ASSERT(context != nullptr);
    return context;
}

/// One per thread, so that short digests and snapshots allocate nothing.
EVP_MD_CTX* scratch() noexcept {
    thread_local const Context context = new_context();
    return context.get();
}

Digest finish(EVP_MD_CTX* context) noexcept {
    Digest digest;
    SWORN_ASSERT(EVP_DigestFinal_ex(context, digest.bytes.data(), nullptr) == 1);
    return digest;
}

std::optional<std::uint8_t> hex_value(char digit) noexcept {
    const auto at = hex_digits.find(digit);
    if (at == std::string_view::npos) return std::nullopt;
    return static_cast<std::uint8_t>(at);
}

}  // namespace

std::string Digest::text() const {
    std::string text{prefix};
    text.reserve(prefix.size() + 2 * bytes.size());
    for (const std::uint8_t byte : bytes) {
        text += hex_digits[byte >> 4U];
        text += hex_digits[byte & 0x0fU];
    }
    return text;
}

std::optional<Digest> parse_digest(std::string_view text) noexcept {
    Digest digest;
    if (!text.starts_with(prefix)) return std::nullopt;
    text.remove_prefix(prefix.size());
    if (text.size() != 2 * digest.bytes.size()) return std::nullopt;
    for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
        const auto high = hex_value(text[2 * i]);
        const auto low = hex_value(text[2 * i + 1]);
        if (!high || !low) return std::nullopt;
        digest.bytes[i] = static_cast<std::uint8_t>(*high << 4U | *low);
    }
    return digest;
}

Digest sha256(std::string_view bytes) noexcept {
    SWORN_ASSERT(EVP_DigestInit_ex(scratch(), algorithm(), nullptr) == 1);
    SWORN_ASSERT(EVP_DigestUpdate(scratch(), bytes.data(), bytes.size()) == 1);
    return finish(scratch());
}

struct Sha256::State {
    Context context = new_context();
};

Sha256::Sha256() : state_{std::make_unique<State>()} {
    SWORN_ASSERT(EVP_DigestInit_ex(state_->context.get(), algorithm(), nullptr) == 1);
}

Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) noexcept {
    SWORN_ASSERT(state_ != nullptr);
    SWORN_ASSERT(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1);
}

void Sha256::field(std::string_view bytes) noexcept {
    std::array<char, 8> length{};
    std::uint64_t rest = bytes.size();
    for (std::size_t i = length.size(); i-- > 0; rest >>= 8U) {
        length[i] = static_cast<char>(rest & 0xffU);
    }
    update({length.data(), length.size()});
    update(bytes);
}

Digest Sha256::digest() const noexcept {
    SWORN_ASSERT(state_ != nullptr);
    SWORN_ASSERT(EVP_MD_CTX_copy_ex(scratch(), state_->context.get()) == 1);
    return finish(scratch());
}

}  // namespace sworn
