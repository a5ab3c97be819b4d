#include <algorithm>
#include <array>

#include "proxy/http/exchange_impl.h"

namespace sworn::http {

namespace {

/// What goes out together with the head: all of a small body, the start of one in memory.
std::string_view first_piece(const Body& body) {
    if (body.spooled()) return {};
    return body.memory().substr(0, write_piece_bytes);
}

}  // namespace

io::Task<void> Exchange::send(journal::DispatchTicket ticket,
                              const credentials::SealedRequest& request, const Body& body) {
    SWORN_ASSERT(!impl_->sent);
    impl_->sent = true;
    const journal::DispatchTicket spent{std::move(ticket)};
    if (std::chrono::steady_clock::now() > spent.deadline()) {
        impl_->seen.markers.handed_over = false;
        impl_->broken(contract::ExchangeEnd::never_sent, "the ticket was too old to be used");
        co_return;
    }
    if (impl_->stopped) {
        impl_->seen.markers.handed_over = false;
        impl_->broken(contract::ExchangeEnd::never_sent, "stopped before the hand-over");
        co_return;
    }
    const std::string_view head = request.release(spent);
    co_await impl_->send(head, body);
}

io::Task<void> Exchange::Impl::send(std::string_view head, const Body& body) {
    total_due = std::chrono::steady_clock::now() + timeouts.total;
    total_deadline.arm(timeouts.total);
    outgoing->body = body.content();
    outgoing->idle_limit = timeouts.response_idle;

    const auto start = first_piece(body);
    const std::array buffers{io::asio::const_buffer{head.data(), head.size()},
                             io::asio::const_buffer{start.data(), start.size()}};
    seen.markers.handed_over = true;
    const auto written = co_await stream().write(buffers, timeouts.response_idle);
    const auto of_head = std::min(written.bytes, head.size());
    outgoing->offset = written.bytes - of_head;
    outgoing->end = written.end;
    if (written.ok() && !outgoing->whole()) start_writer(outgoing, thread, workers);
    note_written(head.size() - of_head);
    co_await wait_while_writing();
}

/// Until the body is written or the peer says something, whichever is first: an early answer must
/// not wait for a body that the peer does not read.
io::Task<void> Exchange::Impl::wait_while_writing() {
    while (writing() && !stopped) {
        const auto readable = co_await stream().wait_readable();
        if (readable.end != io::IoEnd::cancelled) break;
    }
}

void Exchange::Impl::writer_finished() noexcept {
    note_written(0);
    stream().cancel_wait();
    if (ended) return;
    // The peer's own time starts when it has everything.
    if (decoder) {
        idle_deadline.arm(timeouts.response_idle);
    } else if (header_armed) {
        header_deadline.arm(timeouts.response_header);
    }
}

void Exchange::Impl::note_written(std::size_t head_bytes_left) noexcept {
    auto& markers = seen.markers;
    const bool head_whole = head_bytes_left == 0;
    if (!markers.request_headers_sent) markers.request_headers_sent = head_whole;
    if (writing()) return;
    markers.request_body_sent = head_whole && outgoing->whole();
    if (outgoing->end == io::IoEnd::ok) return;
    write_broke = true;
    // After our own deadline the stream is only fit to be closed.
    if (outgoing->end == io::IoEnd::timed_out) stop(contract::ExchangeEnd::idle_timeout);
}

}  // namespace sworn::http
