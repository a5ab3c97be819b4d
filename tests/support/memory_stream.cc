#include "tests/support/memory_stream.h"

#include <algorithm>
#include <cstring>

namespace sworn::test {

using io::IoEnd;
using io::IoResult;

MemoryStream::MemoryStream(io::ThreadContext& thread)
    : reading_{thread.context.get_executor()},
      waiting_{thread.context.get_executor()},
      writing_{thread.context.get_executor()} {}

MemoryStream::~MemoryStream() {
    if (keep_written != nullptr) *keep_written = written;
    if (keep_reset != nullptr) *keep_reset = was_reset;
}

void MemoryStream::push(std::string_view bytes) {
    incoming_.append(bytes);
    wake();
}

void MemoryStream::end(IoEnd how) {
    end_ = how;
    wake();
}

void MemoryStream::fail_writes_after(std::size_t bytes, IoEnd how) {
    write_fault_ = how;
    write_fault_at_ = bytes;
}

void MemoryStream::unblock_writes() {
    write_room_ = std::numeric_limits<std::size_t>::max();
    writing_.cancel();
}

void MemoryStream::wake() noexcept {
    reading_.cancel();
    waiting_.cancel();
}

io::Task<bool> MemoryStream::sleep(Timer& timer, std::chrono::milliseconds limit) {
    if (limit.count() == 0) {
        timer.expires_at(Timer::time_point::max());
    } else {
        timer.expires_after(limit);
    }
    const auto [woken] = co_await timer.async_wait(io::no_throw);
    co_return static_cast<bool>(woken);
}

io::Task<IoResult> MemoryStream::read_some(io::asio::mutable_buffer into,
                                           std::chrono::milliseconds limit) {
    const auto cancels = cancels_;
    for (;;) {
        if (!open_ || cancels != cancels_) co_return IoResult{IoEnd::cancelled, 0};
        if (!incoming_.empty()) {
            const auto size = std::min({incoming_.size(), into.size(), read_max});
            std::memcpy(into.data(), incoming_.data(), size);
            incoming_.erase(0, size);
            co_return IoResult{IoEnd::ok, size};
        }
        if (end_) co_return IoResult{*end_, 0};
        const bool woken = co_await sleep(reading_, limit);
        if (!woken) co_return IoResult{IoEnd::timed_out, 0};
    }
}

io::Task<IoResult> MemoryStream::write(std::span<const io::asio::const_buffer> pieces,
                                       std::chrono::milliseconds limit) {
    const auto cancels = cancels_;
    std::string bytes;
    for (const auto& piece : pieces)
        bytes.append(static_cast<const char*>(piece.data()), piece.size());
    std::size_t taken = 0;
    for (;;) {
        if (!open_ || cancels != cancels_) co_return IoResult{IoEnd::cancelled, taken};
        const auto bound = write_fault_ ? std::min(write_fault_at_, write_room_) : write_room_;
        const auto room = bound - std::min(bound, written.size());
        const auto size = std::min(room, bytes.size() - taken);
        written.append(bytes, taken, size);
        taken += size;
        if (size > 0 && on_write) on_write();
        if (taken == bytes.size()) co_return IoResult{IoEnd::ok, taken};
        if (write_fault_ && written.size() >= write_fault_at_) {
            co_return IoResult{*write_fault_, taken};
        }
        const bool woken = co_await sleep(writing_, limit);
        if (!woken) co_return IoResult{IoEnd::timed_out, taken};
    }
}

io::Task<void> MemoryStream::shutdown_write() {
    fin = true;
    if (on_fin) on_fin();
    co_return;
}

io::Task<IoResult> MemoryStream::wait_readable() {
    const auto cancels = cancels_;
    const auto wait_cancels = wait_cancels_;
    for (;;) {
        if (!open_ || cancels != cancels_ || wait_cancels != wait_cancels_) {
            co_return IoResult{IoEnd::cancelled, 0};
        }
        if (!incoming_.empty() || end_) co_return IoResult{IoEnd::ok, 0};
        static_cast<void>(co_await sleep(waiting_, std::chrono::milliseconds{0}));
    }
}

void MemoryStream::cancel_wait() noexcept {
    ++wait_cancels_;
    waiting_.cancel();
}

io::Stream::Look MemoryStream::look() noexcept {
    if (!incoming_.empty()) return Look::bytes;
    if (!end_) return Look::quiet;
    const bool orderly = *end_ == IoEnd::eof || *end_ == IoEnd::truncated;
    return orderly ? Look::eof : Look::reset;
}

void MemoryStream::cancel() noexcept {
    ++cancels_;
    wake();
    writing_.cancel();
}

void MemoryStream::close() noexcept {
    open_ = false;
    cancel();
}

void MemoryStream::reset() noexcept {
    was_reset = true;
    close();
}

}  // namespace sworn::test
