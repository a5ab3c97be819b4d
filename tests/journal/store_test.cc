// The same expectations of every store; what only the fake one can do is at the end.
#include "journal/store.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/journal/rig.h"

namespace sworn::journal {
namespace {

enum class Kind { fake, rocksdb };

class StoreTest : public testing::TestWithParam<Kind> {
protected:
    void SetUp() override { reopen(); }
    void reopen() {
        store.reset();
        if (GetParam() == Kind::fake) {
            store = disk->open();
            return;
        }
        auto opened = open_rocksdb_store(directory.path() / "db");
        ASSERT_TRUE(opened) << (opened ? "" : opened.error().what);
        store = std::move(*opened);
    }
    void write(Batch batch, bool sync = false) {
        ASSERT_TRUE(store->write(batch, sync)) << "write failed";
    }
    std::string keys(Column column, std::string_view from, std::string_view until, bool down) {
        std::string all;
        const Visit visit = [&](std::string_view key, std::string_view) {
            all += std::string{key} + " ";
            return true;
        };
        EXPECT_TRUE(down ? store->scan_down(column, from, until, visit)
                         : store->scan(column, from, until, visit));
        return all;
    }

    rig::TemporaryDirectory directory;
    std::shared_ptr<FakeDisk> disk = FakeDisk::make();
    std::unique_ptr<Store> store;
};

TEST_P(StoreTest, GivesBackWhatWasWrittenAndNothingElse) {
    write({{Column::events, "a", "1"}, {Column::heads, "a", "2"}});
    EXPECT_EQ(**store->get(Column::events, "a"), "1");
    EXPECT_EQ(**store->get(Column::heads, "a"), "2");
    EXPECT_FALSE(*store->get(Column::parts, "a"));
    EXPECT_FALSE(*store->get(Column::events, "b"));
}

TEST_P(StoreTest, DeletesAndOverwritesInTheOrderOfTheBatch) {
    write({{Column::index, "a", "1"}, {Column::index, "b", "1"}});
    write({{Column::index, "a", {}}, {Column::index, "b", {}}, {Column::index, "b", "2"}});
    EXPECT_FALSE(*store->get(Column::index, "a"));
    EXPECT_EQ(**store->get(Column::index, "b"), "2");
}

TEST_P(StoreTest, ScansHalfOpenRangesBothWays) {
    write({{Column::events, "a", ""},
           {Column::events, "b", ""},
           {Column::events, "bb", ""},
           {Column::events, "c", ""},
           {Column::heads, "b", ""}});
    EXPECT_EQ(keys(Column::events, "", "", false), "a b bb c ");
    EXPECT_EQ(keys(Column::events, "b", "c", false), "b bb ");
    EXPECT_EQ(keys(Column::events, "", "", true), "c bb b a ");
    EXPECT_EQ(keys(Column::events, "b", "c", true), "bb b ");
    EXPECT_EQ(keys(Column::events, "d", "", true), "");
}

TEST_P(StoreTest, StopsAScanWhenTheVisitorHasEnough) {
    write({{Column::events, "a", ""}, {Column::events, "b", ""}});
    int seen = 0;
    ASSERT_TRUE(store->scan(Column::events, "", "", [&](auto, auto) { return ++seen < 1; }));
    EXPECT_EQ(seen, 1);
}

TEST_P(StoreTest, KeepsAnythingSyncedAcrossAReopen) {
    const std::string binary{"\0\xff\x80", 3};
    write({{Column::parts, binary, binary}}, true);
    reopen();
    EXPECT_EQ(**store->get(Column::parts, binary), binary);
}

TEST_P(StoreTest, SyncsAnEmptyBatch) {
    write({{Column::meta, "a", "1"}});
    write({}, true);
    EXPECT_FALSE(store->poisoned());
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreTest, testing::Values(Kind::fake, Kind::rocksdb),
                         [](const auto& each) {
                             return each.param == Kind::fake ? "Fake" : "RocksDb";
                         });

// --- RocksDB only ---

std::filesystem::path newest_log(const std::filesystem::path& directory) {
    std::filesystem::path log;
    for (const auto& each : std::filesystem::directory_iterator{directory}) {
        if (each.path().extension() == ".log" && each.file_size() > 0) log = each.path();
    }
    return log;
}

/// A database that was not closed, copied as a crash leaves it.
std::filesystem::path crashed_copy(const rig::TemporaryDirectory& directory) {
    auto store = open_rocksdb_store(directory.path() / "db");
    EXPECT_TRUE(store);
    for (int i = 0; i < 200; ++i) {
        const Batch batch{{Column::events, "key" + std::to_string(i), std::string(300, 'v')}};
        EXPECT_TRUE((*store)->write(batch, true));
    }
    std::filesystem::copy(directory.path() / "db", directory.path() / "copy");
    return directory.path() / "copy";
}

TEST(RocksDbStore, RefusesAFlippedByteInItsLogAndSaysHowToExport) {
    const rig::TemporaryDirectory directory;
    const std::filesystem::path copy = crashed_copy(directory);
    {
        std::fstream log{newest_log(copy), std::ios::in | std::ios::out | std::ios::binary};
        ASSERT_TRUE(log);
        log.seekp(1000);
        log.put('X');
    }
    const auto refused = open_rocksdb_store(copy);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("sworn journal export"), std::string::npos)
        << refused.error().what;

    auto readable = open_rocksdb_store(copy, true);
    ASSERT_TRUE(readable);
    EXPECT_TRUE(*(*readable)->get(Column::events, "key0"));
    EXPECT_TRUE(*(*readable)->get(Column::events, "key199"));
    EXPECT_FALSE((*readable)->write({{Column::events, "a", "b"}}, false));
}

TEST(RocksDbStore, KeepsEverythingBeforeATornTail) {
    const rig::TemporaryDirectory directory;
    const std::filesystem::path copy = crashed_copy(directory);
    const std::filesystem::path log = newest_log(copy);
    std::filesystem::resize_file(log, std::filesystem::file_size(log) - 100);
    auto store = open_rocksdb_store(copy);
    ASSERT_TRUE(store) << (store ? "" : store.error().what);
    EXPECT_TRUE(*(*store)->get(Column::events, "key198"));
    EXPECT_FALSE(*(*store)->get(Column::events, "key199"));
}

// --- The fake one only ---

TEST(FakeStore, ForgetsWhatWasNotSynced) {
    const auto disk = FakeDisk::make();
    const auto store = disk->open();
    ASSERT_TRUE(store->write({{Column::events, "a", "1"}}, false));
    ASSERT_TRUE(store->write({{Column::events, "b", "1"}}, true));
    ASSERT_TRUE(store->write({{Column::events, "c", "1"}}, false));
    EXPECT_EQ(disk->crash()->keys(Column::events), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(disk->copy()->keys(Column::events), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(FakeStore, StaysFailedAfterAFailedSyncThatMayBeOnDisk) {
    const auto disk = FakeDisk::make();
    const auto store = disk->open();
    disk->fail_sync_at(1);
    EXPECT_FALSE(store->write({{Column::events, "a", "1"}}, true));
    EXPECT_TRUE(store->poisoned());
    EXPECT_FALSE(store->write({{Column::events, "b", "1"}}, false));
    EXPECT_TRUE(disk->crash()->keys(Column::events).empty());
    EXPECT_EQ(disk->copy()->keys(Column::events).size(), 1U);
}

}  // namespace
}  // namespace sworn::journal
