// `sworn journal`: through a broker where one runs, else from the directory.
#include <gtest/gtest.h>

#include <algorithm>

#include "journal/columns.h"
#include "proxy/cli/exit_code.h"
#include "tests/journal/rig.h"
#include "tests/proxy/cli/cli_rig.h"

namespace sworn::cli {
namespace {

/// A stopped broker's directory with two actions in it, and the configuration that names it.
struct Stopped {
    Stopped() {
        journal.options.directory = home.folder / "data";
        journal.open_rocksdb();
        journal::rig::Action settled{journal}, unknown{journal, 2};
        EXPECT_TRUE(settled.dispatch());
        EXPECT_TRUE(settled.stage_result().submit());
        EXPECT_TRUE(unknown.dispatch());
        EXPECT_TRUE(unknown.stage_broken().submit());
        journal.journal.reset();
        home.configure("\"unix:./data/control.sock\"");
    }

    Home home;
    journal::rig::Rig journal;
};

TEST(JournalVerify, ReadsTheDirectoryOfAStoppedBroker) {
    const Stopped stopped;
    const auto ran = sworn({"journal", "verify"});
    EXPECT_EQ(ran.exit_code, exit_done) << ran.err;
    EXPECT_EQ(ran.out,
              "{\"sound\":true,\"records\":2,\"events\":14,\"tombstones\":0,\"unreadable\":0,"
              "\"fault\":null,\"problems\":[]}\n");
}

TEST(JournalVerify, ExitsWithOneWhereARecordIsDamaged) {
    Stopped stopped;
    auto store = journal::open_rocksdb_store(stopped.home.folder / "data/journal");
    ASSERT_TRUE(store);
    std::string last;
    const auto scanned = (*store)->scan(journal::Column::events, "", "",
                                        [&](std::string_view key, std::string_view) {
                                            last = key;
                                            return true;
                                        });
    ASSERT_TRUE(scanned);
    ASSERT_TRUE((*store)->write({{journal::Column::events, last, "garbage"}}, true));
    store->reset();
    const auto ran = sworn({"journal", "verify"});
    EXPECT_EQ(ran.exit_code, exit_refused);
    EXPECT_NE(ran.out.find("\"sound\":false"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("\"what\":\"an event cannot be read\""), std::string::npos) << ran.out;
}

TEST(JournalExport, ReadsTheDirectoryOfAStoppedBroker) {
    const Stopped stopped;
    const auto ran = sworn({"journal", "export"});
    EXPECT_EQ(ran.exit_code, exit_done) << ran.err;
    EXPECT_EQ(std::ranges::count(ran.out, '\n'), 14);
    EXPECT_NE(ran.out.find("\"type\":\"EXCHANGE_BROKEN\""), std::string::npos);
}

TEST(JournalCommands, NeedNoControlListenerInTheConfiguration) {
    const Stopped stopped;
    stopped.home.configure("");
    EXPECT_EQ(sworn({"journal", "verify"}).exit_code, exit_done);
    EXPECT_EQ(sworn({"journal", "export"}).exit_code, exit_done);
}

TEST(JournalCommands, OpenNoDirectoryInsteadOfTheBrokerThatIsNamed) {
    const Stopped stopped;
    for (const char* command : {"verify", "export"}) {
        const auto asked = sworn({"journal", command, "--control", "unix:./other.sock"});
        EXPECT_EQ(asked.exit_code, exit_unreachable) << asked.out;
        EXPECT_EQ(asked.out, "");
        Home::set("SWORN_CONTROL", "unix:./other.sock");
        EXPECT_EQ(sworn({"journal", command}).exit_code, exit_unreachable);
        Home::set("SWORN_CONTROL", "");
    }
}

TEST(JournalCommands, ReadADirectoryWithoutConfigurationOrBroker) {
    const Stopped stopped;
    std::filesystem::rename(stopped.home.folder / "data", stopped.home.folder / "copy");
    std::filesystem::remove(stopped.home.folder / "sworn.yaml");
    const auto verified = sworn({"journal", "verify", "--data-dir", "copy"});
    EXPECT_EQ(verified.exit_code, exit_done) << verified.err;
    EXPECT_NE(verified.out.find("\"sound\":true,\"records\":2"), std::string::npos) << verified.out;
    const auto exported = sworn({"journal", "export", "--data-dir", "copy"});
    EXPECT_EQ(exported.exit_code, exit_done) << exported.err;
    EXPECT_EQ(std::ranges::count(exported.out, '\n'), 14);
}

TEST(JournalCommands, AskNobodyWhereADirectoryIsNamed) {
    const Stopped stopped;
    ScriptedControl control{stopped.home};
    Home::set("SWORN_CONTROL", control.address());
    for (const char* command : {"verify", "export"}) {
        const auto ran = sworn({"journal", command, "--data-dir", "data"});
        EXPECT_EQ(ran.exit_code, exit_done) << ran.err;
    }
    EXPECT_TRUE(control.asked().empty());
    const auto none = sworn({"journal", "verify", "--data-dir", "absent"});
    EXPECT_EQ(none.exit_code, exit_refused);
    EXPECT_EQ(none.err, "sworn: there is no journal in absent\n");
}

TEST(JournalCommands, SayThatThereIsNoJournal) {
    Home home;
    home.configure("");
    for (const char* command : {"verify", "export"}) {
        const auto ran = sworn({"journal", command});
        EXPECT_EQ(ran.exit_code, exit_refused);
        EXPECT_TRUE(ran.err.starts_with("sworn: there is no journal in ")) << ran.err;
    }
    home.folder.write("sworn.yaml", "nothing: true\n");
    EXPECT_EQ(sworn({"journal", "verify"}).exit_code, exit_refused);
}

TEST(JournalVerify, AsksTheBrokerWhereOneRuns) {
    Home home;
    ScriptedControl control{home};
    home.configure("\"" + control.address() + "\"");
    control.answer(200, "{\"sound\":true}\n").answer(200, "{\"sound\":false}\n").answer(401, "{}");
    const auto sound = sworn({"journal", "verify"});
    EXPECT_EQ(sound.exit_code, exit_done);
    EXPECT_EQ(sound.out, "{\"sound\":true}\n");
    EXPECT_EQ(sworn({"journal", "verify"}).exit_code, exit_refused);
    const auto refused = sworn({"journal", "verify"});
    EXPECT_EQ(refused.exit_code, exit_refused);
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(refused.err, "{}\n");
    EXPECT_EQ(control.lines().at(0), "POST /v1/journal/verify");
}

TEST(JournalExport, PassesOnWhatTheBrokerSends) {
    Home home;
    ScriptedControl control{home};
    home.configure("\"" + control.address() + "\"");
    control.answer(200, "{\"seq\":1}\n").answer(403, "{}");
    const auto ran = sworn({"journal", "export"});
    EXPECT_EQ(ran.exit_code, exit_done);
    EXPECT_EQ(ran.out, "{\"seq\":1}\n");
    EXPECT_EQ(sworn({"journal", "export"}).exit_code, exit_refused);
    EXPECT_EQ(control.lines().at(0), "GET /v1/journal/export");
}

TEST(JournalExport, StaysBrokenOffWhereTheBrokerBreaksOff) {
    const Stopped stopped;
    ScriptedControl control{stopped.home};
    stopped.home.configure("\"" + control.address() + "\"");
    control.answer_raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
    const auto ran = sworn({"journal", "export"});
    EXPECT_EQ(ran.exit_code, exit_unreachable);
    EXPECT_EQ(ran.out, "half") << "the directory is not printed behind it";
}

}  // namespace
}  // namespace sworn::cli
