// Masks an injected secret that the remote echoes, byte for byte, so that framing holds (contract
// section 9). Best effort: only exact bytes are found; coded bodies cannot be scanned. Only a tail
// that may be the beginning of the secret is held back between two feeds. Pure.
#pragma once

#include <cstdint>
#include <optional>
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
    enum class Ending : std::uint8_t { open, final };
    struct Match {
        std::size_t at = 0, size = 0;
    };
    /// Masks from the left, at each place the longest needle; yields where the tail begins that
    /// has to wait because it could begin a (longer) needle.
    std::size_t mask_all(std::string& bytes, Ending ending);
    [[nodiscard]] std::optional<Match> next_match(std::string_view bytes, std::size_t from);
    [[nodiscard]] std::size_t first_to_hold(std::string_view bytes,
                                            std::size_t from) const noexcept;

    std::vector<std::string_view> needles_;
    std::vector<std::size_t> next_;  ///< Of each needle: where it comes next in what is masked.
    std::string held_;
    std::uint32_t count_ = 0;
};

}  // namespace sworn::contract
