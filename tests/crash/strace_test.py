#!/usr/bin/env python3
"""The two orders that everything rests on, read off the system calls: DISPATCH_STARTED is synced
before the first byte of a request leaves, RESULT_COMMITTED before the last byte of an answer."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support/py"))

from sworn_harness import Suite, Upstream, main, response, send  # noqa: E402

CALLS = ("write,writev,pwrite64,pwritev,sendto,sendmsg,read,readv,recvfrom,recvmsg,"
         "fdatasync,fsync,sync_file_range")
LINE = re.compile(r"^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$")


def tracing_works():
    if shutil.which("strace") is None:
        return False
    done = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True)
    return done.returncode == 0


class Call:
    def __init__(self, name, text, began):
        self.name = name
        self.text = text
        self.began = began  # Line of the entry.
        self.ended = None  # Line of the return.


def parse(trace):
    """Calls in the order of their entry; a call that never returned has no end."""
    calls, open_calls = [], {}
    for number, line in enumerate(trace.splitlines()):
        match = LINE.match(line)
        if not match:
            continue
        pid, resumed, started, rest = match.groups()
        if resumed:
            call = open_calls.pop(pid, None)
            if call is None:
                continue
            call.text += rest
            call.ended = number
            continue
        call = Call(started, rest, number)
        calls.append(call)
        if rest.endswith("<unfinished ...>"):
            open_calls[pid] = call
        else:
            call.ended = number
    return calls


def is_log_write(call):
    """RocksDB's write-ahead log is 000123.log."""
    return call.name.startswith(("write", "pwrite")) and re.match(r"\d+<[^>]*/\d+\.log>", call.text)


def is_log_sync(call):
    return (call.name in ("fdatasync", "fsync") and re.match(r"\d+<[^>]*/\d+\.log>", call.text)
            and call.text.rstrip().endswith("= 0"))


def out(call, text):
    """Onto a socket: a small result stands in the log too."""
    return call.name in ("sendto", "sendmsg") and text in call.text


def into(call, text):
    return call.name in ("read", "readv", "recvfrom", "recvmsg") and text in call.text


@unittest.skipUnless(tracing_works(), "strace cannot trace here")
class Order(Suite):
    def first(self, calls, condition, what, after=-1):
        for call in calls:
            if call.began > after and condition(call):
                return call
        raise AssertionError(f"not in the trace: {what}")

    def assert_synced_between(self, calls, begin, end, what):
        """A log write and then a sync that returned, all of it between the two lines."""
        for write in calls:
            if not (is_log_write(write) and begin < write.began):
                continue
            for sync in calls:
                later = is_log_sync(sync) and write.ended is not None and sync.began > write.ended
                if later and sync.ended is not None and sync.ended < end:
                    return
        raise AssertionError(f"no log write and finished sync before {what}")

    def test_syncs_come_before_what_they_protect(self):
        # In clear, so that the bytes can be read in the trace.
        target = self.upstream(Upstream(answer=lambda head, body: response(
            201, b"answer-" + body)))
        trace = self.fresh_folder() / "trace"
        broker = self.broker(target.port, scheme="http", wrapper=[
            "strace", "-f", "-y", "-s", "4096", "-e", f"trace={CALLS}", "-o", str(trace)])
        count = 20
        for number in range(count):
            answer = send(broker, "POST", f"http://api.example.test/pay/{number}",
                          f"body-{number}-end".encode())
            self.assertEqual(answer.status, 201)
        self.finish(broker)
        calls = parse(trace.read_text(errors="replace"))
        for number in range(count):
            with self.subTest(number):
                line, body = f"POST /pay/{number} HTTP/1.1", f"answer-body-{number}-end"
                came = self.first(
                    calls, lambda call: into(call, f"POST http://api.example.test/pay/{number} "),
                    "the caller's request")
                sent = self.first(calls, lambda call: out(call, line), "the request to the target")
                self.assert_synced_between(calls, came.ended, sent.began, "the first byte left")
                answered = self.first(calls, lambda call: into(call, body), "the answer",
                                      sent.began)
                told = self.first(calls, lambda call: out(call, body), "the answer to the caller",
                                  answered.began)
                self.assert_synced_between(calls, answered.ended, told.began,
                                           "the last byte was delivered")

    def test_a_failed_sync_sends_nothing_and_is_never_tried_again(self):
        target = self.upstream(Upstream())
        trace = self.fresh_folder() / "trace"
        # Everything after the start fails; which call that is depends on the start, so each in turn.
        for when in ("40+", "12+", "6+"):
            with self.subTest(when):
                broker = self.broker(target.port, scheme="http", start=False, wrapper=[
                    "strace", "-f", "-y", "-e", "trace=fdatasync,fsync",
                    "-e", f"inject=fdatasync:error=EIO:when={when}", "-o", str(trace)])
                broker.start(ready=False)
                if not self.became_ready(broker):
                    broker.kill()
                    continue
                for number in range(60):
                    answer = send(broker, "POST", f"http://api.example.test/{when}/{number}", b"{}")
                    if answer.status != 200:
                        break
                self.assertIn(answer.status, (502, 503, 500))
                before = len(target.requests)
                later = send(broker, "POST", f"http://api.example.test/{when}/later", b"{}")
                self.assertEqual(later.status, 503)
                self.assertEqual(later.json()["error"]["code"], "JOURNAL_UNAVAILABLE")
                self.assertIs(later.json()["evidence"]["recorded"], False)
                self.assertEqual(len(target.requests), before)
                self.assertNotEqual(broker.probe("/readyz"), 200)
                self.assertIn("sworn_journal_writable 0", broker.metrics())
                broker.kill()

    def became_ready(self, broker):
        from sworn_harness import eventually
        return eventually(lambda: broker.process.poll() is not None and "ended" or
                          broker.probe("/readyz") == 200 and "ready", "it starts or ends") == "ready"


if __name__ == "__main__":
    main()
