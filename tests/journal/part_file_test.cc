#include "journal/part_file.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include "tests/journal/rig.h"

namespace sworn::journal {
namespace {

InvocationId some_id() {
    return new_invocation_id(rig::HandClock{}.now());
}

TEST(PartFile, GivesBackItsBytesByPartOffset) {
    const rig::TemporaryDirectory directory;
    auto file = PartFile::create(directory.path(), some_id(), 1);
    ASSERT_TRUE(file);
    const std::string first(part_bytes, 'a');
    ASSERT_TRUE(file->write(first));
    ASSERT_TRUE(file->write("tail"));
    EXPECT_EQ(file->whole_parts(), 1U);
    const auto synced = file->sync();
    ASSERT_TRUE(synced);
    EXPECT_EQ(synced->bytes(), part_bytes + 4);
    EXPECT_EQ(synced->digest(), sha256(first + "tail"));
    EXPECT_EQ(read_file_range(directory.path() / synced->name(), part_bytes, 4), "tail");
    EXPECT_FALSE(read_file_range(directory.path() / synced->name(), part_bytes, 5));
}

TEST(PartFile, IsPrivateToItsOwner) {
    const rig::TemporaryDirectory directory;
    const InvocationId id = some_id();
    auto file = PartFile::create(directory.path(), id, 2);
    ASSERT_TRUE(file);
    struct stat info {};
    ASSERT_EQ(::stat((directory.path() / part_file_name(id, 2)).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST(PartFile, GoesAwayUnlessItIsKept) {
    const rig::TemporaryDirectory directory;
    const InvocationId id = some_id();
    { ASSERT_TRUE(PartFile::create(directory.path(), id, 1)); }
    EXPECT_FALSE(std::filesystem::exists(directory.path() / part_file_name(id, 1)));
    {
        auto file = PartFile::create(directory.path(), id, 1);
        ASSERT_TRUE(file);
        PartFile moved = std::move(*file);
        moved.keep();
    }
    EXPECT_TRUE(std::filesystem::exists(directory.path() / part_file_name(id, 1)));
}

TEST(PartFile, IsNeverOpenedTwice) {
    const rig::TemporaryDirectory directory;
    const InvocationId id = some_id();
    auto file = PartFile::create(directory.path(), id, 1);
    ASSERT_TRUE(file);
    const auto again = PartFile::create(directory.path(), id, 1);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, Code::result_store_failed);
}

TEST(PartFile, TakesNothingAfterItsSync) {
    const rig::TemporaryDirectory directory;
    auto file = PartFile::create(directory.path(), some_id(), 1);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("a"));
    ASSERT_TRUE(file->sync());
    EXPECT_FALSE(file->write("b"));
    EXPECT_FALSE(file->sync());
}

TEST(PartFile, ReadsOnlyTheOneSpellingOfItsName) {
    const InvocationId id = some_id();
    const auto parsed = parse_part_file_name(part_file_name(id, 12));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->id, id);
    EXPECT_EQ(parsed->generation, 12U);
    for (const std::string& name :
         {id.text(), id.text() + ".", id.text() + ".01", id.text() + ".1x", id.text() + ".-1",
          id.text() + "_1", std::string{"act_.1"}}) {
        EXPECT_FALSE(parse_part_file_name(name)) << name;
    }
}

}  // namespace
}  // namespace sworn::journal
