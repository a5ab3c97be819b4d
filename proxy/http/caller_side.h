// The seam between the front and the pipeline. The front parses a caller's request and offers
// itself as a CallerSide; the pipeline answers through it. The front knows nothing of routes,
// records or outcomes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/result.h"
#include "journal/ticket.h"
#include "proxy/contract/action.h"
#include "proxy/http/body.h"
#include "proxy/http/message.h"
#include "proxy/io/task.h"
#include "proxy/io/thread_context.h"

namespace sworn::http {

/// What the caller did while its answer was being made.
enum class CallerState : std::uint8_t { present, half_closed, gone };

/// Told at each change for the worse (a half-closed caller may still go). Called on the session's
/// thread. What changed before listen() is in state().
class CallerListener {
public:
    virtual ~CallerListener() = default;
    virtual void caller_changed(CallerState state) noexcept = 0;
};

/// How the answer of a handler's own (an envelope, a replay) or a passed-on head is written.
struct Answer {
    ResponseHead head;  ///< status, reason, fields; framing fields are the front's.
    std::string body;
    bool close = false;  ///< Close the connection afterwards (lingering).
};

/// One waiting caller. Writes return false once the caller cannot be reached any more; the
/// pipeline may go on calling: it becomes a no-op.
class CallerSide {
public:
    virtual ~CallerSide() = default;

    [[nodiscard]] virtual CallerState state() const noexcept = 0;
    /// At most one listener; null removes it.
    virtual void listen(CallerListener* listener) noexcept = 0;

    /// An origin's 1xx. Left out: 100 (the front answers Expect), 101, and any to HTTP/1.0 callers.
    virtual io::Task<bool> inform(int status, Fields fields) = 0;
    /// A complete answer of Sworn's own making (an envelope, a replay, a control reply).
    virtual io::Task<bool> answer(Answer answer) = 0;
    /// A complete remote response, held whole until the commit.
    virtual io::Task<bool> deliver(Answer answer, const journal::CommitTicket& ticket) = 0;

    /// Streaming: head now, parts as they come, the end only against the ticket. With
    /// `content_length` the last byte is the gate: parts hold back the final byte themselves.
    virtual io::Task<bool> begin(ResponseHead head, BodyFraming framing) = 0;
    virtual io::Task<bool> part(std::string_view bytes) = 0;
    virtual io::Task<bool> finish(const journal::CommitTicket& ticket) = 0;
    /// Breaks the message off so that no caller can take it for complete (RST).
    virtual void cut() noexcept = 0;

    [[nodiscard]] virtual bool http10() const noexcept = 0;
    /// Something of a final response went to the caller already.
    [[nodiscard]] virtual bool begun() const noexcept = 0;
    [[nodiscard]] virtual io::ThreadContext& thread() noexcept = 0;
};

/// A committed result whose hand-over is not confirmed yet. The session calls at most one of the
/// two; dropping it means: neither confirmed nor seen to fail.
class DeliveryWatch {
public:
    virtual ~DeliveryWatch() = default;
    virtual void delivered(std::string_view how) noexcept = 0;
    virtual void failed(std::string_view how) noexcept = 0;
};
using DeliveryWatchPtr = std::unique_ptr<DeliveryWatch>;

/// What the front knows when it cannot make an action of the bytes.
struct Refused {
    Error error;
    std::string caller;
    std::string method, target;  ///< As far as parsed; escaped by whoever shows them.
    bool plain_text = false;     ///< User-Agent: git/…
};

/// The pipeline, as the front sees it.
class ActionHandler {
public:
    virtual ~ActionHandler() = default;
    /// Walks the action to its end and answers through `side`. The body is whole.
    virtual io::Task<DeliveryWatchPtr> handle(contract::HttpAction action, Body body,
                                              CallerSide& side) = 0;
    /// Journals and answers what could not become an action.
    virtual io::Task<void> refuse(Refused refused, CallerSide& side) = 0;
    /// Before the body is read (and before 100 Continue): would this action be refused anyway?
    virtual Status admit(const contract::HttpAction& action, std::uint64_t announced_body) = 0;
    /// Who a Proxy-Authorization field speaks for; empty field: nobody said. Error:
    /// caller_not_authorized (407 when nothing came).
    virtual Result<std::string> identify(std::string_view proxy_authorization) = 0;
};

}  // namespace sworn::http
