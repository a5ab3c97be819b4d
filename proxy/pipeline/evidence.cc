#include "proxy/pipeline/evidence.h"

#include <boost/json/array.hpp>

#include <algorithm>
#include <utility>

#include "journal/verdict.h"

namespace sworn::pipeline {

namespace json = boost::json;
using journal::Delivery;
using journal::Generation;
using journal::Record;
using journal::Step;

namespace {

json::value nullable(const std::optional<bool>& marker) {
    return marker ? json::value(*marker) : json::value(nullptr);
}

template <class E>
json::value word(const std::optional<E>& value) {
    return value ? json::value(to_string(*value)) : json::value(nullptr);
}

std::string_view word_of(Delivery delivery) {
    switch (delivery) {
        case Delivery::none:
            return "none";
        case Delivery::delivered:
            return "delivered";
        case Delivery::failed:
            return "failed";
        case Delivery::unconfirmed:
            return "unconfirmed";
    }
    SWORN_UNREACHABLE();
}

json::object connection_json(const journal::ConnectionReady& ready) {
    json::object peer{
        {"name", ready.peer_name.empty() ? json::value(nullptr) : json::value(ready.peer_name)},
        {"sha256",
         ready.peer_sha256.empty() ? json::value(nullptr) : json::value(ready.peer_sha256)},
        {"verified", ready.peer_verified}};
    return {{"id", ready.connection},
            {"reused", ready.reused},
            {"address", ready.address},
            {"peer", std::move(peer)}};
}

json::array attempts_json(const Record& record) {
    json::array all;
    for (const auto& attempt : record.attempts) {
        json::object one{{"n", attempt.n},
                         {"generation", attempt.generation},
                         {"stage", to_string(attempt.stage)},
                         {"outcome", to_string(attempt.outcome)}};
        if (attempt.code) one["code"] = to_string(*attempt.code);
        if (!attempt.address.empty()) one["address"] = attempt.address;
        all.push_back(std::move(one));
    }
    return all;
}

json::array generations_json(const Record& record) {
    json::array all;
    for (const auto& generation : record.generations) {
        json::object one{{"generation", generation.number},
                         {"phase", to_string(generation.phase)},
                         {"outcome", to_string(generation.outcome)},
                         {"code", word(generation.code)}};
        if (generation.status) one["received_status"] = *generation.status;
        all.push_back(std::move(one));
    }
    return all;
}

void add_markers(json::object& evidence, const Generation& generation) {
    const auto& markers = generation.markers;
    evidence["request_headers_sent"] = nullable(markers.request_headers_sent);
    evidence["request_body_sent"] = nullable(markers.request_body_sent);
    std::optional<bool> whole;
    if (markers.request_headers_sent && markers.request_body_sent) {
        whole = *markers.request_headers_sent && *markers.request_body_sent;
    }
    evidence["request_complete"] = nullable(whole);
    evidence["response_headers_received"] = nullable(markers.response_headers_received);
    evidence["response_complete"] = nullable(markers.response_complete);
    if (markers.handed_over) evidence["handed_over"] = *markers.handed_over;
}

void add_result(json::object& evidence, const Generation& generation) {
    if (generation.response) {
        const auto& response = *generation.response;
        if (!response.remote_request_id.empty()) {
            evidence["remote_request_id"] = response.remote_request_id;
        }
        if (!response.retry_after.empty()) evidence["retry_after"] = response.retry_after;
        if (!response.location.empty()) evidence["location"] = response.location;
    }
    if (generation.status) evidence["received_status"] = *generation.status;
    if (generation.completion) {
        const auto& complete = *generation.completion;
        evidence["framing"] = to_string(complete.framing);
        evidence["received_digest"] = complete.received_digest.text();
        evidence["result_stored"] = complete.result_stored;
        if (complete.redactions > 0) evidence["redactions"] = complete.redactions;
        if (!complete.unscanned.empty()) evidence["unscanned_coding"] = complete.unscanned;
        if (!complete.hop.empty()) evidence["hop"] = complete.hop;
        if (complete.exit_status) evidence["exit_status"] = *complete.exit_status;
        if (!complete.exit_signal.empty()) evidence["exit_signal"] = complete.exit_signal;
    }
    if (generation.result) {
        const auto& result = *generation.result;
        evidence["response_digest"] = result.result_digest.text();
        evidence["result_bytes"] = result.bytes;
        evidence["result_retained"] = result.retained;
        if (!result.scope.empty()) evidence["scope"] = result.scope;
    }
}

void add_idempotency(json::object& evidence, const Record& record) {
    const auto& bound = *record.validated;
    if (bound.key.empty()) return;
    json::object key{{"key", bound.key},
                     {"scope", bound.key_scope},
                     {"fingerprint", bound.fingerprint.text()},
                     {"remote_contract", bound.remote_contract}};
    if (!record.generations.empty() && record.generations.front().dispatched_at) {
        const auto expires = *record.generations.front().dispatched_at + bound.key_lifetime;
        key["expires_at"] = format_rfc3339(expires);
    }
    evidence["idempotency"] = std::move(key);
}

void add_findings(json::object& evidence, const Record& record) {
    if (record.refused && record.refused->unresolved) {
        evidence["unresolved"] = record.refused->unresolved->text();
    }
    if (record.finding) evidence["finding"] = to_string(*record.finding);
    if (!record.conflicts.empty()) {
        json::array all;
        for (const auto& conflict : record.conflicts) {
            all.push_back(json::object{{"seq", conflict.seq}, {"what", conflict.what}});
        }
        evidence["conflicts"] = std::move(all);
    }
    if (record.delivery != Delivery::none) evidence["delivery"] = word_of(record.delivery);
    if (record.corrupt) evidence["corrupt"] = true;
}

/// A refusal says why in its own words, as long as it is what the record's state is about.
std::string_view message_of(const Record& record, Code code) {
    const bool own = record.refused && record.refused->code == code;
    return own ? std::string_view{record.refused->message} : sentence_for(code);
}

/// How far a connection came before a stop without dispatch.
json::array stages_completed(const journal::ConnectionReady& ready) {
    json::array stages{"name_resolution", "address_policy", "tcp_connect"};
    if (!ready.peer_name.empty()) stages.push_back("tls_handshake");
    return stages;
}

}  // namespace

json::object evidence_of(const Record& record, const journal::Projection& projection) {
    json::object evidence;
    const Generation* generation = journal::find_generation(record, projection.generation);
    const bool sent = generation != nullptr && was_dispatched(*generation);
    evidence["dispatch_started"] = sent;
    if (generation != nullptr && sent) {
        add_markers(evidence, *generation);
        evidence["dispatch_seq"] = generation->dispatch_seq;
        evidence["source"] = to_string(generation->completion ? Source::remote_response
                                                              : Source::transport_observed);
    }
    if (!record.attempts.empty()) evidence["attempt"] = record.attempts.back().n;
    evidence["generation"] = projection.generation;
    if (generation != nullptr && generation->connection) {
        evidence["connection"] = connection_json(*generation->connection);
        if (!sent) evidence["stages_completed"] = stages_completed(*generation->connection);
    }
    if (generation != nullptr) add_result(evidence, *generation);
    if (record.accepted) evidence["fingerprint"] = record.accepted->fingerprint.text();
    if (record.validated) {
        evidence["semantics"] = record.validated->semantics;
        evidence["repeatable"] = record.validated->repeatable;
        if (!record.validated->precondition.empty()) {
            evidence["precondition"] = record.validated->precondition;
        }
        if (!record.validated->replaced_headers.empty()) {
            json::array names;
            for (const auto& name : record.validated->replaced_headers) {
                names.push_back(json::value(name));
            }
            evidence["replaced_headers"] = std::move(names);
        }
        if (record.validated->fingerprint_covers == "command") {
            evidence["fingerprint_covers"] = "command";
        }
        add_idempotency(evidence, record);
    }
    add_findings(evidence, record);
    if (projection.retry_at) evidence["retry_at"] = format_rfc3339(*projection.retry_at);
    evidence["attempts"] = attempts_json(record);
    return evidence;
}

json::object record_view(const Record& record, WallTime now,
                         const std::vector<journal::StoredEvent>* events) {
    const auto projection = project(record, now);
    const Generation* generation = journal::find_generation(record, projection.generation);
    json::object view{{"invocation_id", record.id.text()}};
    view["state"] = json::object{
        {"phase", to_string(projection.phase)}, {"outcome", to_string(projection.outcome)},
        {"retry", to_string(projection.retry)}, {"code", word(projection.code)},
        {"running", projection.running},        {"settled_by", word(projection.settled_by)}};
    view["route"] = record.validated ? json::value(record.validated->route) : json::value(nullptr);
    view["caller"] = record.accepted ? json::value(record.accepted->caller)
                     : record.refused && !record.refused->caller.empty()
                         ? json::value(record.refused->caller)
                         : json::value(nullptr);
    view["http_status"] =
        generation != nullptr && generation->status     ? json::value(*generation->status)
        : record.refused && record.refused->status != 0 ? json::value(record.refused->status)
                                                        : json::value(nullptr);
    if (record.accepted) {
        const auto& accepted = *record.accepted;
        json::object request{{"method", accepted.method},
                             {"host", accepted.host},
                             {"port", accepted.port},
                             {"path", accepted.path}};
        if (!accepted.scheme.empty()) request["scheme"] = accepted.scheme;
        view["request"] = std::move(request);
        if (!accepted.token.empty()) view["token"] = accepted.token;
        if (!accepted.operation_id.empty()) view["operation_id"] = accepted.operation_id;
        if (accepted.previous) view["previous"] = accepted.previous->text();
        if (accepted.parent) view["parent"] = accepted.parent->text();
    }
    if (!record.accepted && record.refused && !record.refused->target.empty()) {
        view["request"] =
            json::object{{"method", record.refused->method}, {"target", record.refused->target}};
    }
    if (record.accepted_at) view["accepted_at"] = format_rfc3339(*record.accepted_at);
    if (projection.code) view["message"] = message_of(record, *projection.code);
    view["evidence"] = evidence_of(record, projection);
    view["attempts"] = attempts_json(record);
    view["generations"] = generations_json(record);
    view["children"] = json::array{};
    if (events != nullptr) {
        json::array all;
        for (const auto& stored : *events) {
            all.push_back(stored.event ? json::value(journal::to_json(*stored.event))
                                       : json::value(json::object{{"seq", stored.seq},
                                                                  {"unreadable", true}}));
        }
        view["events"] = std::move(all);
    }
    return view;
}

Envelope envelope_of(const Record& record, const journal::Projection& projection) {
    Envelope envelope;
    envelope.id = record.id;
    envelope.code = projection.code;
    envelope.phase = projection.phase;
    envelope.outcome = projection.outcome;
    envelope.retry = projection.retry;
    envelope.status = status_of(record, projection);
    if (projection.code) envelope.message = message_of(record, *projection.code);
    if (record.refused && projection.code == record.refused->code) {
        envelope.field = record.refused->field;
    }
    envelope.evidence = evidence_of(record, projection);
    return envelope;
}

Envelope unrecorded_envelope(const InvocationId& id, const Error& error) {
    const auto& info = code_info(error.code);
    Envelope envelope;
    envelope.id = id;
    envelope.code = error.code;
    envelope.phase = info.phase;
    envelope.outcome = info.outcome;
    envelope.retry = info.retry;
    envelope.status = error.status != 0 ? error.status : info.status;
    envelope.message = error.why.view();
    envelope.field = error.field.view();
    envelope.evidence["dispatch_started"] = false;
    envelope.evidence["recorded"] = false;
    return envelope;
}

}  // namespace sworn::pipeline
