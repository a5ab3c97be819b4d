#include "proxy/contract/masker.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace sworn::contract {

Masker::Masker(const std::vector<Secret>& needles) {
    for (const auto& needle : needles) {
        if (needle.size() >= needle_bytes_min) needles_.push_back(needle.bytes());
    }
    // A longer form first: it may contain a shorter one.
    std::ranges::sort(needles_, std::greater{}, &std::string_view::size);
}

void Masker::mask_all(std::string& bytes) {
    for (const auto needle : needles_) {
        for (auto at = bytes.find(needle); at != std::string::npos; at = bytes.find(needle, at)) {
            std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), needle.size(), '*');
            at += needle.size();
            ++count_;
        }
    }
}

std::size_t Masker::tail_to_hold(std::string_view bytes) const noexcept {
    std::size_t hold = 0;
    for (const auto needle : needles_) {
        std::size_t length = std::min(needle.size() - 1, bytes.size());
        for (; length > hold; --length) {
            if (bytes.substr(bytes.size() - length) == needle.substr(0, length)) {
                hold = length;
                break;
            }
        }
    }
    return hold;
}

std::string Masker::feed(std::string_view bytes) {
    if (needles_.empty()) return std::string{bytes};
    std::string all = std::move(held_);
    held_.clear();
    all.append(bytes);
    mask_all(all);
    const auto hold = tail_to_hold(all);
    held_.assign(all, all.size() - hold, hold);
    all.resize(all.size() - hold);
    return all;
}

std::string Masker::finish() {
    return std::exchange(held_, {});
}

void Masker::mask(std::string& whole) {
    mask_all(whole);
}

}  // namespace sworn::contract
