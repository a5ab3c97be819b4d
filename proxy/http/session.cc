#include "proxy/http/session.h"

#include <array>

#include "proxy/http/request_action.h"

namespace sworn::http {

namespace {

constexpr std::string_view what_this_is =
    "This is sworn, an egress proxy that adds credentials to requests and keeps a record of what\n"
    "became of each. Set it as http_proxy and https_proxy; it serves no pages of its own.\n";

std::uint64_t announced_bytes(BodyFraming framing) {
    return framing.kind == BodyFraming::Kind::length ? framing.length : 0;
}

}  // namespace

Session::Session(io::Stream& stream, io::ThreadContext& thread, ActionHandler& handler,
                 const FrontSettingsSource& source, io::WorkerPool& workers)
    : stream_{stream},
      thread_{thread},
      handler_{handler},
      source_{source},
      settings_{source.settings()},
      reader_{stream, thread, workers, source},
      watch_{stream, thread} {}

io::Task<void> Session::run() {
    for (;;) {
        const auto end = co_await reader_.await_request(settings_->timeouts.client_idle);
        if (end != io::IoEnd::ok) {
            co_await leave(end);
            co_return;
        }
        delivery_.next_request(stream_.unacknowledged());
        settings_ = source_.settings();
        const auto next = co_await serve_one();
        if (next == Next::close) {
            co_await linger();
            co_return;
        }
    }
}

io::Task<Session::Next> Session::serve_one() {
    now_ = Now{};
    auto head = co_await reader_.read_head(*settings_);
    if (!head) {
        const auto refused = co_await refuse(head.error());
        co_return refused;
    }
    begin_request(*head);
    const auto next = co_await serve(*head);
    co_return next;
}

void Session::begin_request(const RequestHead& head) {
    now_.method = head.method;
    now_.target = head.target;
    now_.minor_version = head.minor_version;
    now_.plain_text = wants_plain_text(head.fields);
    now_.close = !head.keep_alive || source_.draining();
}

io::Task<Session::Next> Session::serve(const RequestHead& head) {
    if (asks_what_this_is(head)) {
        const auto said = co_await say_what_this_is();
        co_return said;
    }
    const auto credentials = caller_credentials(head.fields);
    if (!credentials) {
        const auto refused = co_await refuse(credentials.error());
        co_return refused;
    }
    auto caller = handler_.identify(*credentials);
    if (!caller) {
        const auto refused = co_await refuse(caller.error());
        co_return refused;
    }
    now_.caller = *caller;
    auto action = make_action(head, now_.caller);
    Status admitted = Done{};
    if (!action) {
        admitted = action.error();
    } else if (announced_bytes(head.framing) > settings_->limits.max_body) {
        admitted =
            Error{Code::payload_limit, "The body is larger than this broker takes.", "body", 0};
    } else {
        admitted = handler_.admit(*action, announced_bytes(head.framing));
    }
    if (!admitted) {
        const auto refused = co_await refuse(admitted.error());
        co_return refused;
    }
    const auto next = co_await serve_action(head, *std::move(action));
    co_return next;
}

io::Task<Session::Next> Session::serve_action(const RequestHead& head,
                                              contract::HttpAction action) {
    Body body{settings_->spool_directory};
    Status whole = Done{};
    if (co_await ask_for_body(head)) {
        whole = co_await reader_.read_body(head.framing, body, *settings_);
    }
    if (!whole) {
        const auto refused = co_await refuse(whole.error());
        co_return refused;
    }
    action.body_digest = body.digest();
    action.body_size = body.size();
    const auto next = co_await run_action(std::move(action), std::move(body));
    co_return next;
}

/// False: there is no body. Answers an Expect before, unless the body comes already.
io::Task<bool> Session::ask_for_body(const RequestHead& head) {
    if (BodyDecoder{head.framing}.state() == BodyDecoder::State::complete) co_return false;
    if (head.expects_continue && !reader_.buffered()) {
        constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
        const std::array pieces{io::asio::const_buffer{go_on.data(), go_on.size()}};
        static_cast<void>(co_await write(pieces));
    }
    co_return true;
}

io::Task<Session::Next> Session::run_action(contract::HttpAction action, Body body) {
    watch_.start();
    auto watch = co_await handler_.handle(std::move(action), std::move(body), *this);
    watch_.listen(nullptr);
    co_await watch_.stop();
    if (watch && !now_.ended && !only_last_chunk_missing()) {
        watch->failed(write_broke_ ? "write_failed" : "not_written");
        watch.reset();
    }
    delivery_.add(std::move(watch), now_.after_body);
    // A message that was not ended must not look like one that was.
    if (!now_.ended) cut();
    const bool goes_on = now_.ended && !now_.close && watch_.state() != CallerState::gone;
    co_return goes_on ? Next::request : Next::close;
}

io::Task<Session::Next> Session::refuse(Error error) {
    now_.close = true;
    Refused refused{error, now_.caller, now_.method, now_.target, now_.plain_text};
    co_await handler_.refuse(std::move(refused), *this);
    if (!now_.ended) cut();
    co_return Next::close;
}

io::Task<Session::Next> Session::say_what_this_is() {
    Answer page;
    page.head.status = 200;
    page.head.reason = "OK";
    page.head.fields.emplace_back("Content-Type", "text/plain; charset=utf-8");
    page.head.fields.emplace_back("Cache-Control", "no-store");
    page.body = what_this_is;
    const bool written = co_await answer(std::move(page));
    co_return written && !now_.close ? Next::request : Next::close;
}

}  // namespace sworn::http
