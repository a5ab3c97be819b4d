#include "common/secret.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <utility>

namespace sworn {

void wipe(std::string& bytes) noexcept {
    // The whole capacity: a string that shrank keeps its old bytes behind the end.
    bytes.resize(bytes.capacity());
    OPENSSL_cleanse(bytes.data(), bytes.size());
    bytes.clear();
}

Secret::Secret(std::string&& bytes) noexcept : bytes_{std::move(bytes)} {
    wipe(bytes);  // A short string was copied, not moved.
}

Secret::Secret(Secret&& other) noexcept : bytes_{std::move(other.bytes_)} {
    wipe(other.bytes_);
}

Secret& Secret::operator=(Secret&& other) noexcept {
    if (this == &other) return *this;
    wipe(bytes_);
    bytes_ = std::move(other.bytes_);
    wipe(other.bytes_);
    return *this;
}

Secret::~Secret() {
    wipe(bytes_);
}

bool Secret::equals(std::string_view other) const noexcept {
    const std::size_t longer = std::max(bytes_.size(), other.size());
    std::string mine(longer, '\0');
    std::string theirs(longer, '\0');
    bytes_.copy(mine.data(), bytes_.size());
    other.copy(theirs.data(), other.size());
    const bool same_bytes = CRYPTO_memcmp(mine.data(), theirs.data(), longer) == 0;
    wipe(mine);
    wipe(theirs);
    return same_bytes && bytes_.size() == other.size();
}

Secret Secret::clone() const {
    return Secret{std::string{bytes_}};
}

std::ostream& operator<<(std::ostream& out, const Secret&) {
    return out << "[secret]";
}

}  // namespace sworn
