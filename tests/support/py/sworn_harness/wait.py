"""The one place that polls."""

import time

PATIENCE = 15.0


def eventually(condition, what, timeout=PATIENCE):
    """The first true value of condition(); OSErrors count as not yet."""
    deadline = time.monotonic() + timeout
    last = None
    while True:
        try:
            value = condition()
            if value:
                return value
        except OSError as error:
            last = error
        if time.monotonic() > deadline:
            raise AssertionError(f"never happened within {timeout} s: {what} ({last})")
        time.sleep(0.01)
