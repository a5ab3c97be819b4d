#include <atomic>
#include <thread>

#include "journal/columns.h"
#include "journal/verify.h"
#include "tests/proxy/control/control_rig.h"

namespace sworn::control {
namespace {

TEST(VerifyJournal, ReportsASoundOne) {
    ControlRig rig;
    const auto settled = rig.settled();
    const auto unknown = rig.unknown();
    const auto answer = rig.post("/v1/journal/verify");
    EXPECT_EQ(answer.status, 200);
    const auto report = json_of(answer);
    EXPECT_EQ(at(report, "/sound"), "true");
    EXPECT_EQ(at(report, "/records"), "2");
    EXPECT_EQ(at(report, "/events"), "14");
    EXPECT_EQ(at(report, "/unreadable"), "0");
    EXPECT_EQ(at(report, "/fault"), "null");
    EXPECT_EQ(at(report, "/problems"), "[]");
}

TEST(VerifyJournal, NamesTheRecordThatIsDamaged) {
    ControlRig rig;
    const auto settled = rig.settled();
    const auto unknown = rig.unknown();
    const auto& disk = *rig.journal.disk;
    for (const auto& key : disk.keys(journal::Column::events)) {
        const auto at = journal::parse_event_key(key);
        if (at && at->id == unknown->id) {
            rig.journal.disk->flip_byte(journal::Column::events, key, 20);
        }
    }
    const auto report = json_of(rig.post("/v1/journal/verify"));
    EXPECT_EQ(at(report, "/sound"), "false");
    EXPECT_EQ(at(report, "/problems/0/invocation_id"), unknown->id.text());
    EXPECT_EQ(at(report, "/problems/0/what"), "an event cannot be read");
    EXPECT_EQ(at(report, "/problems/1"), "(nothing)");
}

TEST(VerifyJournal, SaysThatItCouldNotReadToTheEnd) {
    ControlRig rig;
    const auto settled = rig.settled();
    rig.journal.disk->fail_reads(journal::Column::events);
    const auto report = json_of(rig.post("/v1/journal/verify"));
    EXPECT_EQ(at(report, "/sound"), "false");
    EXPECT_NE(at(report, "/fault"), "null");
}

TEST(VerifyJournal, IsNotConfusedByWhatIsWrittenMeanwhile) {
    ControlRig rig;
    std::atomic<bool> done{false};
    std::thread writer{[&] {
        for (int i = 0; i < 200; ++i) {
            ControlRig::Action action{rig.journal};
            action.accepted.fingerprint = sha256(action.id.text());
            EXPECT_TRUE(action.dispatch());
            EXPECT_TRUE(action.stage_result().submit());
        }
        done = true;
    }};
    while (!done) {
        const auto report = json_of(rig.post("/v1/journal/verify"));
        EXPECT_EQ(at(report, "/sound"), "true") << at(report, "/problems");
    }
    writer.join();
    EXPECT_EQ(at(json_of(rig.post("/v1/journal/verify")), "/records"), "200");
}

/// All pieces of an export, and how many there were.
std::string read_export(const Response& response, int& pieces) {
    std::string all;
    for (pieces = 0; pieces < 1000; ++pieces) {
        auto piece = response.pieces();
        if (!piece) return "broken off: " + piece.error().what;
        if (!*piece) return all;
        EXPECT_LT((*piece)->size(), 300u * 1024);
        all += **piece;
    }
    return "without an end";
}

std::string whole_export(journal::Store& store) {
    std::string all;
    EXPECT_TRUE(journal::export_jsonl(store, [&](std::string_view line) {
        all.append(line);
        all.push_back('\n');
    }));
    return all;
}

TEST(ExportJournal, GivesEveryEventAsALineInPieces) {
    ControlRig rig;
    int pieces = 0;
    EXPECT_EQ(read_export(rig.get("/v1/journal/export"), pieces), "");
    EXPECT_EQ(pieces, 0);
    for (int i = 0; i < 500; ++i) {
        ControlRig::Action action{rig.journal};
        action.accepted.fingerprint = sha256(action.id.text());
        action.accepted.path = "/" + std::string(1000, 'p');
        action.stage_accepted().stage(journal::ActionRefused{.code = Code::vault_locked});
        rig.journal.buffer(action.ledger);
    }
    const auto response = rig.get("/v1/journal/export");
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.type, "application/x-ndjson");
    const auto all = read_export(response, pieces);
    EXPECT_GT(pieces, 2);
    EXPECT_EQ(std::ranges::count(all, '\n'), 1500);
    EXPECT_EQ(all, whole_export(rig.journal.journal->readable_store()));
}

TEST(ExportJournal, IsBrokenOffWhereTheStoreFails) {
    ControlRig rig;
    const auto settled = rig.settled();
    const auto response = rig.get("/v1/journal/export");
    rig.journal.disk->fail_reads(journal::Column::events);
    int pieces = 0;
    EXPECT_TRUE(read_export(response, pieces).starts_with("broken off"));
}

}  // namespace
}  // namespace sworn::control
