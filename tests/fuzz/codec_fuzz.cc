// Stored events: what is read back is written as the same, no strict prefix of a frame is one, and
// no frame with one flipped bit. The input is read as frames, and as the inside of a sealed frame,
// so that the checksum hides nothing from the fuzzer.
#include <boost/json/serialize.hpp>

#include "journal/codec.h"
#include "journal/crc32c.h"
#include "journal/wire.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/journal/event_samples.h"

namespace sworn::journal {
namespace {

std::string sealed(std::string_view body) {
    std::string frame;
    wire::put_varint(body.size() + 4, frame);
    frame += body;
    const auto crc = crc32c(frame);
    for (int shift = 0; shift < 32; shift += 8)
        frame.push_back(static_cast<char>((crc >> shift) & 0xff));
    return frame;
}

void check_damage(const std::string& frame) {
    fuzz::Choices choices{frame};
    for (std::size_t size = 0; size < frame.size(); size += 1 + choices.below(3)) {
        auto prefix = std::string_view{frame}.substr(0, size);
        SWORN_ASSERT(!decode(prefix));
        SWORN_ASSERT(prefix.size() == size);
    }
    for (int flips = 0; flips < 8; ++flips) {
        auto damaged = frame;
        auto& byte = damaged[choices.below(frame.size())];
        byte = static_cast<char>(byte ^ (1 << choices.below(8)));
        std::string_view bytes = damaged;
        SWORN_ASSERT(!decode(bytes));
    }
}

void check_event(const Event& event, std::string_view frame) {
    std::string written;
    encode(event, written);
    // Only the tags of a newer writer are left out.
    SWORN_ASSERT(written.size() <= frame.size());
    SWORN_ASSERT(written.size() < frame.size() || written == frame);
    std::string_view bytes = written;
    const auto again = decode(bytes);
    SWORN_ASSERT(static_cast<bool>(again));
    SWORN_ASSERT(bytes.empty());
    SWORN_ASSERT(samples::same(event, *again));
    SWORN_ASSERT(!boost::json::serialize(to_json(event)).empty());
    check_damage(written);
}

void check_frames(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto before = bytes;
        const auto event = decode(bytes);
        if (!event) return SWORN_ASSERT(bytes.data() == before.data());
        SWORN_ASSERT(bytes.size() < before.size());
        check_event(*event, before.substr(0, before.size() - bytes.size()));
    }
}

}  // namespace
}  // namespace sworn::journal

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = sworn::fuzz::text_of(data, size);
    sworn::journal::check_frames(bytes);
    const auto frame = sworn::journal::sealed(bytes);
    sworn::journal::check_frames(frame);
    return 0;
}
