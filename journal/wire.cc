#include "journal/wire.h"

#include <algorithm>
#include <span>

namespace sworn::journal::wire {
namespace {

constexpr unsigned varint_shift_max = 63;
constexpr std::size_t strings_max = 256;

void put_bytes(std::span<const std::uint8_t> bytes, std::string& out) {
    out.append(bytes.begin(), bytes.end());
}

bool get_bytes(std::string_view from, std::span<std::uint8_t> to) noexcept {
    if (from.size() != to.size()) return false;
    std::ranges::transform(from, to.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
    return true;
}

}  // namespace

void put_varint(std::uint64_t value, std::string& out) {
    while (value >= 0x80) {
        out.push_back(static_cast<char>((value & 0x7f) | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<char>(value));
}

bool take_varint(std::string_view& bytes, std::uint64_t& value) noexcept {
    std::uint64_t sum = 0;
    std::size_t used = 0;
    for (unsigned shift = 0; shift <= varint_shift_max; shift += 7) {
        if (used == bytes.size()) return false;
        const auto byte = static_cast<std::uint8_t>(bytes[used++]);
        const auto low = static_cast<std::uint64_t>(byte & 0x7f);
        if (shift == varint_shift_max && low > 1) return false;  // Past 64 bits.
        sum |= low << shift;
        if ((byte & 0x80) != 0) continue;
        if (byte == 0 && used > 1) return false;  // One spelling only: no padding.
        bytes.remove_prefix(used);
        value = sum;
        return true;
    }
    return false;
}

void put(const Digest& value, std::string& out) {
    put_bytes(value.bytes, out);
}

void put(const InvocationId& value, std::string& out) {
    put_bytes(value.bytes, out);
}

void put(const std::vector<std::string>& value, std::string& out) {
    for (const std::string& element : value) {
        put_varint(element.size(), out);
        out += element;
    }
}

bool get(std::string_view bytes, bool& value) noexcept {
    if (bytes != std::string_view{"\0", 1} && bytes != std::string_view{"\1", 1}) return false;
    value = bytes[0] != 0;
    return true;
}

bool get(std::string_view bytes, std::string& value) {
    value = bytes;
    return true;
}

bool get(std::string_view bytes, Digest& value) noexcept {
    return get_bytes(bytes, value.bytes);
}

bool get(std::string_view bytes, InvocationId& value) noexcept {
    return get_bytes(bytes, value.bytes);
}

bool get(std::string_view bytes, std::vector<std::string>& value) {
    value.clear();
    while (!bytes.empty()) {
        std::uint64_t size = 0;
        if (!take_varint(bytes, size) || size > bytes.size()) return false;
        if (value.size() == strings_max) return false;
        value.emplace_back(bytes.substr(0, size));
        bytes.remove_prefix(size);
    }
    return true;
}

}  // namespace sworn::journal::wire
