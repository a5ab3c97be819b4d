// A journal on a temporary directory, a clock moved by hand, and actions told by verbs.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <stdlib.h>
#include <string>
#include <utility>

#include "journal/journal.h"
#include "journal/ledger.h"
#include "tests/support/fake_store.h"

namespace sworn::journal::rig {

using namespace std::chrono_literals;

class TemporaryDirectory {
public:
    TemporaryDirectory() {
        std::string pattern = std::filesystem::temp_directory_path() / "sworn-journal-XXXXXX";
        path_ = ::mkdtemp(pattern.data());
    }
    ~TemporaryDirectory() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

class HandClock final : public Clock {
public:
    [[nodiscard]] WallTime now() const noexcept override {
        return start_ + std::chrono::microseconds{moved_.load()};
    }
    [[nodiscard]] SteadyTime steady() const noexcept override {
        return SteadyTime{} + std::chrono::microseconds{moved_.load()};
    }
    void move(std::chrono::microseconds by) { moved_ += by.count(); }

private:
    WallTime start_{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
    std::atomic<std::int64_t> moved_{0};
};

struct CountingObserver final : Observer {
    void committed(std::size_t count, std::chrono::nanoseconds) noexcept override {
        groups += 1;
        events += count;
    }
    void unsettled(std::size_t count) noexcept override { open = count; }
    void writable(bool yes) noexcept override { can_write = yes; }
    std::atomic<std::size_t> groups{0}, events{0}, open{0};
    std::atomic<bool> can_write{false};
};

/// Waits for one append on the test's thread.
class Wait final : public Completion {
public:
    void complete(AppendOutcome outcome) noexcept override {
        promise_.set_value(std::move(outcome));
    }
    [[nodiscard]] AppendOutcome get() { return promise_.get_future().get(); }

private:
    std::promise<AppendOutcome> promise_;
};

inline PreflightValidated post() {
    PreflightValidated bound;
    bound.route = "payments";
    bound.fingerprint_covers = "request";
    bound.peer_rule = "tls";
    return bound;
}
inline PreflightValidated repeatable() {
    PreflightValidated bound = post();
    bound.repeatable = true;
    bound.safe = true;
    return bound;
}
inline PreflightValidated keyed(std::string key) {
    PreflightValidated bound = post();
    bound.key = std::move(key);
    bound.key_scope = "payments.create";
    bound.key_origin = KeyOrigin::caller;
    bound.key_lifetime = 23h;
    bound.remote_contract = "configured";
    return bound;
}

/// Clock, observer, directory and an open journal; by default on a fake disk.
class Rig {
public:
    Rig() {
        options.directory = directory.path() / "data";
        options.reserve_bytes = 0;
    }

    void open() {
        auto opened = Journal::open_on(disk->open(), options, clock, observer);
        ASSERT_TRUE(opened) << (opened ? "" : opened.error().what);
        journal = std::move(*opened);
    }
    void open_rocksdb() {
        auto opened = Journal::open(options, clock, observer);
        ASSERT_TRUE(opened) << (opened ? "" : opened.error().what);
        journal = std::move(*opened);
    }
    /// What a crash leaves, opened anew.
    void crash() {
        const std::shared_ptr<FakeDisk> left = disk->crash();
        journal.reset();
        disk = left;
        open();
    }

    AppendOutcome submit(Append append, Durability durability = Durability::durable) {
        Wait wait;
        append.durability = durability;
        append.completion = &wait;
        journal->append(std::move(append));
        return wait.get();
    }
    AppendOutcome submit(Ledger& ledger, Durability durability = Durability::durable) {
        return submit(ledger.take(durability), durability);
    }
    void buffer(Ledger& ledger) { journal->append(ledger.take(Durability::buffered)); }

    TemporaryDirectory directory;
    HandClock clock;
    CountingObserver observer;
    Options options;
    std::shared_ptr<FakeDisk> disk = FakeDisk::make();
    std::unique_ptr<Journal> journal;
};

/// One action, told step by step on its ledger.
class Action {
public:
    explicit Action(Rig& rig, std::uint8_t fingerprint = 1)
        : rig_{rig}, id{new_invocation_id(rig.clock.now())}, ledger{id, rig.clock} {
        accepted.caller = "agent";
        accepted.method = "POST";
        accepted.scheme = "https";
        accepted.host = "api.example.com";
        accepted.port = 443;
        accepted.path = "/v1/charges";
        accepted.fingerprint = Digest{{fingerprint}};
    }

    Action& stage(EventBody body) {
        const auto added = ledger.add(std::move(body));
        EXPECT_TRUE(added) << (added ? "" : to_string(added.error()));
        return *this;
    }
    Action& stage_accepted(PreflightValidated bound = post()) {
        bound.fingerprint = accepted.fingerprint;
        return stage(accepted).stage(std::move(bound));
    }
    Action& stage_dispatch() {
        stage(CredentialAuthorized{"stripe", "1", "header"});
        ConnectionReady ready;
        ready.n = 1;
        ready.connection = "c-1";
        DispatchStarted dispatch;
        dispatch.n = 1;
        dispatch.request_digest = Digest{{7}};
        return stage(std::move(ready)).stage(std::move(dispatch));
    }
    Action& stage_response(std::uint32_t status = 200) {
        RemoteResponseStarted started;
        started.status = status;
        return stage(std::move(started));
    }
    Action& stage_result(std::string body = "ok", Retry directive = Retry::never) {
        stage_response();
        RemoteResponseComplete complete;
        complete.status = 200;
        complete.bytes = body.size();
        complete.outcome = Outcome::committed;
        complete.directive = directive;
        ResultCommitted result;
        result.status = 200;
        result.bytes = body.size();
        result.result_digest = sha256(body);
        result.directive = directive;
        stage(std::move(complete)).stage(std::move(result));
        ledger.add_part({0, Stream::body, std::move(body)});
        ledger.set_head({"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"});
        return *this;
    }
    Action& stage_broken() {
        ExchangeBroken broken;
        broken.how = "connection reset";
        broken.handed_over = true;
        return stage(std::move(broken));
    }
    AppendOutcome submit(Durability durability = Durability::durable) {
        return rig_.submit(ledger, durability);
    }
    AppendOutcome dispatch(PreflightValidated bound = post()) {
        stage_accepted(std::move(bound)).stage_dispatch();
        return submit();
    }

private:
    Rig& rig_;

public:
    const InvocationId id;
    Ledger ledger;
    ActionAccepted accepted;
};

}  // namespace sworn::journal::rig
