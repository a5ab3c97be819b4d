#!/usr/bin/env python3
"""kill -9 at random moments under load. The model, for every action:

- the target saw a byte of it      => its record is not `not_attempted`;
- its caller got the whole answer  => its record is `committed`;
- its record is `committed`        => the target saw it exactly once, and its result is there;
- no record, or `not_attempted`    => the target saw nothing;
- whatever happened                => the target saw it at most once.
"""

import os
import pathlib
import random
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support/py"))

from sworn_harness import Suite, Upstream, main, response, send  # noqa: E402

ROUNDS = int(os.environ.get("SWORN_KILL_ROUNDS", "50"))
CALLERS = 8
SEED = int(os.environ.get("SWORN_SEED", "0")) or random.SystemRandom().randrange(1 << 32)


class Load:
    """Callers that post until they are stopped; `ended` maps a token to its whole answer."""

    def __init__(self, broker, round_number):
        self._broker = broker
        self._round = round_number
        self._stop = threading.Event()
        self.tokens = []
        self.ended = {}
        self._threads = [threading.Thread(target=self._run, args=(number,), daemon=True)
                         for number in range(CALLERS)]
        for thread in self._threads:
            thread.start()

    def _run(self, caller):
        for number in range(10_000):
            if self._stop.is_set():
                return
            token = f"k-{self._round}-{caller}-{number}-"
            self.tokens.append(token)
            try:
                answer = send(self._broker, "POST", f"http://api.example.test/pay/{token}",
                              token.encode(), [("Sworn-Token", token)])
            except OSError:
                return
            if answer.complete and answer.status == 201:
                self.ended[token] = answer

    def stop(self):
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=40)


class Kill(Suite):
    def answer(self, head, body):
        # Some results are small, some travel in parts.
        size = 200_000 if body.endswith(b"7-") else 10
        time.sleep(self.random.random() * 0.01)
        return response(201, body + b"x" * size)

    def check(self, broker, target, load):
        for token in load.tokens:
            sends = target.count(f"/pay/{token} ")
            found = broker.by_token(token)
            outcome = found[0]["state"]["outcome"] if found else None
            where = f"{token} seed {SEED}: {sends} sends, {outcome}"
            self.assertLessEqual(sends, 1, where)
            self.assertLessEqual(len(found), 1, where)
            if sends:
                self.assertIn(outcome, ("unknown", "committed"), where)
            if outcome in (None, "not_attempted"):
                self.assertEqual(sends, 0, where)
            if found:
                self.assertFalse(found[0]["state"]["running"], where)
            if token in load.ended:
                self.assertEqual(outcome, "committed", where)
                self.assertEqual(found[0]["invocation_id"], load.ended[token].id, where)
            if outcome == "committed":
                self.assertEqual(sends, 1, where)
                status, headers, body = broker.result(found[0]["invocation_id"])
                self.assertEqual((status, headers["Sworn-Result-Status"]), (200, "201"), where)
                self.assertTrue(body.startswith(token.encode()), where)

    def check_no_second_send(self, broker, target, load):
        """The same tokens again: replays and recorded envelopes, and nothing twice."""
        for token in self.random.sample(load.tokens, min(4, len(load.tokens))):
            send(broker, "POST", f"http://api.example.test/pay/{token}", token.encode(),
                 [("Sworn-Token", token)])
            self.assertLessEqual(target.count(f"/pay/{token} "), 1, f"{token} seed {SEED}")

    def test_the_model_holds_over_many_kills(self):
        print(f"seed {SEED}, {ROUNDS} rounds")
        self.random = random.Random(SEED)
        target = self.upstream(Upstream(answer=self.answer, tls=self.pki.pair()))
        broker = self.broker(target.port, start=False)
        checked = ended = 0
        for number in range(ROUNDS):
            broker.start()
            load = Load(broker, number)
            threading.Event().wait(self.random.random() * 0.6)
            broker.kill()
            load.stop()
            broker.start()
            self.check(broker, target, load)
            self.check_no_second_send(broker, target, load)
            broker.kill()
            broker.cli("journal", "verify", check=0)
            checked += len(load.tokens)
            ended += len(load.ended)
            target.requests.clear()
        print(f"{checked} actions, {ended} of them answered before a kill")
        self.assertGreater(ended, ROUNDS)
        self.assertGreater(checked, ended)
        broker.start()
        self.finish(broker)

    def test_recovery_may_be_killed_too(self):
        self.random = random.Random(SEED)
        target = self.upstream(Upstream(answer=self.answer, tls=self.pki.pair()))
        broker = self.broker(target.port)
        load = Load(broker, 0)
        threading.Event().wait(1.0)
        broker.kill()
        load.stop()
        for _ in range(5):
            broker.start(ready=False)
            threading.Event().wait(self.random.random() * 0.1)
            broker.kill()
        broker.start()
        self.check(broker, target, load)
        self.finish(broker)


if __name__ == "__main__":
    main()
