#!/usr/bin/env python3
"""Every row of contract section 5, the setup failures, and what breaks after the dispatch:
answer, envelope, Sworn-Outcome and record agree, and the upstream saw what they say."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support/py"))

from sworn_harness import (Caller, Nginx, Suite, Upstream, curl, eventually, free_port, main,  # noqa: E402
                           response, send)

API = "http://api.example.test"
RD, RE, CS, V = "result_delivery", "remote_execution", "connection_setup", "validation"
REJECTED, HOP = "REMOTE_REJECTED", "INTERMEDIARY_ERROR"
LATER = [("Retry-After", "1")]

# (name, method, status, headers of the target, phase, outcome, retry, code)
SETTLED = [
    ("200", "POST", 200, [], RD, "committed", "never", None),
    ("201", "POST", 201, [], RD, "committed", "never", None),
    ("202", "POST", 202, [("Location", "/jobs/1")], RD, "committed", "never", None),
    ("204", "DELETE", 204, [], RD, "committed", "never", None),
    ("303", "POST", 303, [("Location", "/elsewhere")], RD, "committed", "never", None),
    ("307", "POST", 307, [("Location", "/elsewhere")], RD, "committed", "never", None),
    ("401", "POST", 401, [], RE, "rejected", "after_correction", REJECTED),
    ("407", "POST", 407, [], RE, "rejected", "after_correction", REJECTED),
    ("404", "GET", 404, [], RE, "rejected", "after_correction", REJECTED),
    ("409", "PUT", 409, [], RE, "rejected", "after_correction", REJECTED),
    ("412", "PUT", 412, [], RE, "rejected", "after_correction", REJECTED),
    ("422", "POST", 422, [], RE, "rejected", "after_correction", REJECTED),
    ("425", "GET", 425, LATER, RE, "rejected", "backoff", REJECTED),
    ("429-get", "GET", 429, LATER, RE, "rejected", "backoff", REJECTED),
    ("429-no-time", "GET", 429, [], RE, "rejected", "never", REJECTED),
    ("429-post", "POST", 429, LATER, RE, "rejected", "never", REJECTED),
    ("429-listed", "POST", 429, LATER, RE, "rejected", "backoff", REJECTED),
    ("408-get", "GET", 408, LATER, RE, "rejected", "backoff", REJECTED),
    ("408-post", "POST", 408, [], RD, "committed", "reconcile", None),
    ("503-put", "PUT", 503, LATER, RE, "rejected", "backoff", REJECTED),
    ("503-post", "POST", 503, LATER, RD, "committed", "reconcile", None),
    ("500-post", "POST", 500, [], RD, "committed", "reconcile", None),
    ("500-get", "GET", 500, [], RD, "committed", "never", None),
    ("501", "POST", 501, [], RD, "committed", "reconcile", None),
    ("505", "PUT", 505, [], RD, "committed", "reconcile", None),
    ("599", "POST", 599, [], RD, "committed", "reconcile", None),
    ("502-post", "POST", 502, [], RE, "unknown", "reconcile", HOP),
    ("502-get", "GET", 502, [], RE, "unknown", "backoff", HOP),
    ("504", "POST", 504, [], RE, "unknown", "reconcile", HOP),
    ("520", "POST", 520, [], RE, "unknown", "reconcile", HOP),
    ("527", "POST", 527, [], RE, "unknown", "reconcile", HOP),
    ("530", "POST", 530, [], RE, "unknown", "reconcile", HOP),
    ("hop", "POST", 500, [("Proxy-Status", "edge; error=connection_refused")], RE, "unknown",
     "reconcile", HOP),
]


def answer_by_path(head, body):
    """/settled/NAME/… gets that row's response."""
    name = head.split(" ")[1].split("/")[2]
    for row in SETTLED:
        if row[0] == name:
            return response(row[2], b"answer of " + name.encode(), headers=row[3])
    return response(200, b"ok")


def through_raw(broker, method, path, body):
    return send(broker, method, API + path, body)


def through_curl(broker, method, path, body):
    return curl(broker, method, API + path, body)


CLIENTS = {"raw": through_raw, "curl": through_curl}


class Settling(Suite):
    """Complete answers."""

    def test_every_row_through_every_client(self):
        target = self.upstream(Upstream(answer=answer_by_path, tls=self.pki.pair()))
        listed = {"id": "listed", "match": {"host": "api.example.test",
                                            "path": "/settled/429-listed"},
                  "upstream": {"port": target.port}, "credential": "key",
                  "retry": {"refused_without_effect": [429]}}
        broker = self.broker(target.port, routes=[listed])
        for client, through in CLIENTS.items():
            for name, method, status, headers, phase, outcome, retry, code in SETTLED:
                with self.subTest(client=client, row=name):
                    path = f"/settled/{name}/{client}"
                    body = b"{}" if method in ("POST", "PUT") else None
                    answer = through(broker, method, path, body)
                    self.assertEqual(answer.status, status)
                    self.assertTrue(answer.complete)
                    if status != 204:
                        self.assertEqual(answer.body, b"answer of " + name.encode())
                    self.assert_state(broker, answer, phase, outcome, retry, code)
                    self.assertIsNotNone(answer.outcome(), "the record holds the outcome already")
                    self.assertEqual(target.count(path), 1)
                    self.check_stop_signs(answer, method, outcome, headers)
        self.assertEqual(target.errors, [])
        self.finish(broker)

    def check_stop_signs(self, answer, method, outcome, headers):
        if answer.status < 400 or method != "POST" or outcome == "rejected":
            return
        self.assertEqual(answer.header("X-Should-Retry"), "false")
        self.assertEqual(answer.header("Stripe-Should-Retry"), "false")
        self.assertIsNone(answer.header("Retry-After"))

    def test_injects_the_secret_once_and_hides_the_callers_own(self):
        target = self.upstream(Upstream(tls=self.pki.pair()))
        broker = self.broker(target.port)
        for value in ("sworn", "Bearer sworn", ""):
            with self.subTest(placeholder=value):
                answer = send(broker, "GET", API + "/me", headers=[("Authorization", value)])
                self.assertEqual(answer.status, 200)
        for head, _ in target.requests:
            lines = [line for line in head.split("\r\n") if line.lower().startswith("authoriz")]
            self.assertEqual(lines, [f"Authorization: Bearer {broker.canary}"])
        answer = send(broker, "GET", API + "/me", headers=[("Authorization", "Bearer mine")])
        self.assertEqual(answer.status, 400)
        self.assert_state(broker, answer, V, "not_attempted", "after_correction",
                          "FORBIDDEN_HEADER")
        self.assertEqual(len(target.requests), 3)
        self.finish(broker)

    def test_nginx_is_answered_for_over_both_schemes(self):
        web = Nginx(self.fresh_folder() / "nginx", self.pki.pair())
        (web.files / "page").write_bytes(b"x" * 300_000)
        with web:
            clear = {"id": "clear", "match": {"host": "clear.example.test"},
                     "upstream": {"scheme": "http", "port": web.clear}, "credential": "key"}
            broker = self.broker(web.tls, routes=[clear], config={
                "network": {"resolve": {"clear.example.test": "127.0.0.1"}}})
            for host in ("api", "clear"):
                answer = send(broker, "GET", f"http://{host}.example.test/page")
                self.assertEqual((answer.status, len(answer.body)), (200, 300_000))
                self.assert_state(broker, answer, RD, "committed", "never", None)
                answer = send(broker, "POST", f"http://{host}.example.test/broken", b"{}")
                self.assert_state(broker, answer, RD, "committed", "reconcile", None)
                answer = send(broker, "GET", f"http://{host}.example.test/authorization")
                self.assertEqual(len(answer.body), len("Bearer ") + len(broker.canary))
                self.assertNotIn(broker.canary.encode(), answer.body, "an echo is masked")
            self.finish(broker)

    def test_python_needs_nothing_but_http_proxy(self):
        """urllib and requests, unmodified, in processes of their own, against nginx over TLS."""
        web = Nginx(self.fresh_folder() / "nginx", self.pki.pair())
        (web.files / "page").write_bytes(b"x" * 300_000)
        programs = {
            "urllib": "import sys, urllib.request\n"
                      "answer = urllib.request.urlopen(sys.argv[1])\n"
                      "print(answer.status, len(answer.read()), answer.headers['Sworn-Invocation'])",
            "requests": "import sys, requests\n"
                        "answer = requests.get(sys.argv[1])\n"
                        "print(answer.status_code, len(answer.content), "
                        "answer.headers['Sworn-Invocation'])",
        }
        with web:
            broker = self.broker(web.tls)
            for name, program in programs.items():
                with self.subTest(name):
                    done = subprocess.run(
                        ["/usr/bin/python3", "-c", program, API + "/page"], capture_output=True,
                        text=True, timeout=60,
                        env={"PATH": os.environ["PATH"], "http_proxy": "http://%s:%d" % broker.proxy})
                    self.assertEqual(done.returncode, 0, done.stderr)
                    status, size, invocation = done.stdout.split()
                    self.assertEqual((status, size), ("200", "300000"))
                    self.assertEqual(broker.state(invocation), (RD, "committed", "never", None, False))
            self.finish(broker)


class Framing(Suite):
    """What proves the end of a message."""

    def complete(self, data, close=None, scheme="https", **row):
        """One GET whose answer is `data`, then `close`; the state that results."""
        def script(connection):
            connection.read_request()
            connection.send(data)
            getattr(connection, close)() if close else connection.wait_for_end()
        tls = self.pki.pair() if scheme == "https" else None
        target = self.upstream(Upstream(script, tls=tls))
        broker = self.broker(target.port, scheme=scheme, **row)
        answer = send(broker, "POST", API + "/x", b"{}")
        state = broker.settled(answer.id)["state"]
        self.finish(broker)
        return answer, (state["outcome"], state["code"])

    def test_ends(self):
        head = b"HTTP/1.1 200 OK\r\n"
        chunked = head + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        open_ended = head + b"\r\nhello"
        good, cut = ("committed", None), ("unknown", "REMOTE_RESULT_INCOMPLETE")
        rows = [
            ("length met, no close_notify", head + b"Content-Length: 5\r\n\r\nhello", "cut",
             "https", good),
            ("length short", head + b"Content-Length: 6\r\n\r\nhello", "close", "https", cut),
            ("chunked to its end", chunked + b"0\r\n\r\n", "cut", "https", good),
            ("no last chunk", chunked, "close", "https", cut),
            ("no end of trailers", chunked + b"0\r\n", "close", "https", cut),
            ("close_notify", open_ended, "close", "https", good),
            ("bare FIN on TLS", open_ended, "cut", "https", cut),
            ("FIN in clear", open_ended, "close", "http", good),
            ("RST in clear", open_ended, "reset", "http", cut),
        ]
        for name, data, close, scheme, want in rows:
            with self.subTest(name):
                answer, state = self.complete(data, close, scheme)
                self.assertEqual(state, want)
                if want == good:
                    self.assertEqual((answer.status, answer.body), (200, b"hello"))
                else:
                    self.assertTrue(answer.status == 502 or not answer.complete)

    def test_explicit_framing_wants_more_than_a_fin(self):
        _, state = self.complete(b"HTTP/1.1 200 OK\r\n\r\nhello", "close", "http",
                                 route={"require_framing": "explicit"})
        self.assertEqual(state, ("unknown", "REMOTE_RESULT_INCOMPLETE"))

    def test_malformed_responses_break_the_exchange(self):
        for name, data in [
            ("both lengths", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
                             b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            ("two lengths", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
                            b"Content-Length: 6\r\n\r\nhello!"),
            ("no http", b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
            ("uninvited 101", b"HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
        ]:
            with self.subTest(name):
                answer, (outcome, _) = self.complete(data, "close")
                self.assertEqual(outcome, "unknown")
                self.assertEqual(answer.status, 502)


class Breaking(Suite):
    """What fails before, at and after the dispatch."""

    def broken(self, script, method="POST", tls=True, **more):
        target = self.upstream(Upstream(script, tls=self.pki.pair() if tls else None))
        broker = self.broker(target.port, **more)
        body = b"{}" if method == "POST" else None
        return target, broker, send(broker, method, API + "/pay", body)

    def test_closed_without_a_byte_is_unknown(self):
        for method, retry in (("POST", "reconcile"), ("GET", "backoff")):
            with self.subTest(method):
                def script(connection):
                    connection.read_request()
                    connection.close()
                target, broker, answer = self.broken(script, method)
                self.assertEqual(answer.status, 502)
                record = self.assert_state(broker, answer, RE, "unknown", retry,
                                           "REMOTE_OUTCOME_UNKNOWN")
                self.assertEqual(target.count("/pay"), 1)
                self.assertTrue(record["evidence"]["dispatch_started"])
                self.finish(broker)

    def test_a_long_stream_that_is_cut_is_cut_for_the_caller(self):
        def script(connection):
            connection.read_request()
            connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 500_000)
            connection.cut()
        _, broker, answer = self.broken(script)
        self.assertEqual(answer.status, 200)
        self.assertFalse(answer.complete)
        self.assertLess(len(answer.body), 1_000_000)
        self.assert_state(broker, answer, RE, "unknown", "reconcile", "REMOTE_RESULT_INCOMPLETE")
        status, _, _ = broker.result(answer.id)
        self.assertEqual(status, 409)
        self.finish(broker)

    def test_silence_is_a_timeout(self):
        def script(connection):
            connection.read_request()
            connection.wait_for_end()
        _, broker, answer = self.broken(script, config={"timeouts": {"response_header": "300ms"}})
        self.assertEqual(answer.status, 504)
        self.assert_state(broker, answer, RE, "unknown", "reconcile", "REMOTE_TIMEOUT")
        self.finish(broker)

    def test_unknown_status_answers_424_where_configured(self):
        def script(connection):
            connection.read_request()
        _, broker, answer = self.broken(script, config={"unknown_status": 424})
        self.assertEqual(answer.status, 424)
        self.assert_state(broker, answer, RE, "unknown", "reconcile", "REMOTE_OUTCOME_UNKNOWN")
        self.finish(broker)

    def test_nothing_listens(self):
        broker = self.broker(free_port())
        answer = send(broker, "POST", API + "/pay", b"{}")
        self.assertEqual(answer.status, 502)
        self.assertIsNotNone(answer.header("Retry-After"))
        record = self.assert_state(broker, answer, CS, "not_attempted", "backoff",
                                   "CONNECTION_FAILED")
        self.assertEqual(record["attempts"][0]["code"], "ECONNREFUSED")
        self.assertEqual(record["attempts"][0]["stage"], "tcp_connect")
        self.finish(broker)

    def test_no_byte_goes_to_a_peer_with_a_bad_certificate(self):
        for kind, code in [("expired", "CERT_EXPIRED"), ("not_yet_valid", "CERT_NOT_YET_VALID"),
                           ("wrong_host", "CERT_HOST_MISMATCH"), ("untrusted", "CERT_UNTRUSTED")]:
            with self.subTest(kind):
                target = self.upstream(Upstream(tls=self.pki.pair(kind)))
                broker = self.broker(target.port)
                answer = send(broker, "POST", API + "/pay", b"{}")
                self.assertEqual(answer.status, 502)
                record = self.assert_state(broker, answer, CS, "not_attempted",
                                           "after_correction", "PEER_IDENTITY_MISMATCH")
                self.assertEqual(record["attempts"][-1]["code"], code)
                self.assertEqual(target.bytes(), b"")
                self.finish(broker)

    def test_a_clear_peer_on_a_tls_route_gets_no_secret(self):
        def script(connection):
            connection.sock.recv(4096)
            connection.send(response(200, b"in clear"))
        target, broker, answer = self.broken(script, tls=False)
        self.assertEqual(answer.status, 502)
        self.assert_state(broker, answer, CS, "not_attempted", "after_correction", "TLS_FAILED")
        self.finish(broker)

    def test_refused_before_a_name_is_resolved(self):
        broker = self.broker(free_port(), route={"match": {"methods": ["GET"]}})
        for method, url, code, status in [
            ("GET", "http://elsewhere.example.test/", "TARGET_NOT_ALLOWED", 403),
            ("POST", API + "/x", "TARGET_NOT_ALLOWED", 403),
            ("GET", "/origin-form", "INVALID_TARGET", 400),
            ("TRACE", API + "/x", "UNSUPPORTED_ACTION", 405),
        ]:
            with self.subTest(f"{method} {url}"):
                answer = send(broker, method, url,
                              headers=[] if "://" in url else [("Host", "api.example.test")])
                self.assertEqual(answer.status, status)
                record = self.assert_state(broker, answer, V, "not_attempted",
                                           "after_correction", code)
                self.assertEqual(record["attempts"], [])
        self.finish(broker)

    def test_connect_is_refused_with_the_reason(self):
        target = self.upstream(Upstream(tls=self.pki.pair()))
        broker = self.broker(target.port)
        with Caller(broker.proxy) as caller:
            caller.send(b"CONNECT api.example.test:443 HTTP/1.1\r\n"
                        b"Host: api.example.test:443\r\n\r\n")
            answer = caller.answer()
        self.assertIn(answer.status, (405, 501))
        self.assert_state(broker, answer, V, "not_attempted", "after_correction",
                          "UNSUPPORTED_ACTION")
        self.assertEqual(target.connections, [])
        self.finish(broker)

    def test_a_private_address_is_refused_before_it_is_dialled(self):
        target = self.upstream(Upstream(tls=self.pki.pair()))
        broker = self.broker(target.port, config={"network": {"allow_private": []}})
        answer = send(broker, "GET", API + "/x")
        self.assertEqual(answer.status, 502)
        self.assert_state(broker, answer, CS, "not_attempted", "after_correction",
                          "ADDRESS_FORBIDDEN")
        self.assertEqual(target.connections, [])
        self.finish(broker)

    def test_a_missing_secret_sends_nothing(self):
        target = self.upstream(Upstream(tls=self.pki.pair()))
        broker = self.broker(target.port, config={"credentials": [
            {"id": "key", "source": {"file": "/nonexistent/secret"},
             "inject": {"header": "Authorization", "format": "Bearer {secret}"}}]})
        answer = send(broker, "POST", API + "/x", b"{}")
        self.assertEqual(answer.status, 500)
        self.assert_state(broker, answer, "credential_injection", "not_attempted",
                          "after_correction", "CREDENTIAL_MISSING")
        self.assertEqual(target.bytes(), b"")
        self.finish(broker)

    def test_malformed_requests_reach_nobody(self):
        target = self.upstream(Upstream(tls=self.pki.pair()))
        broker = self.broker(target.port)
        line = b"POST http://api.example.test/x HTTP/1.1\r\nHost: api.example.test\r\n"
        for name, data in [
            ("both lengths", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            ("two lengths", b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
            ("blank before colon", b"Content-Length : 5\r\n\r\nhello"),
            ("folded", b"X: a\r\n b\r\nContent-Length: 0\r\n\r\n"),
            ("bad chunk", b"Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n"),
            ("late bad chunk", b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n"),
        ]:
            with self.subTest(name), Caller(broker.proxy) as caller:
                caller.send(line + data)
                answer = caller.answer()
                self.assertEqual(answer.status, 400)
                self.assert_state(broker, answer, V, "not_attempted", "after_correction",
                                  "MALFORMED_REQUEST")
                self.assertTrue(caller.ended())
        self.assertEqual(target.bytes(), b"")
        self.finish(broker)


class Pool(Suite):
    """Connections that are used again."""

    def test_one_that_died_while_idle_is_not_used(self):
        def script(connection):
            connection.read_request()
            connection.send(response(200, b"ok"))
            connection.close()
        target = self.upstream(Upstream(script, tls=self.pki.pair()))
        broker = self.broker(target.port)
        for number in range(20):
            answer = send(broker, "POST", API + f"/pay/{number}", b"{}")
            self.assertEqual(answer.status, 200)
            eventually(lambda: target.connections[-1].sock.fileno() < 0, "the target closed")
        self.assertEqual(len(target.requests), 20)
        self.finish(broker)

    def test_an_answer_nobody_asked_for_retires_the_connection(self):
        def script(connection):
            connection.read_request()
            connection.send(response(200, b"ok") + response(200, b"injected"))
            connection.wait_for_end()
        target = self.upstream(Upstream(script, tls=self.pki.pair()))
        broker = self.broker(target.port)
        for number in range(20):
            self.assertEqual(send(broker, "GET", API + f"/{number}").body, b"ok")
        self.finish(broker)

    def test_a_live_one_serves_many_callers(self):
        target = self.upstream(Upstream(tls=self.pki.pair()))
        broker = self.broker(target.port)
        with Caller(broker.proxy) as caller:
            for number in range(10):
                caller.request("GET", API + f"/{number}")
                self.assertEqual(caller.answer().status, 200)
        self.assertEqual(len(target.connections), 1)
        self.assertIn('sworn_connection_reuse_total{reused="true"} 9', broker.metrics())
        self.finish(broker)


if __name__ == "__main__":
    main()
