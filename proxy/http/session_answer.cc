// The CallerSide of a session. The last byte of an answer leaves only through write_last(), which
// notes what the caller had said by then; a committed result gets there only with its ticket.
#include <array>

#include "proxy/http/response_writer.h"
#include "proxy/http/session.h"

namespace sworn::http {

namespace {

using io::asio::const_buffer;

const_buffer buffer_of(std::string_view bytes) {
    return {bytes.data(), bytes.size()};
}

}  // namespace

bool Session::writable() const noexcept {
    return !cut_ && !write_broke_ && watch_.state() != CallerState::gone && stream_.is_open();
}

io::Task<bool> Session::write(std::span<const const_buffer> pieces) {
    if (!writable()) co_return false;
    const auto written = co_await stream_.write(pieces, settings_->timeouts.client_idle);
    delivery_.sent(written.bytes);
    if (written.ok()) co_return true;
    write_broke_ = true;
    watch_.change(CallerState::gone);
    co_return false;
}

io::Task<bool> Session::write_last(std::span<const const_buffer> pieces) {
    delivery_.about_to_end(what_caller_said());
    now_.ended = co_await write(pieces);
    co_return now_.ended;
}

Delivery::CallerSaid Session::what_caller_said() noexcept {
    const auto look = stream_.look();
    if (look == io::Stream::Look::reset) watch_.change(CallerState::gone);
    if (look == io::Stream::Look::eof) watch_.change(CallerState::half_closed);
    if (watch_.state() != CallerState::present) return Delivery::CallerSaid::end;
    if (reader_.saw_end()) return Delivery::CallerSaid::end;
    const bool more = reader_.buffered() || look == io::Stream::Look::bytes;
    return more ? Delivery::CallerSaid::more : Delivery::CallerSaid::nothing;
}

io::Task<bool> Session::inform(int status, Fields fields) {
    SWORN_ASSERT(status >= 100);
    SWORN_ASSERT(status < 200);
    // 100 is ours to say, to who asked for it; a switch of protocols is nothing to pass on.
    const bool not_passed_on = status == 100 || status == 101;
    if (http10() || now_.begun || not_passed_on) co_return writable();
    const auto head = encode_informational(status, fields);
    const std::array pieces{buffer_of(head)};
    const bool written = co_await write(pieces);
    co_return written;
}

io::Task<bool> Session::answer(Answer answer) {
    const bool written = co_await write_whole(std::move(answer));
    co_return written;
}

io::Task<bool> Session::deliver(Answer answer, const journal::CommitTicket& ticket) {
    SWORN_ASSERT(ticket.live());
    const bool written = co_await write_whole(std::move(answer));
    co_return written;
}

io::Task<bool> Session::write_whole(Answer answer) {
    SWORN_ASSERT(!now_.begun);
    now_.begun = true;
    now_.close = now_.close || answer.close || source_.draining();
    const BodyFraming framing{BodyFraming::Kind::length, answer.body.size()};
    const AnswerTo to{now_.method, now_.minor_version, now_.close};
    const auto head = encode_response_head(answer.head, framing, to);
    const bool bodyless = never_has_body(now_.method, answer.head.status);
    const std::array pieces{buffer_of(head),
                            buffer_of(bodyless ? std::string_view{} : answer.body)};
    const bool written = co_await write_last(pieces);
    co_return written;
}

io::Task<bool> Session::begin(ResponseHead head, BodyFraming framing) {
    SWORN_ASSERT(!now_.begun);
    now_.begun = true;
    now_.close = now_.close || source_.draining();
    now_.bodyless = never_has_body(now_.method, head.status);
    now_.framing = framing;
    if (framing.kind == BodyFraming::Kind::until_close) {
        now_.framing.kind = BodyFraming::Kind::chunked;
    }
    if (now_.framing.kind == BodyFraming::Kind::chunked && http10() && !now_.bodyless) {
        // Without chunks only the close would end it, and a cut one would look complete.
        cut();
        co_return false;
    }
    const AnswerTo to{now_.method, now_.minor_version, now_.close};
    const auto text = encode_response_head(head, now_.framing, to);
    const bool no_bytes = now_.framing.kind == BodyFraming::Kind::none ||
                          (now_.framing.kind == BodyFraming::Kind::length && framing.length == 0);
    if (now_.bodyless || no_bytes) {
        // The head is the whole message, so it is the head that waits for the commit.
        now_.held = text;
        co_return writable();
    }
    if (now_.framing.kind == BodyFraming::Kind::chunked) now_.held = "0\r\n\r\n";
    const std::array pieces{buffer_of(text)};
    const bool written = co_await write_part(pieces);
    co_return written;
}

io::Task<bool> Session::write_part(std::span<const const_buffer> pieces) {
    const bool written = co_await write(pieces);
    now_.body_lost = now_.body_lost || !written;
    co_return written;
}

/// Then the caller has the whole result, if its kernel acknowledged it.
bool Session::only_last_chunk_missing() const noexcept {
    return now_.begun && !now_.body_lost && !cut_ && !now_.bodyless &&
           now_.framing.kind == BodyFraming::Kind::chunked && now_.finishing;
}

io::Task<bool> Session::part(std::string_view bytes) {
    SWORN_ASSERT(now_.begun);
    SWORN_ASSERT(!now_.ended);
    if (bytes.empty() || now_.bodyless) co_return writable();
    now_.body_bytes += bytes.size();
    if (now_.framing.kind == BodyFraming::Kind::chunked) {
        const auto size = encode_chunk_size(bytes.size());
        const std::array pieces{buffer_of(size), buffer_of(bytes), buffer_of("\r\n")};
        const bool written = co_await write_part(pieces);
        co_return written;
    }
    SWORN_ASSERT(now_.body_bytes <= now_.framing.length);
    if (now_.body_bytes == now_.framing.length) {
        now_.held.assign(1, bytes.back());
        bytes.remove_suffix(1);
        if (bytes.empty()) co_return writable();
    }
    const std::array pieces{buffer_of(bytes)};
    const bool written = co_await write_part(pieces);
    co_return written;
}

io::Task<bool> Session::finish(const journal::CommitTicket& ticket) {
    SWORN_ASSERT(ticket.live());
    SWORN_ASSERT(now_.begun);
    SWORN_ASSERT(!now_.ended);
    const bool short_of_length = now_.framing.kind == BodyFraming::Kind::length && !now_.bodyless &&
                                 now_.body_bytes < now_.framing.length;
    if (short_of_length) {
        cut();
        co_return false;
    }
    now_.finishing = true;
    const std::array pieces{buffer_of(now_.held)};
    const bool written = co_await write_last(pieces);
    const bool last_chunk = now_.framing.kind == BodyFraming::Kind::chunked && !now_.bodyless;
    if (written && last_chunk) now_.after_body = now_.held.size();
    co_return written;
}

void Session::cut() noexcept {
    if (cut_) return;
    cut_ = true;
    now_.close = true;
    // What earlier answers still have under way is lost with the reset.
    delivery_.over(stream_.unacknowledged(), 0);
    stream_.reset();
}

}  // namespace sworn::http
