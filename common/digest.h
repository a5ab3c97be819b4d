// SHA-256, and the text form that Sworn shows everywhere: "sha256:" + 64 hex digits.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sworn {

struct Digest {
    std::array<std::uint8_t, 32> bytes{};

    [[nodiscard]] std::string text() const;  ///< sha256:…
    auto operator<=>(const Digest&) const = default;
};

[[nodiscard]] std::optional<Digest> parse_digest(std::string_view text) noexcept;
[[nodiscard]] Digest sha256(std::string_view bytes) noexcept;

/// A running digest. Movable; `digest()` does not end it.
class Sha256 {
public:
    Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;
    ~Sha256();

    void update(std::string_view bytes) noexcept;
    /// Adds a length-prefixed field, so that neighbouring fields cannot run into each other.
    void field(std::string_view bytes) noexcept;
    [[nodiscard]] Digest digest() const noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace sworn
