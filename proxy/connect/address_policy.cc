#include "proxy/connect/address_policy.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace sworn::connect {
namespace {

namespace ip = boost::asio::ip;
using V4 = ip::address_v4::bytes_type;
using V6 = ip::address_v6::bytes_type;

template <class Bytes>
struct Block {
    Bytes network;
    unsigned prefix;
};

template <class Bytes, class Network>
bool within(const Bytes& address, const Network& network, unsigned prefix) noexcept {
    if (network.size() != address.size() || prefix > address.size() * 8) return false;
    for (std::size_t i = 0; prefix > 0; ++i) {
        const unsigned bits = std::min(prefix, 8U);
        const auto mask = static_cast<std::uint8_t>(0xff00U >> bits);
        if (((address[i] ^ network[i]) & mask) != 0) return false;
        prefix -= bits;
    }
    return true;
}

// IANA IPv4 special-purpose registry, without the blocks that are ordinary destinations
// (192.31.196.0/24, 192.52.193.0/24, 192.175.48.0/24).
constexpr std::array special_v4{
    Block<V4>{{0, 0, 0, 0}, 8},
    Block<V4>{{10, 0, 0, 0}, 8},
    Block<V4>{{100, 64, 0, 0}, 10},
    Block<V4>{{127, 0, 0, 0}, 8},
    Block<V4>{{169, 254, 0, 0}, 16},
    Block<V4>{{172, 16, 0, 0}, 12},
    Block<V4>{{192, 0, 0, 0}, 24},
    Block<V4>{{192, 0, 2, 0}, 24},
    Block<V4>{{192, 88, 99, 0}, 24},
    Block<V4>{{192, 168, 0, 0}, 16},
    Block<V4>{{198, 18, 0, 0}, 15},
    Block<V4>{{198, 51, 100, 0}, 24},
    Block<V4>{{203, 0, 113, 0}, 24},
    Block<V4>{{224, 0, 0, 0}, 4},
    Block<V4>{{240, 0, 0, 0}, 4},
    Block<V4>{{168, 63, 129, 16}, 32},  // Azure's host agent: public by number, local by route.
};

// Inside global unicast (2000::/3); all outside it is refused as a whole.
constexpr std::array special_v6{
    Block<V6>{{0x20, 0x01}, 23},              // IETF protocol assignments, Teredo among them.
    Block<V6>{{0x20, 0x01, 0x0d, 0xb8}, 32},  // Documentation.
    Block<V6>{{0x3f, 0xff}, 20},              // Documentation (RFC 9637).
};
constexpr Block<V6> global_unicast{{0x20}, 3};

constexpr Block<V6> mapped{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96};
constexpr Block<V6> compatible{{}, 96};
constexpr Block<V6> six_to_four{{0x20, 0x02}, 16};
constexpr Block<V6> nat64{{0, 0x64, 0xff, 0x9b}, 96};
constexpr Block<V6> teredo{{0x20, 0x01, 0, 0}, 32};

template <class Bytes>
bool in(const Bytes& address, const Block<Bytes>& block) noexcept {
    return within(address, block.network, block.prefix);
}

template <class Bytes>
bool granted(const Bytes& address, std::span<const config::Cidr> allow_private) noexcept {
    return std::ranges::any_of(allow_private, [&address](const config::Cidr& block) {
        return within(address, block.bytes, block.prefix);
    });
}

bool allowed_v4(const V4& address, std::span<const config::Cidr> allow_private) noexcept {
    const auto covers = [&address](const Block<V4>& block) { return in(address, block); };
    return std::ranges::none_of(special_v4, covers) || granted(address, allow_private);
}

/// The IPv4 address that traffic to an IPv6 address ends at.
struct Embedded {
    V4 address;
    bool is_the_whole;  ///< The rest of the address says nothing more.
};

V4 four_at(const V6& bytes, std::size_t at, std::uint8_t flip = 0) noexcept {
    V4 out{};
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::uint8_t>(bytes[at + i] ^ flip);
    return out;
}

std::optional<Embedded> unwrap(const V6& bytes) noexcept {
    if (in(bytes, mapped) || in(bytes, nat64)) return Embedded{four_at(bytes, 12), true};
    if (in(bytes, six_to_four)) return Embedded{four_at(bytes, 2), true};
    if (in(bytes, teredo)) return Embedded{four_at(bytes, 12, 0xff), false};
    // "::" and "::1" are no IPv4 addresses, and 0.0.0.0/8 is special anyhow.
    if (in(bytes, compatible)) return Embedded{four_at(bytes, 12), false};
    return std::nullopt;
}

bool allowed_v6(const V6& address, std::span<const config::Cidr> allow_private) noexcept {
    if (in(address, compatible) && four_at(address, 12)[0] == 0) {
        return granted(address, allow_private);
    }
    if (const auto embedded = unwrap(address)) {
        if (!allowed_v4(embedded->address, allow_private)) return false;
        if (embedded->is_the_whole) return true;
    }
    if (granted(address, allow_private)) return true;
    const auto covers = [&address](const Block<V6>& block) { return in(address, block); };
    return in(address, global_unicast) && std::ranges::none_of(special_v6, covers);
}

/// One form for the comparison with our own listeners.
ip::address plain(const ip::address& address) {
    if (address.is_v4()) return address;
    const V6 bytes = address.to_v6().to_bytes();
    if (in(bytes, mapped)) return ip::address_v4{four_at(bytes, 12)};
    return ip::address_v6{bytes};
}

/// A wildcard listener answers on loopback; whoever knows the interfaces lists their addresses
/// too. A connection to the unspecified address ends on loopback.
bool reaches(const ip::address& target, const ip::address& listener) {
    if (target == listener) return true;
    if (listener.is_unspecified()) return target.is_loopback() || target.is_unspecified();
    return target.is_unspecified() && listener.is_loopback();
}

}  // namespace

Verdict judge_address(const ip::tcp::endpoint& endpoint,
                      std::span<const config::Cidr> allow_private,
                      std::span<const ip::tcp::endpoint> own) {
    const ip::address address = endpoint.address();
    for (const auto& listener : own) {
        if (listener.port() != endpoint.port()) continue;
        if (reaches(plain(address), plain(listener.address()))) return Verdict::own_listener;
    }
    const bool allowed = address.is_v4() ? allowed_v4(address.to_v4().to_bytes(), allow_private)
                                         : allowed_v6(address.to_v6().to_bytes(), allow_private);
    return allowed ? Verdict::allowed : Verdict::forbidden;
}

}  // namespace sworn::connect
