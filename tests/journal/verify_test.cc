#include "journal/verify.h"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "journal/columns.h"
#include "tests/journal/rig.h"

namespace sworn::journal {
namespace {

using rig::Action;
using rig::Rig;

/// Two settled records and one that is unknown.
struct Told {
    explicit Told(Rig& rig) : first{rig}, second{rig, 2}, third{rig, 3} {
        EXPECT_TRUE(first.dispatch());
        EXPECT_TRUE(first.stage_result().stage(ResultDelivered{"ack"}).submit());
        EXPECT_TRUE(second.dispatch());
        EXPECT_TRUE(second.stage_broken().submit());
        EXPECT_TRUE(
            third.stage_accepted().stage(ActionRefused{.code = Code::vault_locked}).submit());
    }
    Action first, second, third;
};

std::string problems(const VerifyReport& report) {
    std::string all;
    for (const VerifyProblem& each : report.problems)
        all += each.what + "; ";
    return all;
}

TEST(Verify, FindsASoundJournalSound) {
    Rig rig;
    rig.open();
    const Told told{rig};
    const VerifyReport report = verify(rig.journal->readable_store());
    EXPECT_TRUE(report.sound()) << problems(report);
    EXPECT_EQ(report.records, 3U);
    EXPECT_EQ(report.events, 9U + 6U + 3U);
}

TEST(Verify, WorksOnADatabaseThatNobodyServes) {
    Rig rig;
    rig.open_rocksdb();
    { const Told told{rig}; }
    rig.journal.reset();
    auto store = open_rocksdb_store(rig.options.directory / "journal", true);
    ASSERT_TRUE(store) << (store ? "" : store.error().what);
    const VerifyReport report = verify(**store, rig.options.directory / "results");
    EXPECT_TRUE(report.sound()) << problems(report);
    EXPECT_EQ(report.records, 3U);
}

TEST(Verify, NamesTheRecordOfEachFault) {
    struct Row {
        const char* name;
        void (*harm)(FakeDisk&, const Told&);
        const char* expected;
    };
    const Row rows[] = {
        {"flipped event",
         [](FakeDisk& disk, const Told&) {
             disk.flip_byte(Column::events, disk.keys(Column::events).front(), 30);
         },
         "an event cannot be read; "},
        {"lost first row",
         [](FakeDisk& disk, const Told&) {
             disk.erase(Column::events, disk.keys(Column::events).front());
         },
         "an event is missing or illegal; "},
        {"lost last row",
         [](FakeDisk& disk, const Told& told) {
             disk.erase(Column::events, event_key(told.second.id, 15));
         },
         "its newest events are missing; "},
        {"lost record",
         [](FakeDisk& disk, const Told& told) {
             disk.erase(Column::events, event_key(told.third.id, 16));
         },
         "its events are missing; "},
        {"flipped body",
         [](FakeDisk& disk, const Told& told) {
             disk.flip_byte(Column::parts, part_key(told.first.id, 1, Stream::body, 0), 0);
         },
         "its result does not match its digest; "},
        {"lost summary",
         [](FakeDisk& disk, const Told& told) { disk.erase(Column::heads, id_key(told.first.id)); },
         "its summary is missing; "},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        Rig rig;
        rig.open();
        const Told told{rig};
        row.harm(*rig.disk, told);
        const VerifyReport report = verify(rig.journal->readable_store());
        EXPECT_EQ(problems(report), row.expected);
        EXPECT_FALSE(report.sound());
    }
}

TEST(Verify, SaysWhenTheStoreCannotBeReadToItsEnd) {
    Rig rig;
    rig.open();
    const Told told{rig};
    rig.disk->fail_reads(Column::events);
    const VerifyReport report = verify(rig.journal->readable_store());
    EXPECT_FALSE(report.fault.empty());
    EXPECT_FALSE(report.sound());
}

TEST(Export, WritesOneObjectALineAndNamesWhatIsUnreadable) {
    Rig rig;
    rig.open();
    const Told told{rig};
    rig.disk->flip_byte(Column::events, event_key(told.second.id, 15), 10);
    std::size_t lines = 0, unreadable = 0;
    ASSERT_TRUE(export_jsonl(rig.journal->readable_store(), [&](std::string_view line) {
        const boost::json::object object =
            boost::json::parse({line.data(), line.size()}).as_object();
        EXPECT_EQ(line.find('\n'), std::string_view::npos);
        ++lines;
        if (!object.contains("unreadable")) return;
        ++unreadable;
        EXPECT_EQ(object.at("invocation_id").as_string(), told.second.id.text());
        EXPECT_EQ(object.at("seq").to_number<std::uint64_t>(), 15U);
    }));
    EXPECT_EQ(lines, 18U);
    EXPECT_EQ(unreadable, 1U);
}

}  // namespace
}  // namespace sworn::journal
