"""Workers for the tests of pools: processes import them."""

from __future__ import annotations

import os
import signal
import threading
import time


class Echo:
    """Replies with the bytes that it received."""

    def __init__(self, number: int) -> None:
        self.number = number

    def who(self) -> bytes:
        return str(self.number).encode()

    def process(self) -> bytes:
        return f"{os.getpid()} {threading.get_ident()}".encode()

    def both(self, a: bytes, b: bytes) -> bytes:
        return a + b

    def slow(self, seconds: bytes) -> bytes:
        time.sleep(float(seconds))
        return seconds

    def wrong(self, text: bytes) -> bytes:
        raise ValueError(text.decode())

    def odd(self) -> bytes:
        class Odd(Exception):  # noqa: N818
            pass

        raise Odd("not to be pickled")

    def die(self) -> bytes:
        os.kill(os.getpid(), signal.SIGKILL)
        return b""


def broken(number: int) -> Echo:
    raise LookupError(f"no worker {number}")
