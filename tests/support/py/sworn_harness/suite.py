"""Base class of the suites, and how one file is run by itself."""

import os
import pathlib
import shutil
import sys
import tempfile
import unittest

from .broker import Broker
from .pki import Pki

ROOT = pathlib.Path(__file__).resolve().parents[4]


def binary():
    """SWORN_BINARY, else the release build."""
    return pathlib.Path(os.environ.get("SWORN_BINARY", ROOT / "build/release/sworn"))


class Suite(unittest.TestCase):
    """Verbs for all suites. A test's broker and upstreams end with it."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="sworn-e2e-"))
        cls.pki = Pki(cls.folder / "pki")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def fresh_folder(self):
        return pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def broker(self, port, start=True, **more):
        """A broker whose drain, journal and secrecy are checked when the test ends well."""
        made = Broker(binary(), self.fresh_folder(), self.pki, port, **more)
        self.addCleanup(made.kill)
        return made.start() if start else made

    def upstream(self, upstream):
        self.addCleanup(upstream.stop)
        return upstream

    def finish(self, broker, *secrets):
        """No secret anywhere, a good drain, a clean journal."""
        self.assertEqual(broker.leaks(broker.canary, *secrets), [])
        broker.stop()
        broker.cli("journal", "verify", check=0)

    def assert_state(self, broker, answer, phase, outcome, retry, code):
        """Envelope (if the answer is ours), Sworn-Outcome and record say the same."""
        self.assertIsNotNone(answer.id, "Sworn-Invocation")
        record = broker.settled(answer.id)
        state = record["state"]
        want = {"phase": phase, "outcome": outcome, "retry": retry, "code": code}
        self.assertEqual({key: state[key] for key in want}, want, "record")
        header = answer.outcome()
        if header is not None:
            self.assertEqual(header.pop("id", answer.id), answer.id)
            self.assertEqual({key: header[key] for key in want}, want, "Sworn-Outcome")
        self.assertIn("sworn", answer.header("Proxy-Status") or "")
        if answer.header("Content-Type") == "application/problem+json":
            envelope = answer.json()
            self.assertEqual({key: envelope["error"][key] for key in want}, want, "envelope")
            self.assertEqual(envelope["invocation_id"], answer.id)
            self.assertEqual(envelope["status"], answer.status)
            self.assertEqual(envelope["type"], f"urn:sworn:error:{code}")
        return record


def main():
    """python3 tests/e2e/http_test.py [TestClass.test_name]"""
    unittest.main(argv=sys.argv, verbosity=2)
