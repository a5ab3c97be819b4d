// Repeats, findings, approvals and refusals, and SSH.
#include "tests/journal/walk.h"

namespace sworn::journal {
namespace {

using namespace story;

const Scenario repeats[] = {
    {"r14_key_bound_cut_then_200",
     [] { return begin().exchange(keyed()).broken().again().answered(200).delivered(); },
     "RD, committed, never, null, no"},
    {"r15_key_bound_cut_then_refused",
     [] {
         return begin().exchange(keyed()).broken().leased().authorized().attempt_failed().refused(
             Code::connection_failed);
     },
     "RE, unknown, same_idempotency_key, REMOTE_RESULT_INCOMPLETE, no"},
    {"r15_with_the_budget_spent",
     [] {
         return begin()
             .exchange(with_budget(keyed(), 2, 3))
             .broken()
             .leased()
             .authorized()
             .attempt_failed()
             .refused(Code::connection_failed);
     },
     "RE, unknown, reconcile, REMOTE_RESULT_INCOMPLETE, no", true},
    {"r16_generated_key_cut", [] { return begin().exchange(keyed(KeyOrigin::generated)).broken(); },
     "RE, unknown, same_idempotency_key, REMOTE_RESULT_INCOMPLETE, no", true},
    {"r16_the_blind_repeat",
     [] { return begin().authorized_with(post()).ready().refused(Code::unresolved_duplicate); },
     "V, not_attempted, reconcile, UNRESOLVED_DUPLICATE, no"},
    {"r17_get_cut_then_404",
     [] { return begin().exchange(get()).broken().again().rejected(404).delivered(); },
     "RE, rejected, after_correction, REMOTE_REJECTED, no"},
    {"r18_put_cut_then_409",
     [] { return begin().exchange(put()).broken().again().rejected(409).delivered(); },
     "RE, unknown, reconcile, REMOTE_RESULT_INCOMPLETE, no"},
    {"r18_put_cut_then_500",
     [] {
         return begin()
             .exchange(put())
             .broken()
             .again()
             .answered(500, Outcome::committed, Retry::reconcile)
             .delivered();
     },
     "RE, unknown, backoff, REMOTE_RESULT_INCOMPLETE, no"},
    {"r19_get_429_then_200",
     [] {
         return begin()
             .exchange(get())
             .rejected(429, Retry::backoff)
             .delivered()
             .again()
             .answered(200)
             .delivered();
     },
     "RD, committed, never, null, no"},
    {"get_429_with_the_budget_spent",
     [] {
         return begin()
             .exchange(with_budget(get(), 1, 3))
             .rejected(429, Retry::backoff)
             .delivered();
     },
     "RE, rejected, never, REMOTE_REJECTED, no"},
    {"get_429_then_cut",
     [] {
         return begin()
             .exchange(get())
             .rejected(429, Retry::backoff)
             .delivered()
             .again()
             .broken(Code::remote_timeout);
     },
     "RE, unknown, backoff, REMOTE_TIMEOUT, no"},
    {"get_429_then_refused",
     [] {
         return begin()
             .exchange(get())
             .rejected(429, Retry::backoff)
             .delivered()
             .leased()
             .authorized()
             .attempt_failed()
             .refused(Code::connection_failed);
     },
     "RE, rejected, backoff, REMOTE_REJECTED, no"},
    {"key_expired", [] { return begin().exchange(keyed()).broken().later(23h); },
     "RE, unknown, reconcile, REMOTE_RESULT_INCOMPLETE, no", true},
    {"repeating_under_a_generated_key",
     [] { return begin().exchange(keyed(KeyOrigin::generated)).broken().again(); },
     "RE, unknown, fetch_result, null, yes"},
};
INSTANTIATE_TEST_SUITE_P(Repeats, Walk, testing::ValuesIn(repeats), plain_name);

const Scenario findings[] = {
    {"r21_500_delivered",
     [] {
         return begin().exchange().answered(500, Outcome::committed, Retry::reconcile).delivered();
     },
     "RD, committed, reconcile, null, no", true},
    {"r22_then_attested_not_applied",
     [] {
         return begin()
             .exchange()
             .answered(500, Outcome::committed, Retry::reconcile)
             .delivered()
             .attested(Finding::not_applied);
     },
     "RD, committed, after_correction, null, no"},
    {"r22_then_attested_applied",
     [] {
         return begin()
             .exchange()
             .answered(500, Outcome::committed, Retry::reconcile)
             .delivered()
             .attested(Finding::applied);
     },
     "RD, committed, never, null, no"},
    {"r23_cut_then_not_applied",
     [] { return begin().exchange().broken().attested(Finding::not_applied); },
     "RE, rejected, backoff, null, no"},
    {"r23_cut_then_applied", [] { return begin().exchange().broken().attested(Finding::applied); },
     "RE, committed, never, null, no"},
    {"r23_cut_then_inconclusive",
     [] { return begin().exchange().broken().attested(Finding::inconclusive); },
     "RE, unknown, reconcile, REMOTE_RESULT_INCOMPLETE, no", true},
    {"r23_not_applied_then_sent_again",
     [] {
         return begin()
             .exchange()
             .broken()
             .reconciled(Finding::not_applied)
             .again()
             .answered(200)
             .delivered();
     },
     "RD, committed, never, null, no"},
    {"r23_not_applied_then_cut_again",
     [] { return begin().exchange().broken().reconciled(Finding::not_applied).again().broken(); },
     "RE, unknown, reconcile, REMOTE_RESULT_INCOMPLETE, no", true},
    {"r24_applied_then_contradicted",
     [] {
         return begin()
             .exchange()
             .broken()
             .attested(Finding::applied)
             .reconciled(Finding::not_applied);
     },
     "RE, committed, reconcile, null, no", true},
    {"r24_applied_then_a_late_refusal",
     [] { return begin().exchange().recovered().attested(Finding::applied).rejected(409); },
     "RE, committed, reconcile, null, no", true},
    {"applied_then_confirmed",
     [] {
         return begin().exchange().broken().attested(Finding::applied).reconciled(Finding::applied);
     },
     "RE, committed, never, null, no"},
};
INSTANTIATE_TEST_SUITE_P(Findings, Walk, testing::ValuesIn(findings), plain_name);

const Scenario approvals_and_refusals[] = {
    {"r30_pending", [] { return begin().accepted().validated(approved()).asked(); },
     "CI, not_attempted, fetch_result, APPROVAL_PENDING, yes"},
    {"r30_pending_over_a_restart",
     [] { return begin().accepted().validated(approved()).asked().recovered(); },
     "CI, not_attempted, fetch_result, APPROVAL_PENDING, yes"},
    {"r30_granted_then_the_route_is_edited",
     [] {
         return begin()
             .accepted()
             .validated(approved())
             .asked()
             .granted()
             .authorized()
             .ready()
             .refused(Code::snapshot_mismatch);
     },
     "V, not_attempted, after_correction, SNAPSHOT_MISMATCH, no"},
    {"r30_denied", [] { return begin().accepted().validated(approved()).asked().denied(); },
     "CI, not_attempted, never, APPROVAL_DENIED, no"},
    {"r30_denied_and_told",
     [] {
         return begin()
             .accepted()
             .validated(approved())
             .asked()
             .denied()
             .refused(Code::approval_denied);
     },
     "CI, not_attempted, never, APPROVAL_DENIED, no"},
    {"r30_expired",
     [] { return begin().accepted().validated(approved()).asked().approval_expired(); },
     "CI, not_attempted, after_correction, APPROVAL_EXPIRED, no"},
    {"r31_secret_missing",
     [] { return begin().accepted().validated().refused(Code::credential_missing); },
     "CI, not_attempted, after_correction, CREDENTIAL_MISSING, no"},
    {"r32_same_token_other_body",
     [] { return begin().accepted().refused(Code::idempotency_mismatch); },
     "V, not_attempted, after_correction, IDEMPOTENCY_MISMATCH, no"},
    {"r33_another_caller_is_independent",
     [] { return begin().exchange().answered(200).delivered(); }, "RD, committed, never, null, no"},
    {"r34_the_one_that_five_callers_join", [] { return begin().exchange(); },
     "RE, unknown, fetch_result, null, yes"},
};
INSTANTIATE_TEST_SUITE_P(Refusals, Walk, testing::ValuesIn(approvals_and_refusals), plain_name);

const Scenario ssh[] = {
    {"r35_exit_status_and_close",
     [] { return begin().exchange(post(), Protocol::ssh).answered(0).delivered("closed"); },
     "RD, committed, never, null, no"},
    {"r36_no_status", [] { return begin().exchange(post(), Protocol::ssh).responding(0).broken(); },
     "RE, unknown, reconcile, REMOTE_RESULT_INCOMPLETE, no", true},
    {"r36_exec_unanswered",
     [] { return begin().exchange(post(), Protocol::ssh).broken(Code::remote_timeout); },
     "RE, unknown, reconcile, REMOTE_TIMEOUT, no", true},
    {"r37_exec_refused",
     [] {
         return begin()
             .exchange(post(), Protocol::ssh)
             .answered(0, Outcome::rejected, Retry::after_correction, Code::remote_exec_refused)
             .delivered();
     },
     "RE, rejected, after_correction, REMOTE_EXEC_REFUSED, no"},
    {"r37_host_key_changed_before_auth",
     [] {
         return begin()
             .authorized_with(post())
             .attempt_failed(AttemptCode::HOST_KEY_MISMATCH, Stage::ssh_host_key)
             .refused(Code::peer_identity_mismatch);
     },
     "CS, not_attempted, after_correction, PEER_IDENTITY_MISMATCH, no"},
    {"r37_host_key_changed_at_rekey",
     [] { return begin().exchange(post(), Protocol::ssh).responding(0).part().broken(); },
     "RE, unknown, reconcile, REMOTE_RESULT_INCOMPLETE, no", true},
};
INSTANTIATE_TEST_SUITE_P(Ssh, Walk, testing::ValuesIn(ssh), plain_name);

}  // namespace
}  // namespace sworn::journal
