// A whole broker without its program: the real pipeline, journal and front on loopback sockets, in
// front of a scripted origin. The journal lies on a fake disk that forgets what was not synced,
// or on RocksDB. A route "api" for api.example.test leads to the origin in clear and injects the
// secret as "Bearer {secret}".
#pragma once

#include <boost/json/object.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"
#include "journal/journal.h"
#include "tests/support/fake_store.h"
#include "tests/support/raw_caller.h"
#include "tests/support/scripted_upstream.h"

namespace sworn::test {

/// The system's clock, which a test may put forward.
class ShiftedClock final : public Clock {
public:
    [[nodiscard]] WallTime now() const noexcept override {
        return system_.now() + std::chrono::microseconds{ahead_.load()};
    }
    [[nodiscard]] SteadyTime steady() const noexcept override { return system_.steady(); }
    void move(std::chrono::microseconds by) { ahead_ += by.count(); }

private:
    SystemClock system_;
    std::atomic<std::int64_t> ahead_{0};
};

inline constexpr std::string_view rig_secret = "sk-live-51-0123456789abcdef";

/// A request in absolute form; `fields` are whole lines.
[[nodiscard]] std::string request(std::string_view method, std::string_view path,
                                  std::string_view body = "", std::string_view fields = "");
[[nodiscard]] std::string post(std::string_view fields = "", std::string_view body = "amount=1");
[[nodiscard]] std::string get(std::string_view fields = "");

class BrokerRig {
public:
    struct Setup {
        std::string route;  ///< More of the route "api": "semantics: idempotent, on_cancel: close".
        std::string top;    ///< More lines at the top of the file.
        std::size_t threads = 1;
        bool rocksdb = false;
        bool refusing = false;              ///< The origin does not listen yet.
        std::optional<std::uint16_t> port;  ///< Another than the origin's.
    };
    BrokerRig() : BrokerRig{Setup{}} {}
    explicit BrokerRig(Setup setup);
    ~BrokerRig();
    BrokerRig(const BrokerRig&) = delete;

    ScriptedUpstream upstream;
    ShiftedClock clock;

    // Callers.
    [[nodiscard]] RawCaller caller() const;
    /// On a connection of its own, closed when the answer is whole.
    [[nodiscard]] Response ask(std::string_view bytes, std::string_view method = "GET") const;

    // What the journal says.
    [[nodiscard]] journal::Journal& journal();
    /// "phase outcome retry code", and " running" where it is.
    [[nodiscard]] std::string state(std::string_view id);
    /// Waits for it; else yields what there is instead after some seconds.
    [[nodiscard]] std::string state_becomes(std::string_view id, std::string_view wanted);
    /// Waits until another caller has joined this running invocation.
    void wait_for_joiner(std::string_view id);
    [[nodiscard]] boost::json::object view(std::string_view id);
    [[nodiscard]] boost::json::object evidence(std::string_view id);
    /// Event names in order.
    [[nodiscard]] std::string events(std::string_view id);
    [[nodiscard]] std::vector<std::string> ids_of_token(std::string_view token,
                                                        std::string_view caller = "local");
    /// Ids of all records, newest first.
    [[nodiscard]] std::vector<std::string> ids();
    [[nodiscard]] std::optional<std::string> stored_body(std::string_view id);
    /// "who: why" of each further generation.
    [[nodiscard]] std::vector<std::string> forced_by(std::string_view id);
    /// The RESULT_PART events.
    [[nodiscard]] std::vector<journal::ResultPart> result_parts(std::string_view id);
    /// An operator's finding.
    void attest(std::string_view id, Finding finding);

    /// Whether this record stops a blind repeat now.
    [[nodiscard]] bool guarded(std::string_view id);
    [[nodiscard]] bool becomes_guarded(std::string_view id);
    /// Waits for the newest of so many records.
    [[nodiscard]] std::string newest_of(std::size_t count);

    // What goes wrong.
    [[nodiscard]] journal::FakeDisk& disk() { return *disk_; }
    /// Every sync waits for the gate; the first one that does opens `reached`.
    void hold_syncs(Gate& gate, Gate& reached);
    /// What was not synced is gone. `held` is opened once it is, to let the old broker end.
    void kill_and_restart(Gate* held = nullptr);
    void restart();
    void reload(std::string route);
    void write_secret(std::string_view secret);
    void remove_secret();
    void drain_deadline();  ///< Every exchange is broken off.
    /// No file can be made for a result any more.
    void block_results();

    /// All that is on the disk: rows, files, and names.
    [[nodiscard]] bool anywhere_on_disk(std::string_view bytes);

private:
    struct Broker;
    [[nodiscard]] std::string yaml() const;
    void start();

    std::filesystem::path directory_;
    Setup setup_;
    std::shared_ptr<journal::FakeDisk> disk_ = journal::FakeDisk::make();
    std::unique_ptr<Broker> broker_;
};

}  // namespace sworn::test
