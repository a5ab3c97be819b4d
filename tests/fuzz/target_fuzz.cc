// Authorities and targets have one normal form: what is accepted, written out again, is read as
// the same by each of the forms that can carry it.
#include "proxy/contract/host.h"
#include "proxy/contract/target.h"
#include "tests/fuzz/fuzz_input.h"

namespace sworn::contract {
namespace {

std::string in_brackets(const std::string& host) {
    return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

void check_host(const std::string& host, bool is_address) {
    const auto again = normal_host(in_brackets(host));
    SWORN_ASSERT(again.has_value());
    SWORN_ASSERT(again->text == host);
    SWORN_ASSERT(again->is_address == is_address);
}

bool same(const Target& a, const Target& b) {
    return a.scheme == b.scheme && a.host == b.host && a.host_is_address == b.host_is_address &&
           a.port == b.port && a.path == b.path;
}

void check_absolute(std::string_view text) {
    const auto target = parse_absolute_form(text);
    if (!target) return SWORN_ASSERT(target.error().code == Code::invalid_target);
    SWORN_ASSERT(target->port != 0);
    SWORN_ASSERT(target->path.starts_with('/'));
    check_host(target->host, target->host_is_address);
    const auto host_port = in_brackets(target->host) + ":" + std::to_string(target->port);
    const auto again = parse_absolute_form(target->scheme + "://" + host_port + target->path);
    SWORN_ASSERT(static_cast<bool>(again));
    SWORN_ASSERT(same(*target, *again));
    const auto connect = parse_authority_form(host_port);
    SWORN_ASSERT(static_cast<bool>(connect));
    SWORN_ASSERT(connect->host == target->host);
    SWORN_ASSERT(connect->port == target->port);
    const auto host = parse_host(target->authority());
    SWORN_ASSERT(static_cast<bool>(host));
    SWORN_ASSERT(host->host == target->host);
    SWORN_ASSERT(host->port == target->port || host->port == 0);
    const auto path = parse_origin_form(target->path);
    SWORN_ASSERT(static_cast<bool>(path));
    SWORN_ASSERT(*path == target->path);
}

void check_authority(std::string_view text) {
    const auto host = parse_host(text);
    const auto connect = parse_authority_form(text);
    if (connect) SWORN_ASSERT(static_cast<bool>(host));
    if (!host) return;
    check_host(host->host, host->is_address);
    SWORN_ASSERT(static_cast<bool>(connect) == (host->port != 0));
    if (connect) SWORN_ASSERT(connect->port == host->port);
    // An authority that is valid stays so inside a target.
    const auto target = parse_absolute_form("http://" + std::string{text} + "/");
    SWORN_ASSERT(static_cast<bool>(target));
    SWORN_ASSERT(target->host == host->host);
}

void check_origin(std::string_view text) {
    const auto path = parse_origin_form(text);
    if (!path) return;
    SWORN_ASSERT(*path == text);
    const auto target = parse_absolute_form("https://a.test" + *path);
    SWORN_ASSERT(static_cast<bool>(target));
    SWORN_ASSERT(target->path == *path);
}

}  // namespace
}  // namespace sworn::contract

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = sworn::fuzz::text_of(data, size);
    sworn::contract::check_absolute(text);
    sworn::contract::check_authority(text);
    sworn::contract::check_origin(text);
    return 0;
}
