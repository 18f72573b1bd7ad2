"""A run in the background ignores Ctrl-C, and so would every program that it starts."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
