// Which addresses may be dialled. Judged on the very address that is dialled next, after any
// embedded IPv4 address was unwrapped (mapped, compatible, 6to4, NAT64, Teredo). Pure.
// Source: the IANA special-purpose address registries, RFC 6890.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <span>
#include <vector>

#include "proxy/config/snapshot.h"

namespace sworn::connect {

enum class Verdict : std::uint8_t { allowed, forbidden, own_listener };

/// `own` are the broker's own listeners (wildcard addresses included): never a target, not even
/// where `allow_private` covers them.
[[nodiscard]] Verdict judge_address(const boost::asio::ip::tcp::endpoint& endpoint,
                                    std::span<const config::Cidr> allow_private,
                                    std::span<const boost::asio::ip::tcp::endpoint> own);

}  // namespace sworn::connect
