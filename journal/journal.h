// The journal: append (buffered, written, durable), conditional on what the record and its
// neighbours allow; read; list; look up. One committer thread owns all writing and batches what
// waits into one synced write (group commit). Appends never block; reads block and belong on a
// worker thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"
#include "common/ids.h"
#include "common/result.h"
#include "journal/codec.h"
#include "journal/event.h"
#include "journal/record.h"
#include "journal/store.h"
#include "journal/ticket.h"

namespace sworn::journal {

/// buffered: accepted by the committer, nobody waits. written: in the log, not synced; the caller
/// waits for the verdict. durable: synced.
enum class Durability : std::uint8_t { buffered, written, durable };

/// Why an append was refused as a whole; nothing of it was written.
enum class Refusal : std::uint8_t {
    illegal_transition,
    lease_lost,
    settled,
    token_bound,  ///< PREFLIGHT_VALIDATED: the caller's token (or key) belongs to `other`; without
                  ///< `other` the key is another caller's.
    guard_armed,  ///< DISPATCH_STARTED: `other` with this fingerprint is unresolved.
    unavailable,  ///< The journal is poisoned or closing; `may_be_on_disk` says if it tried.
};
[[nodiscard]] std::string_view to_string(Refusal refusal) noexcept;

struct AppendOutcome {
    std::optional<Refusal> refusal;
    std::optional<InvocationId> other;
    bool same_fingerprint = false;  ///< With token_bound.
    bool may_be_on_disk = false;    ///< With unavailable: the write or its sync was tried.
    std::uint64_t last_seq = 0;
    std::optional<DispatchTicket> dispatch;  ///< A durable append that ended in DISPATCH_STARTED.
    std::optional<CommitTicket> commit;      ///< … in RESULT_COMMITTED or EXCHANGE_BROKEN.

    explicit operator bool() const noexcept { return !refusal; }
};

/// Whoever waits for an append. Called once.
class Completion {
public:
    virtual ~Completion() = default;
    virtual void complete(AppendOutcome outcome) noexcept = 0;
};

struct Finished {
    Completion* completion;
    AppendOutcome outcome;
};

/// Carries completions to the thread that waits: one call per group commit and thread.
class Waker {
public:
    virtual ~Waker() = default;
    /// Called on the committer thread (by `when_ended` also on the caller's). Must call complete()
    /// for each, on its own thread.
    virtual void wake(std::vector<Finished> finished) noexcept = 0;
};

/// A stored piece of a result, kept in the journal itself (results up to inline_result_bytes_max).
struct InlinePart {
    std::uint32_t part = 0;
    Stream stream = Stream::body;
    std::string bytes;
};

/// The response head as the caller got it (after redaction), for replays. Text form: status line
/// and fields as on the wire, without framing fields.
struct ResultHead {
    std::string bytes;
};

inline constexpr std::size_t inline_result_bytes_max = 64 * 1024;

/// One atomic step of one record: all events and parts, or nothing.
struct Append {
    InvocationId id;
    std::vector<Event> events;  ///< seq 0; ordinals as the ledger counted them.
    std::vector<InlinePart> parts;
    std::optional<ResultHead> head;
    Durability durability = Durability::buffered;
    Waker* waker = nullptr;            ///< Null: complete() is called on the committer thread.
    Completion* completion = nullptr;  ///< Null with buffered.
    bool last = false;                 ///< The writer is done: the live state may be dropped.
};

struct Options {
    std::filesystem::path directory;  ///< data_dir; holds journal/, results/, holder.
    std::uint64_t reserve_bytes = 64ull << 20;
    std::chrono::milliseconds retain_results{std::chrono::hours{72}};
    std::chrono::milliseconds retain_records{std::chrono::hours{24 * 90}};
    std::chrono::milliseconds retain_tokens{std::chrono::hours{24 * 400}};
    std::uint64_t max_size = 10ull << 30;
    std::size_t queue_max = 65536;  ///< Appends waiting; past it they are refused.
    std::chrono::milliseconds lease{30'000};
};

/// What the committer counts; read by metrics. All monotonic but `unsettled`.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void committed(std::size_t events, std::chrono::nanoseconds elapsed) noexcept = 0;
    virtual void unsettled(std::size_t count) noexcept = 0;
    virtual void writable(bool yes) noexcept = 0;
};

struct StoredRecord {
    Record record;
    std::vector<StoredEvent> events;
};

struct ListQuery {
    std::function<bool(const Record&, const Projection&)> keep;  ///< Empty keeps all.
    std::size_t limit = 100;
    std::optional<InvocationId> before;  ///< Cursor: only older ones.
    std::optional<InvocationId> oldest;  ///< None older than this one.
    bool unsettled_only = false;         ///< Reads only those: unknown, not running, no tunnel.
};
struct Page {
    std::vector<Record> records;       ///< Newest first.
    std::optional<InvocationId> next;  ///< Cursor for the next page; none at the end.
};

struct Found {
    InvocationId id;
    Digest fingerprint;
    std::string caller;
};

/// What recovery found and did; logged before anything listens.
struct RecoveryReport {
    std::size_t unfinished = 0, corrupt = 0;
    std::size_t part_files_removed = 0;  ///< Of results that were never committed.
    std::uint64_t last_seq = 0;
    std::string note;  ///< For the log: what could not be had; empty if nothing.
};

/// The bytes of one stored result, read back whole or from a part on.
struct StoredResult {
    std::string head;  ///< ResultHead bytes; empty if none was kept.
    struct Part {
        std::uint32_t part;
        Stream stream;
        std::uint64_t offset, size;  ///< Within the stream.
    };
    std::vector<Part> parts;
    std::filesystem::path file;  ///< Empty: inline; read with read_part().
};

class Journal {
public:
    struct OpenError {
        std::string what;  ///< "the journal in /data is in use by process 4711 on host a"
    };

    /// Takes the directory for this process, replays what is unfinished (BROKER_RECOVERED), and
    /// starts the committer. `observer` and `clock` outlive the journal.
    [[nodiscard]] static Result<std::unique_ptr<Journal>, OpenError> open(Options options,
                                                                          const Clock& clock,
                                                                          Observer& observer);
    /// The same on a store of the caller's (tests). The directory still holds part files.
    [[nodiscard]] static Result<std::unique_ptr<Journal>, OpenError> open_on(
        std::unique_ptr<Store> store, Options options, const Clock& clock, Observer& observer);
    ~Journal();  ///< Writes and syncs what is queued, then stops the committer.

    // --- Any thread, never blocks ---
    void append(Append append);
    [[nodiscard]] bool available() const noexcept;
    [[nodiscard]] const RecoveryReport& recovery() const noexcept;
    [[nodiscard]] std::size_t unsettled() const noexcept;
    /// The record that stops a blind repeat of this fingerprint by this caller, if any.
    [[nodiscard]] std::optional<InvocationId> guarded(std::string_view caller,
                                                      const Digest& fingerprint) const;
    /// The caller of a running exchange sent FIN: arms the guard while the exchange runs.
    void note_half_closed(InvocationId id);
    /// Fires once, when `id` is not running (at once if it already is not, or if the journal can
    /// no longer tell). `outcome` is empty.
    void when_ended(InvocationId id, Waker* waker, Completion* completion);
    /// The waiter goes away first. False: it is already on its way to complete().
    bool forget_waiter(Completion* completion);

    // --- Worker threads, may block on the disk; see every append made before the call ---
    [[nodiscard]] std::optional<StoredRecord> read(InvocationId id);
    [[nodiscard]] Page list(const ListQuery& query);
    [[nodiscard]] std::vector<Found> find_token(std::string_view caller, std::string_view token);
    [[nodiscard]] std::optional<Found> find_key(std::string_view scope, std::string_view key);
    [[nodiscard]] std::optional<StoredResult> result(InvocationId id);
    [[nodiscard]] std::optional<std::string> read_part(InvocationId id, std::uint32_t part,
                                                       Stream stream);
    /// Retention, at most one pass at a time; returns what it removed.
    std::size_t sweep(WallTime now);
    /// Frees the reserve so that small settling events still fit on a full disk.
    void release_reserve() noexcept;
    [[nodiscard]] const std::filesystem::path& results_directory() const noexcept;
    /// For verify() and export_jsonl(): everything that was appended before the call. Read only.
    [[nodiscard]] Store& readable_store();

    struct Impl;  // journal_impl.h

private:
    explicit Journal(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace sworn::journal
