"""Ctrl-C and errors in the middle of a call, and an end for a call that hangs."""

from __future__ import annotations

import linecache
import signal
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import riparian as rp

PACKAGE = str(Path(rp.__file__).parent)
#: A step that takes longer hangs.
SECONDS = 10


class HangError(Exception):
    """A step does not end."""


class Alarm:
    """The timer of this process. A signal that comes late, from another thread, does nothing."""

    end = 0.0


def _hangs(*_):
    if time.monotonic() >= Alarm.end - 0.1:
        raise HangError(f"a step took more than {SECONDS} seconds")


def _watch():
    Alarm.end = time.monotonic() + SECONDS
    signal.signal(signal.SIGALRM, _hangs)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)


@contextmanager
def watched():
    """Ends a step that hangs, with an error."""
    before = signal.getsignal(signal.SIGALRM)
    _watch()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def interrupted_by_timer(call, delay):
    """Whether a timer's KeyboardInterrupt ended a call; it comes once, if at all."""
    running = True

    def interrupt(*_):
        if running:
            raise KeyboardInterrupt

    try:
        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, delay)
        try:
            call()
        finally:
            running = False
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        return True
    finally:
        _watch()
    return False


def interrupted_by_thread(call, delay, send):
    """Whether another thread's Ctrl-C ended a call."""

    def later():
        time.sleep(delay)
        send()

    thread = threading.Thread(target=later, daemon=True)
    try:
        thread.start()
        try:
            call()
        finally:
            while thread.is_alive():
                thread.join(0.001)
            time.sleep(0)  # where a late one is raised
    except KeyboardInterrupt:
        return True
    return False


class RaiseAt:
    """Raises an error at the n-th line of the package that a call runs."""

    def __init__(self, n, error):
        self.left, self.error, self.where = n, error, None
        self.passed: list[str] = []

    def __enter__(self):
        sys.settrace(self._called)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def _called(self, frame, event, argument):
        return self._line if frame.f_code.co_filename.startswith(PACKAGE) else None

    def _line(self, frame, event, argument):
        if event == "line" and self.where is None and _can_fail(frame):
            self.left -= 1
            name = Path(frame.f_code.co_filename).name
            where = f"{name}:{frame.f_lineno} ({frame.f_code.co_name})"
            self.passed.append(where)
            if self.left < 0:
                self.where = where
                raise self.error(f"at {where}")
        return self._line


def _can_fail(frame):
    """Nothing fails at a try, and signals are not handled between a with block and its end."""
    text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return text != "try:" and not text.startswith("with ")
