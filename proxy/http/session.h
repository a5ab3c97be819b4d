// One caller's connection, from accept to close. Requests are taken strictly one after the other;
// session.cc walks them, session_answer.cc writes answers (the CallerSide), session_close.cc ends
// the connection so that a caller can read its last answer.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "proxy/http/caller_side.h"
#include "proxy/http/caller_watch.h"
#include "proxy/http/delivery.h"
#include "proxy/http/front.h"
#include "proxy/http/request_reader.h"

namespace sworn::http {

class Session final : public CallerSide {
public:
    Session(io::Stream& stream, io::ThreadContext& thread, ActionHandler& handler,
            const FrontSettingsSource& source, io::WorkerPool& workers);

    io::Task<void> run();

    // CallerSide
    [[nodiscard]] CallerState state() const noexcept override { return watch_.state(); }
    void listen(CallerListener* listener) noexcept override { watch_.listen(listener); }
    io::Task<bool> inform(int status, Fields fields) override;
    io::Task<bool> answer(Answer answer) override;
    io::Task<bool> deliver(Answer answer, const journal::CommitTicket& ticket) override;
    io::Task<bool> begin(ResponseHead head, BodyFraming framing) override;
    io::Task<bool> part(std::string_view bytes) override;
    io::Task<bool> finish(const journal::CommitTicket& ticket) override;
    void cut() noexcept override;
    [[nodiscard]] bool http10() const noexcept override { return now_.minor_version == 0; }
    [[nodiscard]] bool begun() const noexcept override { return now_.begun; }
    [[nodiscard]] io::ThreadContext& thread() noexcept override { return thread_; }

private:
    enum class Next : std::uint8_t { request, close };

    /// The request being answered.
    struct Now {
        std::string method, target, caller;
        int minor_version = 1;
        bool plain_text = false;
        bool close = false;      ///< This answer is the connection's last.
        bool begun = false;      ///< Something of a final response went out, or was tried.
        bool finishing = false;  ///< The commit ticket came; only what was held is left.
        bool ended = false;      ///< Its last byte was taken by the transport.
        bool bodyless = false;
        bool body_lost = false;      ///< A part of the body could not be written.
        std::size_t after_body = 0;  ///< Octets of a last chunk that were written.
        BodyFraming framing;
        std::uint64_t body_bytes = 0;  ///< Written or held.
        std::string held;              ///< What waits for the commit.
    };

    // session.cc
    io::Task<Next> serve_one();
    io::Task<Next> serve(const RequestHead& head);
    io::Task<Next> serve_action(const RequestHead& head, contract::HttpAction action);
    io::Task<Next> run_action(contract::HttpAction action, Body body);
    io::Task<Next> refuse(Error error);
    io::Task<Next> say_what_this_is();
    void begin_request(const RequestHead& head);
    io::Task<bool> ask_for_body(const RequestHead& head);

    // session_answer.cc
    io::Task<bool> write(std::span<const io::asio::const_buffer> pieces);
    io::Task<bool> write_last(std::span<const io::asio::const_buffer> pieces);
    io::Task<bool> write_whole(Answer answer);
    io::Task<bool> write_part(std::span<const io::asio::const_buffer> pieces);
    [[nodiscard]] bool only_last_chunk_missing() const noexcept;
    [[nodiscard]] Delivery::CallerSaid what_caller_said() noexcept;
    [[nodiscard]] bool writable() const noexcept;

    // session_close.cc
    io::Task<void> leave(io::IoEnd end);
    io::Task<void> linger();
    io::Task<void> drain();
    io::Task<void> await_acknowledgement(int own_end);

    io::Stream& stream_;
    io::ThreadContext& thread_;
    ActionHandler& handler_;
    const FrontSettingsSource& source_;
    std::shared_ptr<const FrontSettings> settings_;
    RequestReader reader_;
    CallerWatch watch_;
    Delivery delivery_;
    Now now_;
    bool cut_ = false, write_broke_ = false;
};

}  // namespace sworn::http
