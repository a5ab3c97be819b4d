// What the journal of a rig says, and what stands on its disk.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "journal/ledger.h"
#include "proxy/pipeline/append.h"
#include "proxy/pipeline/evidence.h"
#include "proxy/pipeline/stored_result.h"
#include "tests/support/broker_rig.h"

namespace sworn::test {
namespace {

using namespace std::chrono_literals;

/// How long a state may take to come about.
constexpr auto patience = 5s;

InvocationId id_of(std::string_view text) {
    const auto id = parse_invocation_id(text);
    return id ? *id : InvocationId{};
}

}  // namespace

boost::json::object BrokerRig::view(std::string_view id) {
    const auto stored = journal().read(id_of(id));
    if (!stored) return {};
    return pipeline::record_view(stored->record, clock.now(), &stored->events);
}

std::string BrokerRig::state(std::string_view id) {
    const auto stored = journal().read(id_of(id));
    if (!stored) return "no record";
    const auto state = project(stored->record, clock.now());
    std::string text{to_string(state.phase)};
    text.append(" ").append(to_string(state.outcome)).append(" ").append(to_string(state.retry));
    text.append(" ").append(state.code ? to_string(*state.code) : "null");
    if (state.running) text += " running";
    return text;
}

std::string BrokerRig::state_becomes(std::string_view id, std::string_view wanted) {
    const auto until = clock.steady() + patience;
    auto now = state(id);
    while (now != wanted && clock.steady() < until) {
        std::this_thread::yield();
        now = state(id);
    }
    return now;
}

boost::json::object BrokerRig::evidence(std::string_view id) {
    const auto all = view(id);
    const auto* const evidence = all.if_contains("evidence");
    return evidence == nullptr ? boost::json::object{} : evidence->as_object();
}

std::string BrokerRig::events(std::string_view id) {
    const auto stored = journal().read(id_of(id));
    std::string names;
    if (!stored) return names;
    for (const auto& one : stored->events) {
        if (!names.empty()) names += " ";
        names += one.event ? to_string(type_of(one.event->body)) : std::string_view{"unreadable"};
    }
    return names;
}

std::vector<std::string> BrokerRig::ids_of_token(std::string_view token, std::string_view caller) {
    std::vector<std::string> all;
    for (const auto& found : journal().find_token(caller, token))
        all.push_back(found.id.text());
    return all;
}

std::vector<std::string> BrokerRig::ids() {
    const journal::ListQuery everything;
    std::vector<std::string> all;
    for (const auto& record : journal().list(everything).records)
        all.push_back(record.id.text());
    return all;
}

std::optional<std::string> BrokerRig::stored_body(std::string_view id) {
    auto result = pipeline::load_result(journal(), id_of(id));
    if (!result) return std::nullopt;
    return std::move(result->body);
}

std::vector<journal::ResultPart> BrokerRig::result_parts(std::string_view id) {
    std::vector<journal::ResultPart> parts;
    const auto stored = journal().read(id_of(id));
    if (!stored) return parts;
    for (const auto& one : stored->events) {
        const auto* const part =
            one.event ? std::get_if<journal::ResultPart>(&one.event->body) : nullptr;
        if (part != nullptr) parts.push_back(*part);
    }
    return parts;
}

std::vector<std::string> BrokerRig::forced_by(std::string_view id) {
    std::vector<std::string> all;
    const auto stored = journal().read(id_of(id));
    if (!stored) return all;
    for (const auto& one : stored->events) {
        const auto* const lease =
            one.event ? std::get_if<journal::RetryLeased>(&one.event->body) : nullptr;
        if (lease != nullptr) all.push_back(lease->forced_by + ": " + lease->reason);
    }
    return all;
}

void BrokerRig::attest(std::string_view id, Finding finding) {
    const auto stored = journal().read(id_of(id));
    SWORN_ASSERT(stored.has_value());
    journal::Ledger ledger{stored->record.id, clock, stored->record};
    journal::Attested event;
    event.finding = finding;
    event.by = "ops";
    event.reason = "looked it up";
    ledger.note(std::move(event), Source::operator_attested);
    auto append = ledger.take(journal::Durability::durable);
    append.last = true;
    EXPECT_TRUE(pipeline::append_and_wait(journal(), std::move(append)));
}

bool BrokerRig::guarded(std::string_view id) {
    const auto stored = journal().read(id_of(id));
    if (!stored || !stored->record.accepted) return false;
    const auto& accepted = *stored->record.accepted;
    return journal().guarded(accepted.caller, accepted.fingerprint) == stored->record.id;
}

bool BrokerRig::becomes_guarded(std::string_view id) {
    const auto until = clock.steady() + patience;
    while (!guarded(id) && clock.steady() < until)
        std::this_thread::yield();
    return guarded(id);
}

std::string BrokerRig::newest_of(std::size_t count) {
    const auto until = clock.steady() + patience;
    auto all = ids();
    while (all.size() < count && clock.steady() < until) {
        std::this_thread::yield();
        all = ids();
    }
    return all.empty() ? std::string{} : all.front();
}

bool BrokerRig::anywhere_on_disk(std::string_view bytes) {
    auto store = disk_->copy()->open();
    bool found = false;
    using journal::Column;
    for (const auto column :
         {Column::events, Column::heads, Column::parts, Column::index, Column::meta}) {
        const auto visited = store->scan(column, "", "", [&](auto key, auto value) {
            found = found || key.find(bytes) != std::string_view::npos ||
                    value.find(bytes) != std::string_view::npos;
            return !found;
        });
        EXPECT_TRUE(visited);
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator{directory_ / "data"}) {
        if (!entry.is_regular_file()) continue;
        std::ostringstream content;
        content << std::ifstream{entry.path(), std::ios::binary}.rdbuf();
        found = found || content.str().find(bytes) != std::string::npos;
    }
    return found;
}

}  // namespace sworn::test
