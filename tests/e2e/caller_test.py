#!/usr/bin/env python3
"""Callers that vanish, half-close or read slowly, and how they get their result afterwards."""

import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support/py"))

from sworn_harness import Caller, Suite, Upstream, eventually, main, response, send  # noqa: E402

PAY = "http://api.example.test/pay"
OWN = "http://sworn.internal/v1/invocations"
RE, RD = "remote_execution", "result_delivery"


class Vanishing(Suite):
    def waiting(self, **more):
        """A target that answers 201 once `gate` is set, its broker and the gate."""
        gate = threading.Event()

        def script(connection):
            connection.read_request()
            gate.wait(20)
            connection.send(response(201, b"paid"))
            connection.wait_for_end()
        self.addCleanup(gate.set)
        target = self.upstream(Upstream(script, tls=self.pki.pair()))
        return target, self.broker(target.port, **more), gate

    def leave(self, target, broker, how, token):
        caller = Caller(broker.proxy)
        caller.request("POST", PAY, b"{}", [("Sworn-Token", token)])
        eventually(lambda: target.requests, "the request is sent")
        getattr(caller, how)()
        return broker.by_token(token)[0]["invocation_id"]

    def test_a_reset_caller_fetches_its_result_by_token(self):
        target, broker, gate = self.waiting()
        invocation = self.leave(target, broker, "reset", "t-reset")
        eventually(lambda: broker.state(invocation)[3] == "CALLER_CANCELLED", "the reset is seen")
        self.assertEqual(broker.state(invocation),
                         (RE, "unknown", "fetch_result", "CALLER_CANCELLED", True))
        duplicate = send(broker, "POST", PAY, b"{}")
        self.assertEqual(duplicate.status, 424, "the guard is armed while the exchange runs")
        gate.set()
        broker.settled(invocation)
        self.assertEqual(broker.state(invocation),
                         (RD, "committed", "fetch_result", "DELIVERY_FAILED", False))

        found = send(broker, "GET", OWN + "?token=t-reset").json()["items"]
        self.assertEqual([one["invocation_id"] for one in found], [invocation])
        fetched = send(broker, "GET", f"{OWN}/{invocation}/result")
        self.assertEqual((fetched.status, fetched.body), (200, b"paid"))
        self.assertEqual(fetched.header("Sworn-Result-Status"), "201")
        send(broker, "POST", f"{OWN}/{invocation}/ack", b"")
        self.assertEqual(broker.state(invocation), (RD, "committed", "never", None, False))
        self.assertEqual(len(target.requests), 1)
        self.finish(broker)

    def test_a_replay_delivers_what_the_first_connection_lost(self):
        target, broker, gate = self.waiting()
        invocation = self.leave(target, broker, "reset", "t-again")
        gate.set()
        broker.settled(invocation)
        with Caller(broker.proxy) as caller:
            caller.request("POST", PAY, b"{}", [("Sworn-Token", "t-again")])
            answer = caller.answer()
        self.assertEqual((answer.status, answer.body, answer.id), (201, b"paid", invocation))
        eventually(lambda: broker.state(invocation)[2] == "never", "the replay is confirmed")
        self.assertEqual(len(target.requests), 1)
        self.finish(broker)

    def test_an_operators_reading_confirms_nothing(self):
        target, broker, gate = self.waiting()
        invocation = self.leave(target, broker, "reset", "t-operator")
        gate.set()
        broker.settled(invocation)
        status, headers, body = broker.result(invocation)
        self.assertEqual((status, body), (200, b"paid"))
        self.assertEqual(headers["Sworn-Result-Status"], "201")
        self.assertEqual(broker.state(invocation),
                         (RD, "committed", "fetch_result", "DELIVERY_FAILED", False))
        self.assertEqual(send(broker, "POST", PAY, b"{}").status, 424)
        self.finish(broker)

    def test_a_half_close_is_no_cancel(self):
        target, broker, gate = self.waiting()
        with Caller(broker.proxy) as caller:
            caller.request("POST", PAY, b"{}")
            eventually(lambda: target.requests, "the request is sent")
            caller.half_close()
            gate.set()
            answer = caller.answer()
        self.assertEqual((answer.status, answer.body), (201, b"paid"))
        self.assertNotIn("CALLER_CANCELLED", broker.events(answer.id))
        self.finish(broker)

    def test_on_cancel_close_ends_the_exchange(self):
        target, broker, _ = self.waiting(route={"on_cancel": "close"})
        invocation = self.leave(target, broker, "reset", "t-close")
        broker.settled(invocation)
        self.assertEqual(broker.state(invocation),
                         (RE, "unknown", "reconcile", "CALLER_CANCELLED", False))
        self.finish(broker)

    def test_a_next_request_confirms_the_one_before(self):
        target = self.upstream(Upstream(tls=self.pki.pair()))
        broker = self.broker(target.port)
        with Caller(broker.proxy) as caller:
            caller.request("GET", "http://api.example.test/1")
            first = caller.answer()
            caller.request("GET", "http://api.example.test/2")
            caller.answer()
            eventually(lambda: "RESULT_DELIVERED" in broker.events(first.id), "it is confirmed")
        self.finish(broker)


class Streams(Suite):
    def test_a_stream_arrives_while_it_runs_and_its_end_waits_for_the_record(self):
        gate = threading.Event()
        self.addCleanup(gate.set)

        def script(connection):
            connection.read_request()
            connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                            b"Transfer-Encoding: chunked\r\n\r\n7\r\ndata: 1\r\n")
            gate.wait(20)
            connection.send(b"7\r\ndata: 2\r\n0\r\n\r\n")
            connection.wait_for_end()
        target = self.upstream(Upstream(script, tls=self.pki.pair()))
        broker = self.broker(target.port)
        with Caller(broker.proxy) as caller:
            caller.request("POST", "http://api.example.test/events", b"{}")
            seen = b""
            while b"data: 1" not in seen:
                data = caller.sock.recv(65536)
                self.assertTrue(data, "the stream goes on")
                seen += data
            self.assertNotIn(b"Sworn-Outcome", seen, "nothing is known yet")
            caller._buffer = seen
            gate.set()
            answer = caller.answer()
            self.assertTrue(answer.complete)
            self.assertEqual(answer.body, b"data: 1data: 2")
            self.assertEqual(broker.state(answer.id)[1], "committed", "before the last byte")
        status, _, body = broker.result(answer.id)
        self.assertEqual((status, body), (200, b"data: 1data: 2"))
        self.finish(broker)

    def test_a_large_result_is_stored_and_fetched_whole(self):
        data = bytes(range(256)) * 4096
        target = self.upstream(Upstream(answer=lambda head, body: response(200, data),
                                        tls=self.pki.pair()))
        broker = self.broker(target.port)
        answer = send(broker, "GET", "http://api.example.test/large")
        self.assertTrue(answer.complete)
        self.assertEqual(answer.body, data)
        status, _, body = broker.result(answer.id)
        self.assertEqual(status, 200)
        self.assertEqual(body, data)
        done = broker.cli("result", answer.id, "-o", broker.folder / "fetched", check=0)
        self.assertEqual((broker.folder / "fetched").read_bytes(), data, done.stderr)
        self.finish(broker)

    def test_over_max_result_only_the_digest_is_kept(self):
        target = self.upstream(Upstream(answer=lambda head, body: response(200, b"x" * 300_000),
                                        tls=self.pki.pair()))
        broker = self.broker(target.port, config={"journal": {"max_result": "128KiB"}})
        answer = send(broker, "GET", "http://api.example.test/large")
        self.assertEqual(len(answer.body), 300_000)
        self.assert_state(broker, answer, RD, "committed", "never", None)
        status, _, body = broker.result(answer.id)
        self.assertEqual(status, 404)
        self.assertIn(b"RESULT_NOT_RETAINED", body)
        self.finish(broker)


if __name__ == "__main__":
    main()
