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
    next_.resize(needles_.size());
}

std::size_t Masker::first_to_hold(std::string_view bytes, std::size_t from) const noexcept {
    std::size_t first = bytes.size();
    for (const auto needle : needles_) {
        const auto length_max = std::min(needle.size() - 1, bytes.size() - from);
        for (auto length = length_max; bytes.size() - length < first; --length) {
            if (bytes.ends_with(needle.substr(0, length))) first = bytes.size() - length;
        }
    }
    return first;
}

std::optional<Masker::Match> Masker::next_match(std::string_view bytes, std::size_t from) {
    std::optional<Match> best;
    for (std::size_t i = 0; i < needles_.size(); ++i) {
        // What was found ahead stays found.
        if (next_[i] < from) next_[i] = bytes.find(needles_[i], from);
        const bool earlier = next_[i] != std::string_view::npos && (!best || next_[i] < best->at);
        if (earlier) best = Match{next_[i], needles_[i].size()};
    }
    return best;
}

std::size_t Masker::mask_all(std::string& bytes, Ending ending) {
    std::size_t from = 0;
    for (std::size_t i = 0; i < needles_.size(); ++i)
        next_[i] = bytes.find(needles_[i]);
    for (;;) {
        const auto hold = ending == Ending::final ? bytes.size() : first_to_hold(bytes, from);
        const auto match = next_match(bytes, from);
        if (!match || match->at >= hold) return hold;
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(match->at), match->size, '*');
        from = match->at + match->size;
        ++count_;
    }
}

std::string Masker::feed(std::string_view bytes) {
    if (needles_.empty()) return std::string{bytes};
    std::string all = std::move(held_);
    held_.clear();
    all.append(bytes);
    const auto hold = mask_all(all, Ending::open);
    held_.assign(all, hold);
    all.resize(hold);
    return all;
}

std::string Masker::finish() {
    auto rest = std::exchange(held_, {});
    mask_all(rest, Ending::final);
    return rest;
}

void Masker::mask(std::string& whole) {
    mask_all(whole, Ending::final);
}

}  // namespace sworn::contract
