// A request body, read whole before anything is decided: in memory up to 1 MiB, past that in an
// unlinked temporary file. Its digest runs along.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "common/digest.h"
#include "common/result.h"

namespace sworn::http {

inline constexpr std::size_t body_in_memory_bytes_max = 1 << 20;

/// The bytes behind a Body. Immutable once its Body is whole, so views of it may be read on any
/// thread.
struct BodyContent {
    ~BodyContent();
    std::string memory;
    int descriptor = -1;
    std::uint64_t size = 0;

    /// Bytes at `offset`, at most `count`; blocking when spooled. Fewer only at the end.
    [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, char* into,
                                           std::size_t count) const;
};
using BodyContentPtr = std::shared_ptr<const BodyContent>;

class Body {
public:
    explicit Body(std::filesystem::path spool_directory);
    Body(Body&&) noexcept;
    Body& operator=(Body&&) noexcept;
    ~Body();

    /// May write to the spool file: call on a worker once `spooled()` or when it would become so
    /// (`would_spool`). Error: broker_overloaded, when the spool cannot be written.
    Status append(std::string_view bytes);
    [[nodiscard]] bool would_spool(std::size_t more) const noexcept {
        return spooled() || content_->memory.size() + more > body_in_memory_bytes_max;
    }
    [[nodiscard]] std::uint64_t size() const noexcept { return content_->size; }
    [[nodiscard]] Digest digest() const noexcept;
    [[nodiscard]] bool spooled() const noexcept { return content_->descriptor >= 0; }
    [[nodiscard]] std::string_view memory() const noexcept {  ///< If not spooled.
        return content_->memory;
    }
    /// Bytes at `offset`, at most `count`; blocking when spooled.
    [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, char* into,
                                           std::size_t count) const;
    /// Shares the bytes of a whole body; lives on after the Body.
    [[nodiscard]] BodyContentPtr content() const noexcept { return content_; }

private:
    Status spill();

    std::filesystem::path directory_;
    std::shared_ptr<BodyContent> content_;
    Sha256 running_;
};

}  // namespace sworn::http
