// Appends as coroutines: the journal's completions brought back to the I/O thread that waits.
#pragma once

#include "journal/journal.h"
#include "proxy/io/thread_context.h"

namespace sworn::pipeline {

/// One per I/O thread; outlives every append that names it.
class IoWaker final : public journal::Waker {
public:
    explicit IoWaker(io::ThreadContext& thread) noexcept : thread_{thread} {}
    void wake(std::vector<journal::Finished> finished) noexcept override;

private:
    io::ThreadContext& thread_;
};

/// Submits and waits for the verdict (written or durable). Resumes on the waker's thread.
io::Task<journal::AppendOutcome> append(journal::Journal& journal, journal::Append request,
                                        IoWaker& waker);

/// Waits until `id` is not running.
io::Task<void> wait_until_ended(journal::Journal& journal, InvocationId id, IoWaker& waker);

/// The same for a worker thread: blocks.
[[nodiscard]] journal::AppendOutcome append_and_wait(journal::Journal& journal,
                                                     journal::Append request);

}  // namespace sworn::pipeline
