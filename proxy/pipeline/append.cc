#include "proxy/pipeline/append.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>

#include <future>

namespace sworn::pipeline {

namespace asio = io::asio;

void IoWaker::wake(std::vector<journal::Finished> finished) noexcept {
    asio::post(thread_.context, [all = std::move(finished)]() mutable {
        for (auto& one : all) {
            one.completion->complete(std::move(one.outcome));
        }
    });
}

namespace {

/// Holds a coroutine's continuation until the journal completes it; frees itself.
template <class Handler>
class Resumption final : public journal::Completion {
public:
    explicit Resumption(Handler handler) : handler_{std::move(handler)} {}
    void complete(journal::AppendOutcome outcome) noexcept override {
        Handler handler = std::move(handler_);
        delete this;
        std::move(handler)(std::move(outcome));
    }

private:
    Handler handler_;
};

struct SubmitAppend {
    journal::Journal* journal;
    IoWaker* waker;
    template <class Handler>
    void operator()(Handler handler, journal::Append request) const {
        request.waker = waker;
        request.completion = new Resumption<Handler>{std::move(handler)};
        journal->append(std::move(request));
    }
};

struct SubmitWait {
    journal::Journal* journal;
    IoWaker* waker;
    template <class Handler>
    void operator()(Handler handler, InvocationId id) const {
        journal->when_ended(id, waker, new Resumption<Handler>{std::move(handler)});
    }
};

using UseAwaitable = asio::use_awaitable_t<io::Executor>;
using Signature = void(journal::AppendOutcome);

class Promise final : public journal::Completion {
public:
    void complete(journal::AppendOutcome outcome) noexcept override {
        promise.set_value(std::move(outcome));
    }
    std::promise<journal::AppendOutcome> promise;
};

}  // namespace

io::Task<journal::AppendOutcome> append(journal::Journal& journal, journal::Append request,
                                        IoWaker& waker) {
    auto submitted = asio::async_initiate<const UseAwaitable, Signature>(
        SubmitAppend{&journal, &waker}, UseAwaitable{}, std::move(request));
    auto outcome = co_await std::move(submitted);
    co_return outcome;
}

io::Task<void> wait_until_ended(journal::Journal& journal, InvocationId id, IoWaker& waker) {
    auto submitted = asio::async_initiate<const UseAwaitable, Signature>(
        SubmitWait{&journal, &waker}, UseAwaitable{}, id);
    co_await std::move(submitted);
}

journal::AppendOutcome append_and_wait(journal::Journal& journal, journal::Append request) {
    Promise waiting;
    auto done = waiting.promise.get_future();
    request.waker = nullptr;
    request.completion = &waiting;
    journal.append(std::move(request));
    return done.get();
}

}  // namespace sworn::pipeline
