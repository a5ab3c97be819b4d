// What a restart finds, on the disk that a crash leaves.
#include "journal/recovery.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "journal/columns.h"
#include "journal/part_file.h"
#include "tests/journal/rig.h"

namespace sworn::journal {
namespace {

using namespace std::chrono_literals;
using rig::Action;
using rig::Rig;

struct Row {
    const char* name;
    void (*tell)(Action&);
    const char* state;  ///< phase, outcome, retry, code, running
    std::size_t added;  ///< Events of the recovery.
};

std::string describe(const Projection& state) {
    return std::string{to_string(state.phase)} + ", " + std::string{to_string(state.outcome)} +
           ", " + std::string{to_string(state.retry)} + ", " +
           (state.code ? std::string{to_string(*state.code)} : "null") +
           (state.running ? ", running" : "");
}

const Row rows[] = {
    {"accepted", [](Action& a) { a.stage(a.accepted); },
     "validation, not_attempted, backoff, BROKER_INTERRUPTED", 1},
    {"validated", [](Action& a) { a.stage_accepted(); },
     "credential_injection, not_attempted, backoff, BROKER_INTERRUPTED", 1},
    {"dispatched", [](Action& a) { a.stage_accepted().stage_dispatch(); },
     "remote_execution, unknown, reconcile, BROKER_INTERRUPTED", 1},
    {"responding", [](Action& a) { a.stage_accepted().stage_dispatch().stage_response(); },
     "remote_execution, unknown, reconcile, BROKER_INTERRUPTED", 1},
    {"unconfirmed", [](Action& a) { a.stage_accepted().stage_dispatch().stage_result(); },
     "result_delivery, committed, fetch_result, null", 1},
    {"delivered",
     [](Action& a) {
         a.stage_accepted().stage_dispatch().stage_result().stage(ResultDelivered{"ack"});
     },
     "result_delivery, committed, never, null", 0},
    {"broken", [](Action& a) { a.stage_accepted().stage_dispatch().stage_broken(); },
     "remote_execution, unknown, reconcile, REMOTE_OUTCOME_UNKNOWN", 0},
    {"refused",
     [](Action& a) { a.stage_accepted().stage(ActionRefused{.code = Code::vault_locked}); },
     "credential_injection, not_attempted, after_correction, VAULT_LOCKED", 0},
    {"pending approval",
     [](Action& a) {
         PreflightValidated bound = rig::post();
         bound.approval_required = true;
         a.stage_accepted(bound).stage(ApprovalRequested{});
     },
     "credential_injection, not_attempted, fetch_result, APPROVAL_PENDING, running", 1},
};

TEST(Recovery, RestatesWhatEachRecordProvesAndOnlyOnce) {
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        Rig rig;
        rig.open();
        Action action{rig};
        row.tell(action);
        ASSERT_TRUE(action.submit());
        const std::size_t told = rig.journal->read(action.id)->events.size();
        rig.crash();
        EXPECT_EQ(rig.journal->recovery().unfinished, row.added);
        const auto stored = rig.journal->read(action.id);
        ASSERT_TRUE(stored);
        EXPECT_EQ(describe(project(stored->record, rig.clock.now())), row.state);
        EXPECT_EQ(stored->events.size(), told + row.added);
        if (stored->record.running) continue;
        rig.crash();
        EXPECT_EQ(rig.journal->recovery().unfinished, 0U);
        EXPECT_EQ(rig.journal->read(action.id)->events.size(), told + row.added);
    }
}

TEST(Recovery, LeavesWhatItsWriterGaveUpAlone) {
    Rig rig;
    rig.open();
    Action action{rig};
    ASSERT_TRUE(action.dispatch());
    action.stage_result();
    Append append = action.ledger.take(Durability::durable);
    append.last = true;
    ASSERT_TRUE(rig.submit(std::move(append)).commit);
    Action later{rig, 2};
    ASSERT_TRUE(later.dispatch());
    ASSERT_TRUE(later.stage_result().submit());
    Append nothing_but_the_end;
    nothing_but_the_end.id = later.id;
    nothing_but_the_end.last = true;
    ASSERT_TRUE(rig.submit(std::move(nothing_but_the_end)));
    rig.crash();
    EXPECT_EQ(rig.journal->recovery().unfinished, 0U);
    EXPECT_EQ(rig.journal->read(action.id)->record.delivery, Delivery::none);
}

TEST(Recovery, ContinuesTheSequenceAndTheTime) {
    Rig rig;
    rig.open();
    Action action{rig};
    rig.clock.move(1h);
    ASSERT_TRUE(action.dispatch());
    rig.crash();
    EXPECT_EQ(rig.journal->recovery().last_seq, 6U);
    Action next{rig, 2};
    EXPECT_EQ(next.stage_accepted().submit().last_seq, 8U);
}

TEST(Recovery, CanBeCutOffAtEachOfItsWrites) {
    Rig rig;
    rig.open();
    for (std::uint8_t n = 0; n < 3; ++n) {
        Action action{rig, n};
        ASSERT_TRUE(action.dispatch());
    }
    const std::shared_ptr<FakeDisk> crashed = rig.disk->crash();
    rig.journal.reset();
    for (const bool may_be_on_disk : {false, true}) {
        const std::shared_ptr<FakeDisk> disk = crashed->copy();
        disk->fail_sync_at(1);
        const auto refused = Journal::open_on(disk->open(), rig.options, rig.clock, rig.observer);
        ASSERT_FALSE(refused);
        rig.disk = may_be_on_disk ? disk->copy() : disk->crash();
        rig.open();
        EXPECT_EQ(rig.journal->recovery().unfinished, may_be_on_disk ? 0U : 3U);
        EXPECT_EQ(rig.journal->unsettled(), 3U);
        EXPECT_EQ(rig.journal->recovery().last_seq, 18U);
        rig.journal.reset();
    }
}

TEST(Recovery, CallsARecordWithAFlippedByteUnknownAndCorrupt) {
    Rig rig;
    rig.open();
    Action action{rig};
    ASSERT_TRUE(action.dispatch());
    ASSERT_TRUE(action.stage_result().submit());
    const std::string last = rig.disk->keys(Column::events).back();
    rig.disk->flip_byte(Column::events, last, 20);
    rig.crash();
    EXPECT_EQ(rig.journal->recovery().corrupt, 1U);
    const auto stored = rig.journal->read(action.id);
    EXPECT_TRUE(stored->record.corrupt);
    EXPECT_EQ(project(stored->record, rig.clock.now()).outcome, Outcome::unknown);
    Action repeat{rig};
    EXPECT_EQ(repeat.dispatch().refusal, Refusal::guard_armed);
}

TEST(Recovery, RebuildsLostSummariesAndPosition) {
    Rig rig;
    rig.open();
    Action action{rig};
    ASSERT_TRUE(action.dispatch());
    ASSERT_TRUE(action.stage_broken().submit());
    for (const std::string& key : rig.disk->keys(Column::heads)) {
        rig.disk->erase(Column::heads, key);
    }
    rig.disk->erase(Column::meta, std::string{position_meta_key});
    rig.crash();
    EXPECT_EQ(rig.journal->recovery().last_seq, 6U);
    EXPECT_EQ(rig.journal->list({}).records.size(), 1U);
}

TEST(Recovery, RefusesANewerFormat) {
    Rig rig;
    const auto store = rig.disk->open();
    ASSERT_TRUE(
        store->write({{Column::meta, std::string{format_meta_key}, encode_format(99)}}, true));
    const auto refused = Journal::open_on(rig.disk->open(), rig.options, rig.clock, rig.observer);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("newer version"), std::string::npos);
}

TEST(Recovery, RemovesPartFilesThatNobodyCommitted) {
    Rig rig;
    rig.open();
    const std::filesystem::path results = rig.journal->results_directory();
    Action action{rig};
    ASSERT_TRUE(action.dispatch());
    auto orphan = PartFile::create(results, action.id, 1);
    ASSERT_TRUE(orphan);
    orphan->keep();
    std::ofstream{results / "something else"} << "kept";
    rig.crash();
    EXPECT_EQ(rig.journal->recovery().part_files_removed, 1U);
    EXPECT_FALSE(std::filesystem::exists(results / part_file_name(action.id, 1)));
    EXPECT_TRUE(std::filesystem::exists(results / "something else"));
}

TEST(Recovery, RefusesASecondProcessAndNamesTheFirst) {
    Rig rig;
    rig.open_rocksdb();
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const auto refused = Journal::open(rig.options, rig.clock, rig.observer);
        const std::string holder = "process " + std::to_string(::getppid()) + " on host";
        const bool named = !refused && refused.error().what.find(holder) != std::string::npos;
        ::_exit(named ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Recovery, KeepsTheDirectoryPrivateAndTheReserveUntilItIsReleased) {
    Rig rig;
    rig.options.reserve_bytes = 1 << 20;
    rig.open();
    const std::filesystem::path data = rig.options.directory;
    const auto mode = [](const std::filesystem::path& path) {
        struct stat info {};
        EXPECT_EQ(::stat(path.c_str(), &info), 0);
        return info.st_mode & 0777U;
    };
    EXPECT_EQ(mode(data), 0700U);
    EXPECT_EQ(mode(data / "journal"), 0700U);
    EXPECT_EQ(mode(data / "results"), 0700U);
    EXPECT_EQ(mode(data / "holder"), 0600U);
    EXPECT_EQ(mode(data / "reserve"), 0600U);
    EXPECT_EQ(std::filesystem::file_size(data / "reserve"), 1U << 20);
    rig.journal->release_reserve();
    EXPECT_EQ(std::filesystem::file_size(data / "reserve"), 0U);
    rig.crash();
    EXPECT_EQ(std::filesystem::file_size(data / "reserve"), 1U << 20);
    EXPECT_TRUE(rig.journal->recovery().note.empty());
}

TEST(Recovery, GoesOnWithoutAReserveThatDoesNotFit) {
    Rig rig;
    rig.options.reserve_bytes = 1ULL << 62;
    rig.open();
    EXPECT_FALSE(rig.journal->recovery().note.empty());
    EXPECT_TRUE(rig.journal->available());
}

}  // namespace
}  // namespace sworn::journal
