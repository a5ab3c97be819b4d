#!/usr/bin/env python3
"""SIGTERM drains, a second one stops, SIGHUP reloads."""

import concurrent.futures
import pathlib
import signal
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support/py"))

from sworn_harness import Caller, Suite, Upstream, eventually, main, response, send  # noqa: E402

PAY = "http://api.example.test/pay"


class Drain(Suite):
    def setUp(self):
        self.gate = threading.Event()
        self.addCleanup(self.gate.set)

        def script(connection):
            while True:
                connection.read_request()
                self.gate.wait(20)
                connection.send(response(201, b"paid"))
        self.target = self.upstream(Upstream(script, tls=self.pki.pair()))

    def test_running_actions_end_and_new_ones_are_refused(self):
        broker = self.broker(self.target.port)
        kept = Caller(broker.proxy)
        self.addCleanup(kept.close)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            running = [pool.submit(send, broker, "POST", f"{PAY}/{number}", b"{}")
                       for number in range(8)]
            eventually(lambda: len(self.target.requests) == 8, "eight are sent")
            broker.signal(signal.SIGTERM)
            eventually(lambda: broker.probe("/readyz") != 200, "it is no longer ready")
            self.assertIsNone(broker.process.poll(), "it waits for what runs")
            try:
                kept.request("POST", PAY + "/late", b"{}")
                late = kept.answer()
            except OSError:
                late = None
            if late is not None and late.status:
                self.assertEqual(late.status, 503)
                self.assertEqual(late.json()["error"]["code"], "BROKER_DRAINING")
            self.gate.set()
            answers = [one.result(timeout=30) for one in running]
        self.assertEqual([one.status for one in answers], [201] * 8)
        self.assertEqual(broker.process.wait(timeout=30), 0)
        self.assertEqual(self.target.count("/late"), 0)
        broker.start()
        for answer in answers:
            self.assertEqual(broker.state(answer.id)[1], "committed")
        self.finish(broker)

    def test_a_second_signal_stops_at_once_and_claims_nothing(self):
        broker = self.broker(self.target.port)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(send, broker, "POST", PAY, b"{}", [("Sworn-Token", "t-cut")])
            eventually(lambda: self.target.requests, "it is sent")
            broker.signal(signal.SIGTERM)
            eventually(lambda: broker.probe("/readyz") != 200, "it drains")
            broker.signal(signal.SIGTERM)
            broker.process.wait(timeout=15)
            answer = running.result(timeout=15)
        self.assertFalse(answer.complete and answer.status == 201)
        broker.start()
        record = broker.by_token("t-cut")[0]
        self.assertEqual((record["state"]["outcome"], record["state"]["retry"]),
                         ("unknown", "reconcile"))
        self.finish(broker)

    def test_a_drain_ends_at_its_deadline(self):
        broker = self.broker(self.target.port, config={"timeouts": {"drain": "500ms"}})
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(send, broker, "POST", PAY, b"{}", [("Sworn-Token", "t-late")])
            eventually(lambda: self.target.requests, "it is sent")
            broker.signal(signal.SIGTERM)
            broker.process.wait(timeout=15)
            running.result(timeout=15)
        broker.start()
        self.assertEqual(broker.by_token("t-late")[0]["state"]["outcome"], "unknown")
        self.finish(broker)

    def test_a_bad_reload_is_refused_and_a_good_one_counts(self):
        self.gate.set()
        broker = self.broker(self.target.port)
        good = broker.config_file.read_text()
        broker.config_file.write_text(good.replace('"data_dir"', '"data_dri"'))
        broker.signal(signal.SIGHUP)
        eventually(lambda: "data_dri" in broker.log(), "the fault is told")
        self.assertEqual(send(broker, "POST", PAY, b"{}").status, 201)
        broker.config["routes"][-1]["match"]["path"] = "/other/"
        broker.write_config()
        broker.signal(signal.SIGHUP)
        eventually(lambda: send(broker, "POST", PAY, b'{"n":2}').status == 403, "it is reloaded")
        self.finish(broker)

    def test_two_brokers_cannot_share_a_journal(self):
        broker = self.broker(self.target.port)
        second = self.broker(self.target.port, start=False)
        second.config["data_dir"] = broker.config["data_dir"]
        second.start(ready=False)
        self.assertNotEqual(second.process.wait(timeout=20), 0)
        self.finish(broker)


if __name__ == "__main__":
    main()
