#include "proxy/http/exchange.h"

#include <algorithm>

#include "proxy/http/exchange_impl.h"

namespace sworn::http {

namespace {

using contract::ExchangeEnd;
using Kind = Exchange::Part::Kind;

Framing framing_of(BodyFraming framing) {
    switch (framing.kind) {
        case BodyFraming::Kind::none:
            return Framing::no_body;
        case BodyFraming::Kind::length:
            return Framing::content_length;
        case BodyFraming::Kind::chunked:
            return Framing::chunked;
        case BodyFraming::Kind::until_close:
            return Framing::close_delimited;
    }
    SWORN_ASSERT(false);
}

std::string combined(const Fields& fields, std::string_view name) {
    std::string value;
    for (const auto& [field, text] : fields) {
        if (!contract::equals_ignoring_case(field, name)) continue;
        if (!value.empty()) value += ", ";
        value += text;
    }
    return value;
}

std::string first_value(const Fields& fields, std::string_view name) {
    return std::string{contract::find_field(fields, name).value_or(std::string_view{})};
}

}  // namespace

Exchange::Impl::Impl(connect::ConnectionPtr connection, std::string request_method,
                     const config::Timeouts& own_timeouts, const config::Limits& own_limits,
                     io::ThreadContext& own_thread, io::WorkerPool& own_workers)
    : outgoing{std::make_shared<Outgoing>()},
      method{std::move(request_method)},
      timeouts{own_timeouts},
      limits{own_limits},
      thread{own_thread},
      workers{own_workers},
      buffer{std::move(connection->read_ahead)},
      header_deadline{thread, *this},
      idle_deadline{thread, *this},
      total_deadline{thread, *this},
      patience_deadline{thread, *this} {
    outgoing->connection = std::move(connection);
    outgoing->listener = this;
    total_left = timeouts.total;
}

Exchange::Impl::~Impl() {
    outgoing->listener = nullptr;
    outgoing->stop = true;
    // A writer that is still at it keeps the closed stream until its write has returned.
    if (outgoing->connection) stream().close();
}

Exchange::Exchange(connect::ConnectionPtr connection, std::string method,
                   const config::Timeouts& timeouts, const config::Limits& limits,
                   io::ThreadContext& thread, io::WorkerPool& workers)
    : impl_{std::make_unique<Impl>(std::move(connection), std::move(method), timeouts, limits,
                                   thread, workers)} {}
Exchange::~Exchange() = default;

io::Task<Exchange::Head> Exchange::read_head() {
    return impl_->read_head();
}

io::Task<Exchange::Head> Exchange::Impl::read_head() {
    SWORN_ASSERT(sent);
    SWORN_ASSERT(!decoder);
    if (!header_armed && !writing() && !ended) header_deadline.arm(timeouts.response_header);
    header_armed = true;
    while (!ended) {
        const auto end = head_end.find(buffer.view());
        if (head_bytes + end.value_or(buffer.size()) > limits.max_header) {
            broken(ExchangeEnd::malformed_head, "the header section is too large");
        } else if (end) {
            co_return take_head(*end);
        } else {
            co_await fill();
        }
    }
    co_return Head{};
}

Exchange::Head Exchange::Impl::take_head(std::size_t bytes) {
    auto parsed = parse_response_head(buffer.view().substr(0, bytes), method);
    buffer.consume(bytes);
    head_bytes += bytes;
    head_end = HeadEnd{};
    Head result;
    if (!parsed) {
        broken(ExchangeEnd::malformed_head, "the header section breaks the grammar");
        return result;
    }
    if (parsed->status >= 200) {
        note_head(*parsed);
        result.kind = Head::Kind::final;
    } else if (parsed->status == 101) {
        broken(ExchangeEnd::malformed_head, "a switch of protocols that nobody asked for");
        return result;
    } else if (++informational > informational_max) {
        broken(ExchangeEnd::malformed_head, "too many informational responses");
        return result;
    } else {
        result.kind = Head::Kind::informational;
    }
    result.head = std::move(*parsed);
    return result;
}

void Exchange::Impl::note_head(const ResponseHead& head) {
    header_deadline.disarm();
    seen.head_parsed = true;
    seen.markers.response_headers_received = true;
    seen.status = head.status;
    seen.framing = framing_of(head.framing);
    seen.retry_after = first_value(head.fields, "Retry-After");
    seen.location = first_value(head.fields, "Location");
    const auto hops = combined(head.fields, "Proxy-Status");
    if (!hops.empty()) seen.proxy_status = parse_proxy_status(hops);
    keep_alive = head.keep_alive;
    decoder.emplace(head.framing);
    // An origin that refuses, or will close, does not read on.
    if (head.status >= 300 || !head.keep_alive) outgoing->stop = true;
}

std::optional<Exchange::Part> Exchange::Impl::take_buffered() {
    SWORN_ASSERT(decoder || ended);
    Part part;
    while (!ended) {
        buffer.consume(std::exchange(shown, 0));
        if (decoder->state() == BodyDecoder::State::complete) {
            complete();
            break;
        }
        if (buffer.empty()) return std::nullopt;
        const auto step = decoder->next(buffer.view());
        if (step.state == BodyDecoder::State::malformed) {
            broken(ExchangeEnd::malformed_body, "the chunk framing breaks the grammar");
            break;
        }
        shown = step.consumed;
        if (step.data.empty()) continue;
        seen.body_bytes += step.data.size();
        part.kind = Kind::data;
        part.data = step.data;
        return part;
    }
    part.kind = seen.end == ExchangeEnd::complete ? Kind::complete : Kind::broken;
    return part;
}

io::Task<Exchange::Part> Exchange::read_body() {
    for (;;) {
        auto part = impl_->take_buffered();
        if (part) co_return *part;
        co_await impl_->fill();
    }
}

/// A stream cannot give up a read that has begun, so this waits for bytes first. On TLS the wait
/// ends with the first bytes of a record, the read with its last.
io::Task<Exchange::Part> Exchange::read_body_for(std::chrono::milliseconds patience) {
    auto& impl = *impl_;
    impl.patience_over = false;
    impl.patience_deadline.arm(patience);
    std::optional<Part> part;
    for (;;) {
        part = impl.take_buffered();
        if (part) break;
        if (impl.patience_over) {
            part.emplace();
            part->kind = Kind::data;
            break;
        }
        const bool readable = co_await impl.wait_for_bytes();
        if (readable) co_await impl.fill();
    }
    impl.patience_deadline.disarm();
    co_return *part;
}

io::Task<bool> Exchange::Impl::wait_for_bytes() {
    const auto readable = co_await stream().wait_readable();
    if (stopped && !ended) broken(*stopped, "stopped by the broker");
    co_return !ended && readable.end != io::IoEnd::cancelled;
}

void Exchange::Impl::patience_passed() noexcept {
    patience_over = true;
    stream().cancel_wait();
}

io::Task<bool> Exchange::Impl::fill() {
    if (!stopped) {
        if (decoder && !writing()) idle_deadline.arm(timeouts.response_idle);
        const auto room = buffer.prepare();
        const auto got = co_await stream().read_some(room, std::chrono::milliseconds{0});
        idle_deadline.disarm();
        if (!stopped && got.ok()) {
            buffer.commit(got.bytes);
            co_return true;
        }
        if (!stopped) {
            stream_ended(got.end);
            co_return false;
        }
    }
    broken(*stopped, "stopped by the broker");
    co_return false;
}

void Exchange::Impl::stream_ended(io::IoEnd end) noexcept {
    const auto after_failed_write = [this](ExchangeEnd otherwise) {
        return write_broke ? ExchangeEnd::write_failed : otherwise;
    };
    switch (end) {
        case io::IoEnd::eof:
            if (decoder && decoder->at_end() == BodyDecoder::State::complete) return complete();
            return broken(after_failed_write(ExchangeEnd::closed), "closed before the end");
        case io::IoEnd::truncated:
            return broken(after_failed_write(ExchangeEnd::closed),
                          "closed before the end, without close_notify");
        case io::IoEnd::tls_failure:
            return broken(ExchangeEnd::tls_error, "the TLS session failed");
        case io::IoEnd::timed_out:
            return broken(ExchangeEnd::idle_timeout, "nothing came in time");
        case io::IoEnd::cancelled:
            return broken(ExchangeEnd::interrupted, "the read was cancelled");
        case io::IoEnd::ok:
        case io::IoEnd::reset:
        case io::IoEnd::failed:
            return broken(after_failed_write(ExchangeEnd::reset), "reset before the end");
    }
}

void Exchange::Impl::complete() noexcept {
    ended = true;
    seen.end = ExchangeEnd::complete;
    seen.markers.response_complete = true;
    outgoing->stop = true;
    if (writing()) seen.markers.request_body_sent = false;
    header_deadline.disarm();
    idle_deadline.disarm();
    total_deadline.disarm();
}

void Exchange::Impl::broken(ExchangeEnd end, std::string_view why) noexcept {
    if (ended) return;
    ended = true;
    seen.end = end;
    diagnostic = why;
    seen.markers.response_complete = false;
    if (!seen.markers.response_headers_received) seen.markers.response_headers_received = false;
    outgoing->stop = true;
    if (writing()) seen.markers.request_body_sent = false;
    header_deadline.disarm();
    idle_deadline.disarm();
    total_deadline.disarm();
}

void Exchange::Impl::stop(ExchangeEnd end) noexcept {
    if (ended || stopped) return;
    stopped = end;
    outgoing->stop = true;
    stream().cancel();
}

const contract::Observations& Exchange::observations() const noexcept {
    return impl_->seen;
}
std::string_view Exchange::diagnostic() const noexcept {
    return impl_->diagnostic;
}
void Exchange::stop(ExchangeEnd end) noexcept {
    impl_->stop(end);
}

void Exchange::streaming() noexcept {
    const auto left = impl_->total_due - std::chrono::steady_clock::now();
    impl_->total_left = std::max(std::chrono::milliseconds{0},
                                 std::chrono::duration_cast<std::chrono::milliseconds>(left));
    impl_->total_deadline.disarm();
    impl_->total_paused = true;
}

void Exchange::count_total_again() noexcept {
    if (impl_->ended || !impl_->total_paused) return;
    impl_->total_paused = false;
    impl_->total_deadline.arm(impl_->total_left);
}

connect::ConnectionPtr Exchange::finish() {
    auto& impl = *impl_;
    // A byte behind the response belongs to nothing that was asked for.
    const bool reusable = impl.ended && impl.seen.end == ExchangeEnd::complete && impl.keep_alive &&
                          impl.buffer.empty() && !impl.writing() && !impl.write_broke &&
                          impl.outgoing->whole() && !impl.stopped;
    if (!reusable) {
        impl.stream().close();
        return nullptr;
    }
    impl.outgoing->connection->read_ahead = impl.buffer.release();
    return std::move(impl.outgoing->connection);
}

const connect::Connection& Exchange::connection() const noexcept {
    SWORN_ASSERT(impl_->outgoing->connection != nullptr);
    return *impl_->outgoing->connection;
}

}  // namespace sworn::http
