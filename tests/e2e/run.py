#!/usr/bin/env python3
"""Runs end-to-end suites: --quick (default), --full (crash, tracing), or single files.

The last line is "N passed, N failed".
"""

import argparse
import importlib.util
import os
import pathlib
import sys
import time
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "support/py"))

QUICK = ["e2e/http_test.py", "e2e/repeat_test.py", "e2e/caller_test.py", "e2e/leak_test.py",
         "e2e/drain_test.py"]
FULL = ["crash/kill_test.py", "crash/strace_test.py"]


class Report(unittest.TextTestResult):
    """Counts tests that failed; a failed subtest fails its test once."""

    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.began = 0.0

    def startTest(self, test):
        self.began = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        self.stream.writeln(f"    {time.monotonic() - self.began:.1f} s")
        super().stopTest(test)

    def bad(self):
        return {id(getattr(test, "test_case", test)) for test, _ in self.failures + self.errors}


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return unittest.defaultTestLoader.loadTestsFromModule(module)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--binary", default=str(TESTS.parent / "build/release/sworn"))
    parser.add_argument("-k", action="append", help="only tests whose name holds this")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    binary = pathlib.Path(options.binary).resolve()
    if not os.access(binary, os.X_OK):
        print(f"run.py: {binary} is not there; build it with: cmake --build --preset release")
        print("0 passed, 1 failed")
        return 1
    os.environ["SWORN_BINARY"] = str(binary)
    if options.k:
        unittest.defaultTestLoader.testNamePatterns = [f"*{one}*" for one in options.k]

    files = list(options.files)
    if not files:
        files = (FULL if options.full else []) + (QUICK if options.quick or not options.full else [])
    paths = [path if (path := pathlib.Path(one)).exists() else TESTS / one for one in files]
    tests = unittest.TestSuite(load(path) for path in paths)
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Report)
    result = runner.run(tests)
    failed = len(result.bad()) + len(result.unexpectedSuccesses)
    passed = max(result.testsRun - failed - len(result.skipped), 0)
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed else 1


if __name__ == "__main__":
    sys.exit(main())
