// Drives coroutines in tests: spawned on one thread's context, run to the end. Assertions belong
// outside of coroutines; what they saw is kept in plain values.
#pragma once

#include <boost/asio/co_spawn.hpp>

#include <exception>

#include "proxy/io/thread_context.h"

namespace sworn::test {

inline void spawn(io::ThreadContext& thread, io::Task<void> task) {
    io::asio::co_spawn(thread.context.get_executor(), std::move(task),
                       [](const std::exception_ptr& thrown) {
                           if (thrown) std::rethrow_exception(thrown);
                       });
}

/// Until nothing is left to do.
inline void drive(io::ThreadContext& thread) {
    thread.context.restart();
    thread.context.run();
}

inline io::Task<void> then_note(io::Task<void> task, bool& done) {
    co_await std::move(task);
    done = true;
}

/// Until the task is done and what it left ready has run, too. Timers are not waited for.
inline void drive(io::ThreadContext& thread, io::Task<void> task) {
    bool done = false;
    spawn(thread, then_note(std::move(task), done));
    thread.context.restart();
    while (!done && thread.context.run_one() > 0) {
    }
    thread.context.restart();
    thread.context.poll();
}

}  // namespace sworn::test
