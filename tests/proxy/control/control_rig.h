// The control API without a socket: a journal in memory, a configuration, and requests as verbs.
#pragma once

#include <boost/json/object.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/control/router.h"
#include "tests/journal/rig.h"

namespace sworn::control {

/// Holds one configuration; callers' tokens and the control token are files of the rig's folder.
class OneRuntime final : public pipeline::RuntimeSource {
public:
    explicit OneRuntime(const std::filesystem::path& directory);
    [[nodiscard]] pipeline::RuntimePtr current() const override { return runtime_; }

private:
    pipeline::RuntimePtr runtime_;
};

/// A clock that lets something happen the next time it is asked: between a handler's read and its
/// append.
class MeddlingClock final : public Clock {
public:
    explicit MeddlingClock(const Clock& real) : real_{real} {}
    void meddle_at(int call, std::function<void()> with) {
        calls_left_ = call;
        with_ = std::move(with);
    }
    [[nodiscard]] WallTime now() const noexcept override;
    [[nodiscard]] SteadyTime steady() const noexcept override { return real_.steady(); }

private:
    const Clock& real_;
    mutable int calls_left_ = 0;
    mutable std::function<void()> with_;
};

class ControlRig {
public:
    static constexpr std::string_view token = "control-token-of-the-test";

    ControlRig();

    [[nodiscard]] Response ask(std::string_view method, std::string_view target,
                               std::string_view body = {});
    [[nodiscard]] Response get(std::string_view target) { return ask("GET", target); }
    [[nodiscard]] Response post(std::string_view target, std::string_view body = {}) {
        return ask("POST", target, body);
    }

    // --- Actions of the past; each is the newest ---
    using Action = journal::rig::Action;
    std::unique_ptr<Action> settled(std::string body = "ok");
    std::unique_ptr<Action> unknown();
    std::unique_ptr<Action> running();
    std::unique_ptr<Action> never_sent(Code code = Code::connection_failed);
    /// A 429 with a body, to be repeated after `retry_at`.
    std::unique_ptr<Action> put_off();

    [[nodiscard]] std::size_t events_of(const InvocationId& id) {
        const auto stored = journal.journal->read(id);
        return stored ? stored->events.size() : 0;
    }

    journal::rig::Rig journal;
    MeddlingClock clock{journal.clock};
    OneRuntime runtime{journal.directory.path()};
    io::WorkerPool workers{1};
    metrics::Metrics metrics{"0.1.0"};
    pipeline::Gate gate;
    std::optional<Services> services;

    // How the next requests come in.
    Door door = Door::unix_socket;
    std::string authorization, host = "localhost", caller;
};

[[nodiscard]] std::string path_of(const InvocationId& id, std::string_view verb = {});
[[nodiscard]] boost::json::object json_of(const Response& response);
/// The text at a pointer, or what is there instead; never a failure of its own.
[[nodiscard]] std::string at(const boost::json::object& object, std::string_view pointer);
[[nodiscard]] std::string field_of(const Response& response, std::string_view name);
/// The ids of a listing, in its order.
[[nodiscard]] std::vector<std::string> ids_of(const Response& listing);

/// A problem of the API itself: its type, and a fragment of its detail.
void expect_problem(const Response& response, ControlProblem kind, std::string_view detail);

}  // namespace sworn::control
