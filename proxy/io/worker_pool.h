// A few threads for what blocks: file reads and syncs, journal reads, key derivation. A coroutine
// awaits `run` and goes on where it was. Destroy the pool before the ThreadContexts: what runs on
// it is finished first, and posts its result there.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "proxy/io/task.h"

namespace sworn::io {

class WorkerPool {
public:
    explicit WorkerPool(std::size_t threads) : pool_{threads} {}
    ~WorkerPool() { pool_.join(); }

    /// Runs `work` on a worker and resumes on the caller's own thread. `work` must not throw; what
    /// it refers to must live until then. Pass a named callable (the capturing-lambda trap:
    /// docs/style.md), captures by reference.
    template <class F>
    Task<std::invoke_result_t<F&>> run(F& work);

    asio::thread_pool& pool() noexcept { return pool_; }

private:
    /// Runs on a worker, then posts the waiting coroutine back. Move-only, as the handler is.
    template <class F, class R, class Handler>
    struct Job {
        F* work;
        std::optional<R>* result;
        Executor home;
        Handler handler;

        void operator()() {
            result->emplace((*work)());
            asio::post(asio::prefer(home, asio::execution::outstanding_work.tracked),
                       std::move(handler));
        }
    };

    /// Hands over the coroutine's continuation together with the work.
    template <class F, class R>
    struct Start {
        asio::thread_pool& pool;
        F& work;
        std::optional<R>& result;
        Executor home;

        template <class Handler>
        void operator()(Handler&& handler) {
            using Tracked = decltype(asio::prefer(home, asio::execution::outstanding_work.tracked));
            struct Kept : Job<F, R, std::decay_t<Handler>> {
                Tracked alive;  // The home context must not run dry meanwhile.
            };
            asio::post(pool, Kept{{&work, &result, home, std::forward<Handler>(handler)},
                                  asio::prefer(home, asio::execution::outstanding_work.tracked)});
        }
    };

    asio::thread_pool pool_;
};

template <class F>
Task<std::invoke_result_t<F&>> WorkerPool::run(F& work) {
    using R = std::invoke_result_t<F&>;
    static_assert(!std::is_void_v<R>, "return Done where there is nothing to return");
    std::optional<R> result;
    const Executor home = co_await asio::this_coro::executor;
    const asio::use_awaitable_t<Executor> token{};
    Start<F, R> start{pool_, work, result, home};
    co_await asio::async_initiate<const asio::use_awaitable_t<Executor>&, void()>(start, token);
    co_return std::move(*result);
}

}  // namespace sworn::io
