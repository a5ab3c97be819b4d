#include "proxy/io/worker_pool.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "tests/support/run_task.h"

namespace sworn::io {
namespace {

struct Where {
    std::thread::id worked, resumed;
    std::unique_ptr<std::string> value;  // Move-only, as results may be.
};

Task<Where> ask(WorkerPool& pool) {
    auto work = [] {
        Where where;
        where.worked = std::this_thread::get_id();
        where.value = std::make_unique<std::string>("done");
        return where;
    };
    Where where = co_await pool.run(work);
    where.resumed = std::this_thread::get_id();
    co_return where;
}

TEST(WorkerPool, WorksElsewhereAndResumesOnTheCallersThread) {
    ThreadContext thread;
    WorkerPool pool{2};
    const Where where = test::run(thread, ask(pool));
    EXPECT_NE(where.worked, std::this_thread::get_id());
    EXPECT_EQ(where.resumed, std::this_thread::get_id());
    EXPECT_EQ(*where.value, "done");
}

Task<int> sum(WorkerPool& pool, int rounds) {
    int total = 0;
    for (int i = 0; i < rounds; ++i) {
        auto work = [&i] { return i; };
        total += co_await pool.run(work);
    }
    co_return total;
}

TEST(WorkerPool, KeepsTheCallersContextAliveWhileItWorks) {
    ThreadContext thread;
    WorkerPool pool{2};
    std::optional<int> total;
    asio::co_spawn(thread.context, test::keep_result<int>(sum(pool, 200), total),
                   test::fail_on_exception);
    thread.context.run();  // Returns only when no coroutine is left.
    ASSERT_TRUE(total);
    EXPECT_EQ(*total, 199 * 200 / 2);
}

}  // namespace
}  // namespace sworn::io
