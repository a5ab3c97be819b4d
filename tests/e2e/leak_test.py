#!/usr/bin/env python3
"""No secret in any place that people or programs read: log, record, envelope, metrics, journal."""

import base64
import pathlib
import sys
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support/py"))

from sworn_harness import Suite, Upstream, main, response, send  # noqa: E402

API = "http://api.example.test"


def echo(head, body):
    """What a debugging target does: everything it got comes back, in header, line and body."""
    line = head.split("\r\n")[0]
    values = [one.partition(": ")[2] for one in head.split("\r\n")
              if one.lower().startswith("authorization")]
    headers = [("X-Echo", values[0] if values else "none"), ("X-Line", urllib.parse.quote(line))]
    return response(200, head.encode() + b"\n" + body, headers=headers)


def credential(inject, source=None):
    return {"id": "key", "source": source or {"env": "SWORN_E2E_KEY"}, "inject": inject}


class Leaks(Suite):
    def forms(self, secret):
        return [secret, base64.b64encode(f"ci:{secret}".encode()).decode(),
                urllib.parse.quote(secret, safe="")]

    def test_an_echoed_secret_is_masked_in_place(self):
        target = self.upstream(Upstream(answer=echo, tls=self.pki.pair()))
        for name, inject in [
            ("header", {"header": "Authorization", "format": "Bearer {secret}"}),
            ("other header", {"header": "X-Api-Key", "format": "{secret}"}),
            ("basic", {"basic": {"username": "ci"}}),
            ("query", {"query": "api_key"}),
        ]:
            with self.subTest(name):
                broker = self.broker(target.port, config={"credentials": [credential(inject)]})
                answer = send(broker, "GET", API + "/echo?a=1")
                self.assertEqual(answer.status, 200)
                self.assertTrue(answer.complete)
                sent, _ = target.requests[-1]
                self.assertTrue(any(form in sent for form in self.forms(broker.canary)),
                                "the target got it")
                seen = answer.body.decode("latin-1") + str(answer.headers)
                for form in self.forms(broker.canary):
                    self.assertNotIn(form, seen)
                self.assertEqual(len(answer.body), len(sent) + 1, "masked byte for byte")
                self.finish(broker, *self.forms(broker.canary))

    def test_an_echo_cut_anywhere_is_masked(self):
        def script(connection):
            while True:
                head, _ = connection.read_request()
                secret = head.split("Bearer ")[1].split("\r\n")[0].encode()
                at = int(head.split(" ")[1].strip("/"))
                body = b"before " + secret + b" after"
                connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                b"Transfer-Encoding: chunked\r\n\r\n")
                for part in (body[:at], body[at:]):
                    connection.send(b"%x\r\n%s\r\n" % (len(part), part))
                connection.send(b"0\r\n\r\n")
        target = self.upstream(Upstream(script, tls=self.pki.pair()))
        broker = self.broker(target.port)
        for at in range(1, len(broker.canary) + 8):
            answer = send(broker, "GET", f"{API}/{at}")
            self.assertTrue(answer.complete)
            self.assertEqual(len(answer.body), len(broker.canary) + 13)
            self.assertNotIn(broker.canary.encode(), answer.body)
            self.assertTrue(answer.body.startswith(b"before "))
            self.assertTrue(answer.body.endswith(b" after"))
        self.assertEqual(target.errors, [])
        self.finish(broker)

    def test_secrets_that_no_request_can_carry(self):
        target = self.upstream(Upstream(answer=echo, tls=self.pki.pair()))
        for name, value, sends in [
            ("one newline", b"canary-file\n", True),
            ("CRLF", b"canary-file\r\n", True),
            ("format characters", b"canary-file%s%n", True),
            ("injected header", b"canary-file\r\nX-Evil: 1", False),
            ("NUL", b"canary-file\0", False),
            ("empty", b"", False),
            ("100 KiB", b"canary-file" * 9400, False),
            ("non-ASCII", "canary-filé".encode(), False),
        ]:
            with self.subTest(name):
                folder = self.fresh_folder()
                (folder / "secret").write_bytes(value)
                made = credential({"header": "Authorization", "format": "Bearer {secret}"},
                                  {"file": str(folder / "secret")})
                broker = self.broker(target.port, config={"credentials": [made]})
                before = len(target.requests)
                answer = send(broker, "POST", API + "/x", b"{}")
                if sends:
                    self.assertEqual(answer.status, 200)
                    self.assertIn("Bearer canary-file", target.requests[-1][0])
                else:
                    self.assertEqual(answer.status, 500)
                    state = broker.settled(answer.id)["state"]
                    self.assertEqual((state["phase"], state["outcome"], state["retry"]),
                                     ("credential_injection", "not_attempted",
                                      "after_correction"))
                    self.assertEqual(len(target.requests), before)
                    self.assertIn("key", str(answer.json()["error"]["field"]))
                self.assertNotIn(b"canary-fil", answer.body)
                self.assertNotIn(b"X-Evil", target.bytes())
                check = broker.cli("check", "--config", broker.config_file)
                self.assertNotIn("canary-fil", check.stdout + check.stderr)
                self.finish(broker, "canary-fil")

    def test_a_rotated_file_is_used_by_the_next_action(self):
        target = self.upstream(Upstream(tls=self.pki.pair()))
        folder = self.fresh_folder()
        secret = folder / "secret"
        secret.write_text("canary-one\n")
        made = credential({"header": "Authorization", "format": "Bearer {secret}"},
                          {"file": str(secret)})
        made["version"] = "2026-11"
        broker = self.broker(target.port, config={"credentials": [made]})
        send(broker, "GET", API + "/1")
        (folder / "fresh").write_text("canary-two\n")
        (folder / "fresh").rename(secret)

        def rotated():
            answer = send(broker, "GET", API + "/2")
            self.assertEqual(answer.status, 200)
            return "canary-two" in target.requests[-1][0]
        from sworn_harness import eventually
        eventually(rotated, "the new value is sent")
        self.assertIn('version="2026-11+1"', broker.metrics())
        self.finish(broker, "canary-one", "canary-two")

    def test_callers_and_operators_tokens_stay_unwritten(self):
        target = self.upstream(Upstream(answer=echo, tls=self.pki.pair()))
        callers = [{"id": "ci", "token": {"env": "CI_TOKEN"}}]
        broker = self.broker(target.port, config={"callers": callers},
                             env={"CI_TOKEN": "caller-canary-1"})
        for value in ("Bearer caller-canary-1",
                      "Basic " + base64.b64encode(b"ci:caller-canary-1").decode()):
            answer = send(broker, "GET", API + "/x", headers=[("Proxy-Authorization", value)])
            self.assertEqual(answer.status, 200)
            self.assertNotIn(b"caller-canary-1", answer.body, "not forwarded either")
        wrong = send(broker, "GET", API + "/x",
                     headers=[("Proxy-Authorization", "Bearer wrong-canary-2")])
        self.assertIn(wrong.status, (403, 407))
        self.finish(broker, "caller-canary-1", "wrong-canary-2")


if __name__ == "__main__":
    main()
