// A caller in front of a session, without a socket: what it sends, what comes back, and what the
// pipeline's place was asked to do.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proxy/http/front.h"
#include "tests/support/drive.h"
#include "tests/support/forged_tickets.h"
#include "tests/support/memory_stream.h"

namespace sworn::http {

/// Notes when actions begin and what became of their deliveries, by path.
struct DeliveryLog {
    std::vector<std::string> lines;
};

class LoggingWatch final : public DeliveryWatch {
public:
    LoggingWatch(DeliveryLog& log, std::string name) : log_{log}, name_{std::move(name)} {}
    void delivered(std::string_view how) noexcept override {
        log_.lines.push_back(name_ + " delivered " + std::string{how});
    }
    void failed(std::string_view how) noexcept override {
        log_.lines.push_back(name_ + " failed " + std::string{how});
    }

private:
    DeliveryLog& log_;
    std::string name_;
};

struct Seen {
    contract::HttpAction action;
    std::string body;
};

/// Stands where the pipeline will stand. Answers each action with 200 and its path, unless `serve`
/// says otherwise.
class FakeHandler final : public ActionHandler {
public:
    using Serve = io::Task<void> (*)(FakeHandler&, CallerSide&);

    io::Task<DeliveryWatchPtr> handle(contract::HttpAction action, Body body,
                                      CallerSide& side) override {
        Seen one;
        one.action = std::move(action);
        one.body.resize(static_cast<std::size_t>(body.size()));
        static_cast<void>(body.read(0, one.body.data(), one.body.size()));
        const auto path = one.action.target.path;
        deliveries.lines.push_back(path + " begins");
        seen.push_back(std::move(one));
        if (serve != nullptr) {
            co_await serve(*this, side);
        } else {
            Answer answer;
            answer.head.status = 200;
            answer.head.reason = "OK";
            answer.body = path;
            const auto ticket = test::commit_ticket();
            static_cast<void>(co_await side.deliver(std::move(answer), ticket));
        }
        state_at_end = side.state();
        co_return std::make_unique<LoggingWatch>(deliveries, path);
    }

    io::Task<void> refuse(Refused refused, CallerSide& side) override {
        Answer answer;
        answer.head.status =
            refused.error.status != 0 ? refused.error.status : code_info(refused.error.code).status;
        answer.head.reason = "Refused";
        answer.body = std::string{to_string(refused.error.code)} + " " +
                      std::string{refused.error.field.view()};
        refusals.push_back(std::move(refused));
        static_cast<void>(co_await side.answer(std::move(answer)));
    }

    Status admit(const contract::HttpAction&, std::uint64_t announced) override {
        announced_body = announced;
        if (admission) return *admission;
        return Done{};
    }

    Result<std::string> identify(std::string_view field) override {
        if (field == "Bearer good") return std::string{"ci"};
        if (!field.empty()) {
            return Error{Code::caller_not_authorized, "Unknown caller.", "Proxy-Authorization",
                         403};
        }
        return std::string{"local"};
    }

    Serve serve = nullptr;
    std::optional<Error> admission;
    std::uint64_t announced_body = 0;
    std::vector<Seen> seen;
    std::vector<Refused> refusals;
    DeliveryLog deliveries;
    CallerState state_at_end = CallerState::present;
};

class FixedSettings final : public FrontSettingsSource {
public:
    std::shared_ptr<const FrontSettings> settings() const override { return value; }
    bool draining() const noexcept override { return drain; }
    std::shared_ptr<FrontSettings> value = std::make_shared<FrontSettings>();
    bool drain = false;
};

/// One connection. `caller` is its far end; it closes when the session has sent its FIN, unless
/// told not to.
class Connection {
public:
    Connection() {
        auto owned = std::make_unique<test::MemoryStream>(thread);
        caller = owned.get();
        caller->on_fin = [this] {
            if (closes_after_fin) caller->end(io::IoEnd::eof);
        };
        stream_ = std::move(owned);
        settings.value->spool_directory = testing::TempDir();
        settings.value->timeouts.client_idle = std::chrono::milliseconds{100};
        settings.value->timeouts.request_header = std::chrono::milliseconds{100};
        settings.value->timeouts.request_body = std::chrono::milliseconds{100};
    }

    io::Task<void> serve() {
        co_await serve_connection(std::move(stream_), thread, handler, settings, workers);
    }
    /// Runs to the close; then `out` is all that the caller got.
    void run() {
        caller->keep_written = &out;
        caller->keep_reset = &was_reset;
        test::drive(thread, serve());
    }
    std::string run(std::string_view request) {
        caller->push(request);
        run();
        return out;
    }

    io::ThreadContext thread;
    io::WorkerPool workers{1};
    FakeHandler handler;
    FixedSettings settings;
    test::MemoryStream* caller;
    bool closes_after_fin = true;
    std::string out;
    bool was_reset = false;

private:
    io::StreamPtr stream_;
};

[[nodiscard]] inline int status_of(std::string_view response) {
    return response.starts_with("HTTP/1.1 ") ? std::stoi(std::string{response.substr(9, 3)}) : 0;
}

}  // namespace sworn::http
