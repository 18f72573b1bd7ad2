"""Install Debian's Chromium for the tests of the page: `python -m tests.serve.page.install`.

A browser that is on the PATH is left alone. Installing a package needs to be root.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys


def main() -> None:
    if shutil.which("chromium") is not None:
        return
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        sys.exit("chromium is needed to test the page: install it with the system's packages")
    for command in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        done = subprocess.run([apt, "-q", *command], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"apt-get {command[0]} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
