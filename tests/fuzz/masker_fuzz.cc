// Masking keeps the length, leaves no needle, and changes nothing but to asterisks; the same comes
// out however the bytes are cut, and count() says how often.
#include <algorithm>

#include "common/assert.h"
#include "proxy/contract/masker.h"
#include "tests/fuzz/fuzz_input.h"

namespace sworn::contract {
namespace {

/// Few letters, so that needles overlap, repeat and begin one another.
std::string few_letters(std::string_view bytes) {
    std::string text{bytes};
    std::ranges::transform(text, text.begin(), [](char c) {
        return static_cast<char>('a' + static_cast<unsigned char>(c) % 3);
    });
    return text;
}

std::vector<Secret> clones(const std::vector<Secret>& secrets) {
    std::vector<Secret> copies;
    for (const auto& secret : secrets)
        copies.push_back(secret.clone());
    return copies;
}

std::string fed(Masker& masker, std::string_view text, std::size_t piece_max) {
    fuzz::Choices choices{text};
    std::string out;
    while (!text.empty()) {
        const auto piece = text.substr(0, 1 + choices.below(piece_max));
        text.remove_prefix(piece.size());
        out += masker.feed(piece);
    }
    return out + masker.finish();
}

void check_masked(const std::string& text, const std::string& out,
                  const std::vector<Secret>& needles) {
    SWORN_ASSERT(out.size() == text.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        SWORN_ASSERT(out[i] == text[i] || out[i] == '*');
    for (const auto& needle : needles) {
        const bool sought = needle.size() >= Masker::needle_bytes_min;
        SWORN_ASSERT(!sought || out.find(needle.bytes()) == std::string::npos);
    }
}

void check(fuzz::Script script) {
    std::vector<Secret> needles;
    for (int count = script.next() % 4; count > 0; --count)
        needles.emplace_back(few_letters(script.take(6 + script.next() % 10)));
    const auto text = few_letters(script.rest());
    const auto kept = clones(needles);
    Masker whole{kept};
    auto expected = text;
    whole.mask(expected);
    check_masked(text, expected, needles);
    SWORN_ASSERT((whole.count() == 0) == (expected == text));
    for (const std::size_t piece_max : {std::size_t{1}, std::size_t{5}, text.size() + 1}) {
        Masker masker{kept};
        const auto out = fed(masker, text, piece_max);
        check_masked(text, out, needles);
        SWORN_ASSERT(out == expected);
        SWORN_ASSERT(masker.count() == whole.count());
    }
}

}  // namespace
}  // namespace sworn::contract

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sworn::contract::check(sworn::fuzz::Script{sworn::fuzz::text_of(data, size)});
    return 0;
}
