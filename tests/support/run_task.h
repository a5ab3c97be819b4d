// Drives an I/O thread's context until one coroutine is done, on the test's own thread.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <optional>
#include <utility>

#include "proxy/io/task.h"
#include "proxy/io/thread_context.h"

namespace sworn::test {

template <class T>
io::Task<void> keep_result(io::Task<T> task, std::optional<T>& out) {
    out.emplace(co_await std::move(task));
}

inline io::Task<void> keep_done(io::Task<void> task, bool& done) {
    co_await std::move(task);
    done = true;
}

inline void fail_on_exception(std::exception_ptr thrown) {
    if (thrown) ADD_FAILURE() << "a coroutine let an exception out";
}

/// A coroutine that runs beside the test's others: spawned now, waited for by wait_for().
template <class T>
class Running {
public:
    Running(io::ThreadContext& thread, io::Task<T> task) : thread_{thread} {
        boost::asio::co_spawn(thread.context, keep_result<T>(std::move(task), result_),
                              fail_on_exception);
    }
    Running(const Running&) = delete;

    [[nodiscard]] bool done() const { return result_.has_value(); }

    /// A test that hangs ends the process: nothing would be learnt from going on.
    T& wait_for() {
        thread_.context.restart();
        while (!result_) {
            if (thread_.context.run_one_for(std::chrono::seconds{20}) == 0) std::abort();
        }
        return *result_;
    }

private:
    io::ThreadContext& thread_;
    std::optional<T> result_;
};

template <class T>
T run(io::ThreadContext& thread, io::Task<T> task) {
    Running<T> running{thread, std::move(task)};
    return std::move(running.wait_for());
}

inline void run(io::ThreadContext& thread, io::Task<void> task) {
    bool done = false;
    boost::asio::co_spawn(thread.context, keep_done(std::move(task), done), fail_on_exception);
    thread.context.restart();
    while (!done) {
        if (thread.context.run_one_for(std::chrono::seconds{20}) == 0) std::abort();
    }
}

}  // namespace sworn::test
