#!/usr/bin/env python3
"""Tokens (join, replay, mismatch), the guard against blind repeats, findings, restarts."""

import concurrent.futures
import json
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support/py"))

from sworn_harness import Suite, Upstream, eventually, main, response, send  # noqa: E402

PAY = "http://api.example.test/pay"
RE, RD, V = "remote_execution", "result_delivery", "validation"


def token(word):
    return [("Sworn-Token", word)]


def pay(broker, body=b'{"amount":1}', headers=()):
    return send(broker, "POST", PAY, body, headers)


def unresolved(answer):
    """The invocation that a refused repeat names, whatever the shape of the evidence."""
    found = answer.json()["evidence"]["unresolved"]
    return found if isinstance(found, str) else json.dumps(found)


class Tokens(Suite):
    def test_five_callers_with_one_token_share_one_send(self):
        gate = threading.Event()

        def script(connection):
            connection.read_request()
            gate.wait(20)
            connection.send(response(201, b"paid"))
            connection.wait_for_end()
        target = self.upstream(Upstream(script, tls=self.pki.pair()))
        broker = self.broker(target.port)
        with concurrent.futures.ThreadPoolExecutor(5) as pool:
            waiting = [pool.submit(pay, broker, headers=token("t-join")) for _ in range(5)]
            eventually(lambda: target.requests, "the first is sent")
            eventually(lambda: "sworn_inflight_invocations 1" in broker.metrics(), "one runs")
            gate.set()
            answers = [one.result(timeout=30) for one in waiting]
        for one in answers:
            self.assertEqual((one.status, one.body), (201, b"paid"), one.body)
        self.assertEqual(len({one.id for one in answers}), 1)
        self.assertEqual(len(target.requests), 1)
        self.assertEqual(len(broker.by_token("t-join")), 1)
        self.finish(broker)

    def test_a_settled_token_is_replayed_even_after_a_restart(self):
        target = self.upstream(Upstream(answer=lambda head, body: response(
            201, b"paid", headers=[("Content-Type", "text/x-receipt")]), tls=self.pki.pair()))
        broker = self.broker(target.port)
        first = pay(broker, headers=token("t-replay"))
        self.assertIsNone(first.header("Sworn-Replayed"))
        for restart in (False, True):
            with self.subTest(restart=restart):
                if restart:
                    broker.stop()
                    broker.start()
                again = pay(broker, headers=token("t-replay"))
                self.assertEqual((again.status, again.body), (201, b"paid"))
                self.assertEqual(again.header("Content-Type"), "text/x-receipt")
                self.assertEqual(again.id, first.id)
                self.assertEqual(again.header("Sworn-Replayed"), "?1")
        self.assertEqual(len(target.requests), 1)
        self.finish(broker)

    def test_another_body_under_the_token_is_refused_here(self):
        target = self.upstream(Upstream(tls=self.pki.pair()))
        broker = self.broker(target.port)
        first = pay(broker, headers=token("t-other"))
        other = pay(broker, b'{"amount":2}', token("t-other"))
        self.assertEqual(other.status, 422)
        self.assert_state(broker, other, V, "not_attempted", "after_correction",
                          "IDEMPOTENCY_MISMATCH")
        self.assertEqual(len(target.requests), 1)
        self.assertEqual([one["invocation_id"] for one in broker.by_token("t-other")], [first.id])
        self.finish(broker)

    def test_an_unknown_token_shows_its_recorded_envelope(self):
        target = self.upstream(Upstream(lambda one: one.read_request(), tls=self.pki.pair()))
        broker = self.broker(target.port)
        first = pay(broker, headers=token("t-unknown"))
        again = pay(broker, headers=token("t-unknown"))
        self.assertEqual((first.status, again.status), (502, 502))
        self.assertEqual(again.id, first.id)
        self.assert_state(broker, again, RE, "unknown", "reconcile", "REMOTE_OUTCOME_UNKNOWN")
        self.assertEqual(len(target.requests), 1)
        self.finish(broker)

    def test_a_failed_connection_is_tried_again_under_its_token(self):
        target = self.upstream(Upstream(tls=self.pki.pair("expired")))
        broker = self.broker(target.port)
        first = pay(broker, headers=token("t-again"))
        self.assertEqual(first.status, 502)
        target.use_certificate(self.pki.pair())
        again = pay(broker, headers=token("t-again"))
        self.assertEqual(again.status, 200)
        self.assertEqual(len(target.requests), 1)
        # Nothing that was bound has changed, so it is the same invocation's next generation.
        self.assertEqual(again.id, first.id)
        record = broker.record(first.id)
        self.assertEqual([one["outcome"] for one in record["generations"]],
                         ["not_attempted", "committed"])
        self.assertIn("CERT_EXPIRED", [one.get("code") for one in record["attempts"]])
        self.finish(broker)

    def test_callers_do_not_see_each_others_tokens(self):
        target = self.upstream(Upstream(tls=self.pki.pair()))
        callers = [{"id": name, "token": {"env": f"TOKEN_{name.upper()}"}} for name in ("a", "b")]
        broker = self.broker(target.port, config={"callers": callers},
                             env={"TOKEN_A": "caller-canary-a", "TOKEN_B": "caller-canary-b"})

        def by(name):
            return [("Proxy-Authorization", f"Bearer caller-canary-{name}"), *token("t-shared")]
        first, second = pay(broker, headers=by("a")), pay(broker, headers=by("b"))
        self.assertEqual((first.status, second.status), (200, 200))
        self.assertNotEqual(first.id, second.id)
        self.assertEqual(len(target.requests), 2)
        nobody = pay(broker, headers=token("t-shared"))
        self.assertEqual(nobody.status, 407)
        self.assert_state(broker, nobody, V, "not_attempted", "after_correction",
                          "CALLER_NOT_AUTHORIZED")
        self.finish(broker, "caller-canary-a", "caller-canary-b")


class Guard(Suite):
    def refused(self, broker, first, target, sends):
        answer = pay(broker)
        self.assertEqual(answer.status, 424)
        self.assert_state(broker, answer, V, "not_attempted", "reconcile", "UNRESOLVED_DUPLICATE")
        self.assertIn(first.id, unresolved(answer))
        self.assertIn(f"sworn show {first.id}", answer.json()["message"])
        self.assertEqual(len(target.requests), sends)

    def test_a_blind_repeat_is_refused_until_someone_attests(self):
        target = self.upstream(Upstream(answer=lambda head, body: response(500, b"broken"),
                                        tls=self.pki.pair()))
        broker = self.broker(target.port)
        first = pay(broker)
        self.assert_state(broker, first, RD, "committed", "reconcile", None)
        self.refused(broker, first, target, 1)
        other = pay(broker, b'{"amount":7}')
        self.assertEqual(other.status, 500, "another operation is no repeat")
        broker.stop()
        broker.start()
        self.refused(broker, first, target, 2)
        broker.cli("attest", first.id, "--not-applied", "--by", "ops", "--reason", "not there",
                   check=0)
        self.assertEqual(broker.state(first.id)[:4], (RD, "committed", "after_correction", None))
        self.assertEqual(pay(broker).status, 500)
        self.assertEqual(len(target.requests), 3)
        self.assertIn("ATTESTED", broker.events(first.id))
        self.finish(broker)

    def test_findings_settle_an_unknown(self):
        target = self.upstream(Upstream(lambda one: one.read_request(), tls=self.pki.pair()))
        for flag, want in [("--applied", (RE, "committed", "never", None, False)),
                           ("--not-applied", (RE, "rejected", "backoff", None, False))]:
            with self.subTest(flag):
                broker = self.broker(target.port)
                first = pay(broker)
                self.assertEqual(broker.settled(first.id)["state"]["outcome"], "unknown")
                self.assertIn("sworn_unsettled_invocations 1", broker.metrics())
                broker.cli("attest", first.id, flag, "--by", "ops", "--reason", "seen", check=0)
                self.assertEqual(broker.state(first.id), want)
                record = broker.record(first.id)
                self.assertEqual(record["state"]["settled_by"], "operator_attested")
                self.assertEqual(record["generations"][0]["outcome"], "unknown")
                status, _, body = broker.result(first.id)
                self.assertEqual(status, 404)
                self.assertIn(b"RESULT_NOT_RETAINED", body)
                self.finish(broker)

    def test_repeatable_operations_are_not_guarded(self):
        target = self.upstream(Upstream(lambda one: one.read_request(), tls=self.pki.pair()))
        for route in ({"semantics": "idempotent"}, {"guard": "off"}):
            with self.subTest(str(route)):
                broker = self.broker(target.port, route=route)
                before = len(target.requests)
                self.assertEqual([pay(broker).status for _ in range(2)], [502, 502])
                self.assertEqual(len(target.requests), before + 2)
                self.finish(broker)

    def test_the_callers_own_key_may_be_sent_again(self):
        answers = [None, response(201, b"paid")]

        def script(connection):
            connection.read_request()
            answer = answers.pop(0)
            if answer:
                connection.send(answer)
                connection.wait_for_end()
        target = self.upstream(Upstream(script, tls=self.pki.pair()))
        contract = {"header": "Idempotency-Key", "scope": "payments.create", "retention": "24h",
                    "margin": "1h", "generate": False,
                    "verified": {"by": "ops", "on": "2026-11-01"}}
        broker = self.broker(target.port, route={"idempotency": contract})
        key = [("Idempotency-Key", "req-1")]
        first = pay(broker, headers=key)
        self.assert_state(broker, first, RE, "unknown", "same_idempotency_key",
                          "REMOTE_OUTCOME_UNKNOWN")
        again = pay(broker, headers=key)
        self.assertEqual((again.status, again.id), (201, first.id))
        record = self.assert_state(broker, again, RD, "committed", "never", None)
        self.assertEqual([one["outcome"] for one in record["generations"]],
                         ["unknown", "committed"])
        self.assertEqual([head.count("req-1") for head, _ in target.requests], [1, 1])
        missing = pay(broker)
        self.assertEqual(missing.status, 400)
        self.assert_state(broker, missing, V, "not_attempted", "after_correction",
                          "IDEMPOTENCY_KEY_REQUIRED")
        self.finish(broker)


if __name__ == "__main__":
    main()
