// Structured fields, Proxy-Status and Sworn-Outcome: what parses can be written, and what is
// written parses to the same. Our own member always stands last and is always readable.
#include "common/assert.h"
#include "common/proxy_status.h"
#include "common/structured_field.h"
#include "tests/fuzz/fuzz_input.h"

namespace sworn {
namespace {

void check_list(std::string_view text) {
    const auto list = sf::parse_list(text);
    if (!list) return;
    const auto written = sf::serialize(*list);
    SWORN_ASSERT(written.has_value());
    const auto again = sf::parse_list(*written);
    SWORN_ASSERT(again.has_value());
    SWORN_ASSERT(*again == *list);
    SWORN_ASSERT(sf::serialize(*again) == written);
}

void check_item(std::string_view text) {
    const auto item = sf::parse_item(text);
    if (!item) return;
    const auto written = sf::serialize(*item);
    SWORN_ASSERT(written.has_value());
    const auto again = sf::parse_item(*written);
    SWORN_ASSERT(again.has_value());
    SWORN_ASSERT(*again == *item);
    // One item is a list of one.
    const auto list = sf::parse_list(text);
    SWORN_ASSERT(list.has_value());
    SWORN_ASSERT(list->size() == 1);
}

void check_proxy_status(std::string_view text) {
    ProxyStatusMember ours;
    ours.name = "sworn";
    ours.error = ProxyError::connection_terminated;
    ours.received_status = 502;
    ours.details = text;
    ours.next_hop = text.substr(0, text.size() / 2);
    const auto hops = parse_proxy_status(text);
    const auto both = parse_proxy_status(append_proxy_status(text, ours));
    SWORN_ASSERT(both.size() == hops.size() + 1);
    for (std::size_t i = 0; i < hops.size(); ++i) {
        SWORN_ASSERT(both[i].name == hops[i].name);
        SWORN_ASSERT(both[i].failed == hops[i].failed);
        SWORN_ASSERT(both[i].error == hops[i].error);
    }
    SWORN_ASSERT(both.back().name == "sworn");
    SWORN_ASSERT(both.back().error == "connection_terminated");
    SWORN_ASSERT(both.back().received_status == 502);
    SWORN_ASSERT(both.back().details.size() <= proxy_status_text_max);
    // A name of any bytes still makes a member.
    ours.name = text;
    SWORN_ASSERT(parse_proxy_status(format_member(ours)).size() == 1);
}

void check_outcome(std::string_view text) {
    const auto header = parse_outcome_header(text);
    if (!header) return;
    SWORN_ASSERT(parse_outcome_header(format_outcome_header(*header)) == header);
}

}  // namespace
}  // namespace sworn

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = sworn::fuzz::text_of(data, size);
    sworn::check_list(text);
    sworn::check_item(text);
    sworn::check_proxy_status(text);
    sworn::check_outcome(text);
    return 0;
}
