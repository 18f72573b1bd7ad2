"""What holds for every test."""

import os
import signal

from hypothesis import HealthCheck, settings

# A run in the background ignores Ctrl-C, and so would every program that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# scikit-learn's checks of array API dispatch need it before SciPy is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# The time of an example says nothing on a busy machine.
settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")
