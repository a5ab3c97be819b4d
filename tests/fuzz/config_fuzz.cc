// A configuration is taken or refused, never half of it: each fault has a place in the text and is
// one line, and the same text gives the same routes.
#include <algorithm>

#include "proxy/config/load.h"
#include "tests/fuzz/fuzz_input.h"

namespace sworn::config {
namespace {

void check_faults(const Faults& faults, std::string_view text) {
    SWORN_ASSERT(!faults.empty());
    const auto lines = std::ranges::count(text, '\n') + std::ranges::count(text, '\r') + 1;
    for (const auto& fault : faults) {
        SWORN_ASSERT(fault.line >= 0);
        SWORN_ASSERT(fault.line <= lines + 1);
        SWORN_ASSERT(!fault.message.empty());
        SWORN_ASSERT(fault.line > 0 || fault.key.empty() || faults.size() < 64);
    }
    const auto shown = format("sworn.yaml", faults);
    SWORN_ASSERT(static_cast<std::size_t>(std::ranges::count(shown, '\n')) == faults.size());
    SWORN_ASSERT(std::ranges::none_of(
        shown, [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == 0x7f; }));
}

void check(std::string_view text) {
    const auto loaded = load_text(text, "/etc/sworn/sworn.yaml");
    if (!loaded) return check_faults(loaded.error(), text);
    const auto again = load_text(text, "/etc/sworn/sworn.yaml");
    SWORN_ASSERT(static_cast<bool>(again));
    SWORN_ASSERT((*loaded)->routes.size() == (*again)->routes.size());
    for (std::size_t i = 0; i < (*loaded)->routes.size(); ++i) {
        SWORN_ASSERT((*loaded)->routes[i].digest == (*again)->routes[i].digest);
        SWORN_ASSERT(!(*loaded)->routes[i].id.empty());
    }
}

}  // namespace
}  // namespace sworn::config

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sworn::config::check(sworn::fuzz::text_of(data, size));
    return 0;
}
