// Masks an injected secret that the remote echoes, byte for byte, so that framing holds (contract
// section 9). Best effort: only exact bytes are found; coded bodies cannot be scanned. Only a tail
// that may be the beginning of the secret is held back between two feeds. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/secret.h"

namespace sworn::contract {

class Masker {
public:
    /// `needles` must outlive the masker; shorter ones than `needle_bytes_min` are not looked for
    /// (they would mask ordinary text).
    explicit Masker(const std::vector<Secret>& needles);

    static constexpr std::size_t needle_bytes_min = 8;

    /// What may go on now, masked: everything up to a tail that could begin a needle.
    [[nodiscard]] std::string feed(std::string_view bytes);
    /// The rest, at the end of the body.
    [[nodiscard]] std::string finish();
    /// One whole value (a header field), masked in place.
    void mask(std::string& whole);

    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
    [[nodiscard]] bool idle() const noexcept { return needles_.empty(); }

private:
    void mask_all(std::string& bytes);
    [[nodiscard]] std::size_t tail_to_hold(std::string_view bytes) const noexcept;

    std::vector<std::string_view> needles_;
    std::string held_;
    std::uint32_t count_ = 0;
};

}  // namespace sworn::contract
