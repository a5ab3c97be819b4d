// One HTTP action on its way: preflight, repeat check, credential, connection, the durable
// DISPATCH_STARTED, the exchange, the judgement, the durable RESULT_COMMITTED, the delivery. Each
// step is one member function; http_run.cc holds the way to dispatch, http_receive.cc the way of
// the response, http_repeat.cc what a second request with the same token gets.
// Lives in the frame of Pipeline::handle, on one I/O thread.
#pragma once

#include <memory>
#include <optional>

#include "journal/ledger.h"
#include "proxy/contract/preflight.h"
#include "proxy/contract/settle.h"
#include "proxy/credentials/sealed_request.h"
#include "proxy/http/caller_side.h"
#include "proxy/http/exchange.h"
#include "proxy/pipeline/delivery.h"
#include "proxy/pipeline/pipeline.h"
#include "proxy/pipeline/respond.h"
#include "proxy/pipeline/result_sink.h"

namespace sworn::pipeline {

class HttpRun final : public http::CallerListener {
public:
    HttpRun(Pipeline& pipeline, contract::HttpAction action, http::Body body,
            http::CallerSide& side);
    ~HttpRun() override;
    HttpRun(const HttpRun&) = delete;

    /// Answers through the side in every case. Null unless a result was committed and handed over
    /// without an observed failure.
    io::Task<http::DeliveryWatchPtr> walk();

    void caller_changed(http::CallerState state) noexcept override;
    void interrupt() noexcept;

private:
    // The way to dispatch (http_run.cc).
    Status bind();
    void note_bound();
    io::Task<http::DeliveryWatchPtr> walk_bound();
    io::Task<http::DeliveryWatchPtr> walk_validated();
    io::Task<Status> obtain_credential();
    Status seal();
    io::Task<Status> connect();
    io::Task<http::DeliveryWatchPtr> dispatch();
    io::Task<bool> renew_connection();
    io::Task<void> leave_unused(contract::ExchangeEnd why);
    [[nodiscard]] connect::Origin origin() const;
    void note_attempts(const std::vector<connect::Attempt>& attempts);
    void note_ready();
    [[nodiscard]] Status check_before_dispatch() const;

    // Stops (http_stop.cc).
    io::Task<void> refuse(Error error, std::optional<InvocationId> unresolved = {});
    io::Task<void> refuse_unrecorded(Error error);
    io::Task<void> refused_append(journal::AppendOutcome outcome);
    io::Task<void> answer_interrupted();
    io::Task<void> answer_unsettled();
    io::Task<void> break_off(contract::Judgement judgement);

    // What a repeat gets (http_repeat.cc).
    [[nodiscard]] bool names_a_first() const;
    [[nodiscard]] Error key_is_taken() const;
    io::Task<bool> bind_token();
    void begin_record();  // http_stop.cc
    void drop_record();   // http_stop.cc
    io::Task<std::optional<journal::StoredRecord>> find_first();
    io::Task<std::optional<journal::StoredRecord>> read_earlier(InvocationId id);
    [[nodiscard]] bool end_binding(const journal::Record& first);
    [[nodiscard]] bool same_binding(const journal::Record& first) const;
    [[nodiscard]] bool binding_unchanged(const journal::Record& first) const;
    /// True: answered. False: go on (a new generation of `ledger_`, or a new invocation).
    io::Task<bool> answer_repeat(journal::StoredRecord first);
    io::Task<void> give_recorded(const journal::StoredRecord& stored);
    Status continue_record(journal::Record record, std::string forced_by, std::string reason);
    io::Task<Status> force_repeat();

    // The response (http_receive.cc).
    io::Task<http::DeliveryWatchPtr> exchange(journal::DispatchTicket ticket);
    [[nodiscard]] contract::Judgement judge();
    void mask(http::ResponseHead& head);
    io::Task<bool> read_final_head();
    enum class Hold : std::uint8_t { whole, patient, no };
    [[nodiscard]] Hold hold_for() const;
    io::Task<http::Exchange::Part> next_part(Hold hold, SteadyTime until);
    io::Task<http::DeliveryWatchPtr> receive();
    io::Task<http::DeliveryWatchPtr> stream();
    io::Task<void> pass_on(std::string bytes);
    io::Task<http::DeliveryWatchPtr> commit_held();
    io::Task<http::DeliveryWatchPtr> commit_streamed();
    io::Task<std::optional<journal::CommitTicket>> commit(const contract::Judgement& judgement);
    io::Task<void> store_failed(const contract::Judgement& judgement);    // http_spool.cc
    io::Task<bool> deliver_spooled(const journal::CommitTicket& ticket);  // http_spool.cc
    void stage_completion(const contract::Judgement& judgement, bool stored);
    http::DeliveryWatchPtr after_delivery(bool handed_over);
    void prepare_head();
    void add_early_stop_signs();

    void note_cancelled();
    [[nodiscard]] bool closes_on_cancel() const;
    void append_buffered();
    io::Task<journal::AppendOutcome> append_and_wait(journal::Durability durability);
    [[nodiscard]] ErrorForm error_form() const;
    void ended();

    Pipeline& pipeline_;
    Services& services_;
    RuntimePtr runtime_;
    Voice voice_;
    contract::HttpAction action_;
    http::Body body_;
    http::CallerSide& side_;
    SteadyTime started_;
    Status open_;  ///< Whether this action was let in; asked before it counts itself.
    std::optional<contract::Bound> bound_;
    std::optional<journal::Ledger> ledger_;
    std::optional<credentials::Obtained> obtained_;
    std::optional<credentials::SealedRequest> sealed_;
    std::shared_ptr<connect::Dialer> dialer_;
    connect::ConnectionPtr connection_;
    std::uint32_t attempt_ = 0;
    std::optional<http::Exchange> exchange_;
    std::optional<ResultSink> sink_;
    http::ResponseHead remote_head_, passed_head_;
    http::DeliveryWatchPtr repeat_watch_;  ///< Of a replay: confirms the first one's result.
    ProxyError proxy_error_ = ProxyError::none;
    bool appending_ = false;  ///< An append of ours is being waited for.
    bool gone_noted_ = false;
    bool begun_ = false;  ///< There is a record, or a new generation of one.
    bool interrupted_ = false;
};

}  // namespace sworn::pipeline
