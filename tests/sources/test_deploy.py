"""The files of examples/deploy: their syntax, and their commands without Docker."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import riparian as rp
from riparian.sources.metrics import Metrics
from tests.inside import learner_of
from tests.sources.kafka_bench import KafkaBench

DEPLOY = Path(__file__).parents[2] / "examples" / "deploy"
ROOT = DEPLOY.parents[1]

#: What a line of a Dockerfile may begin with; of these, only the ones that are used.
INSTRUCTIONS = {
    *("FROM", "RUN", "WORKDIR", "COPY", "ENV", "USER"),
    *("VOLUME", "STOPSIGNAL", "ENTRYPOINT", "CMD"),
}


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, with continued lines joined and comments left out."""
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    text = "\n".join(line for line in lines if line and not line.startswith("#"))
    joined = re.sub(r"\\\n\s*", " ", text)
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in joined.splitlines())]


def test_the_dockerfile_has_two_stages_and_does_not_run_as_root():
    found = instructions()
    assert {name for name, _ in found} <= INSTRUCTIONS
    stages = [i for i, (name, _) in enumerate(found) if name == "FROM"]
    assert len(stages) == 2
    last = found[stages[-1] :]
    assert [rest for name, rest in last if name == "USER"] == ["10001"]
    assert json.loads(dict(last)["ENTRYPOINT"]) == ["riparian"]
    # What only the compiler needs stays behind.
    assert not any("g++" in rest for _, rest in last)


def test_what_the_dockerfile_copies_is_there():
    for name, rest in instructions():
        if name == "COPY" and "--from" not in rest:
            *files, _ = rest.split()
            assert all((ROOT / file).exists() for file in files), rest


def test_the_dockerfile_copies_all_that_the_build_reads():
    copied = {file for name, rest in instructions() if name == "COPY" for file in rest.split()}
    assert {"pyproject.toml", "CMakeLists.txt", "core", "bindings", "src"} <= copied
    project = (ROOT / "pyproject.toml").read_text()
    for file in re.findall(r'^(?:readme = |license-files = \[)"([^"]+)"', project, re.MULTILINE):
        assert file in copied


def documents(name: str) -> list[Any]:
    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


def test_the_compose_file_is_whole():
    [compose] = documents("docker-compose.yml")
    services = compose["services"]
    for service in services.values():
        assert ("image" in service) != ("build" in service)
        assert set(service.get("depends_on", {})) <= set(services)
        for volume in service.get("volumes", []):
            place = volume.split(":")[0]
            assert place in compose["volumes"] or (DEPLOY / place).is_file()
    learner = services["learner"]
    assert learner["read_only"] is True
    build = DEPLOY / learner["build"]["context"]
    assert (build / learner["build"]["dockerfile"]).resolve() == DEPLOY / "Dockerfile"


def test_prometheus_asks_where_the_learner_serves():
    [compose] = documents("docker-compose.yml")
    [prometheus] = documents("prometheus.yml")
    [scrape] = prometheus["scrape_configs"]
    command = compose["services"]["learner"]["command"]
    port = command[command.index("--metrics") + 1].partition(":")[2]
    assert scrape["static_configs"] == [{"targets": [f"learner:{port}"]}]
    assert all((DEPLOY / file).is_file() for file in prometheus["rule_files"])


def test_alerts_are_about_metrics_that_there_are(tmp_path):
    learning = rp.learn(rp.HAT(), "synth:sea?rows=2000", checkpoint=tmp_path, metrics="0")
    families = {family.name for family in Metrics(learner_of(learning)).collect()}
    learning.join(60)
    families |= {family.name for family in Metrics(learner_of(learning)).collect()}
    [alerts] = documents("alerts.yml")
    rules = [rule for group in alerts["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["annotations"]["summary"]
        assert rule["expr"].count("(") == rule["expr"].count(")")
        used = {name.removesuffix("_total") for name in re.findall(r"riparian_\w+", rule["expr"])}
        assert used <= families, rule["alert"]
        assert used or rule["alert"] == "LearnerDown"


def test_promtool_accepts_the_files():
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool is not installed")
    subprocess.run([program, "check", "config", str(DEPLOY / "prometheus.yml")], check=True)


def test_the_kubernetes_manifest_is_whole():
    stateful, secret = documents("kubernetes.yml")
    spec = stateful["spec"]
    assert (stateful["kind"], secret["kind"]) == ("StatefulSet", "Secret")
    assert spec["replicas"] == 1
    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
    pod = spec["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    [container] = pod["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    volumes = {v["name"] for v in pod["volumes"]}
    volumes |= {v["metadata"]["name"] for v in spec["volumeClaimTemplates"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == volumes
    assert json.loads(secret["stringData"]["options.json"])
    [port] = container["ports"]
    for probe in ("livenessProbe", "readinessProbe"):
        assert container[probe]["httpGet"]["port"] == port["name"]
    assert f"--metrics=0.0.0.0:{port['containerPort']}" in container["args"]


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(DEPLOY / "riparian-learn.service")
    return parser


def test_the_unit_does_not_restart_what_somebody_must_look_at():
    service = unit()["Service"]
    assert service["Restart"] == "on-failure"
    assert service["RestartPreventExitStatus"].split() == ["2", "3", "4"]


def test_systemd_accepts_the_unit():
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    done = subprocess.run(
        [program, "verify", str(DEPLOY / "riparian-learn.service")], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def command(kind: str) -> list[str]:
    """What is given to `riparian`."""
    if kind == "compose":
        [compose] = documents("docker-compose.yml")
        return list(compose["services"]["learner"]["command"])
    if kind == "kubernetes":
        pod = documents("kubernetes.yml")[0]["spec"]["template"]["spec"]
        return list(pod["containers"][0]["args"])
    env, program, *arguments = shlex.split(unit()["Service"]["ExecStart"])
    assert (env, program) == ("/usr/bin/env", "riparian")
    return arguments


@pytest.mark.servers
@pytest.mark.parametrize("kind", ["compose", "kubernetes", "systemd"])
def test_the_commands_run(kafka_mock, tmp_path, kind):
    bench = KafkaBench(kafka_mock)
    for i, name in enumerate(bench.partitions):
        labels = ["yes" if j % 2 else "no" for j in range(300)]
        rows = [json.dumps({"x": j % 7 + i, "label": label}) for j, label in enumerate(labels)]
        bench.write(name, [row.encode() for row in rows])
    secret = documents("kubernetes.yml")[1]["stringData"]
    (tmp_path / "options.json").write_text(secret["options.json"])
    places = {
        "kafka://kafka:9092/clicks": bench.address,
        "kafka://localhost:9092/clicks": bench.address,
        "/state/checkpoint": str(tmp_path / "state"),
        "/state": str(tmp_path / "state"),
        "${STATE_DIRECTORY}": str(tmp_path / "state"),
        "/secrets/options.json": str(tmp_path / "options.json"),
        # Tests run at the same time: each takes a free port.
        "0.0.0.0:9464": "127.0.0.1:0",
        "127.0.0.1:9464": "127.0.0.1:0",
    }
    arguments = []
    for argument in command(kind):
        head, equals, value = (
            argument.rpartition("=") if re.search("=[/0]", argument) else ("", "", argument)
        )
        arguments.append(head + equals + places.get(value, value))
    run = [sys.executable, "-m", "riparian", *arguments, "--until-end", "--json"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "state" / "state.db").exists()
    assert "1200" in done.stdout
    assert "metrics are at http://127.0.0.1:" in done.stderr
