"""Lets a build of the package on PYTHONPATH come before the one that `make develop` installed.

Copied there as ``sitecustomize.py``, which Python runs at its start. The working tree is otherwise
imported first: its finder comes before the path.
"""

import sys

sys.meta_path[:] = [f for f in sys.meta_path if "ScikitBuild" not in type(f).__name__]
