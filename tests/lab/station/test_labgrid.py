# SPDX-License-Identifier: Apache-2.0
"""A place of labgrid is measured: its own coordinator, exporter, client and pytest plugin."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import needs
import pytest
from command import environment

from lab.station.played import CONTROL, Played
from lab.station.server import PORT, keys, listening
from lab.station.test_box import GATEWAY, PLAN

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 60.0
HUB = "127.0.0.1:20408"
KEEPING = f'cd "$0" && exec "$1" --listen {HUB}'  # it keeps its places where it is started
RESOURCES = f"""
desk:
  NetworkService: {{ address: {CONTROL["gw"]}.2, username: root, port: {PORT} }}
"""
PLACE = """
targets:
  main:
    resources: {{ RemotePlace: {{ name: box }} }}
    drivers:
      GatemarkDriver:
        command: {command}
        station:
          gateway:
            {{ lan: eth0, wan: eth1, set: observe, key: {here}/key, known_hosts: {here}/known }}
          lan: {{ nic: enp3s0, ipv4: 192.168.1.10/24, ipv6: "2001:db8:1::10/64" }}
          wan: {{ nic: enp4s0, ipv4: 203.0.113.10/24, ipv6: "2001:db8:2::10/64" }}
imports: [gatemark_labgrid.py]
"""
TEST = """
from pathlib import Path

pytest_plugins = ["gatemark_labgrid"]
HERE = Path(__file__).parent

def test_all_packets_of_a_few_are_routed(gatemark):
    rows = gatemark.run(str(HERE / "plan.toml"), "--out", str(HERE / "run"))
    lost = [row["value"] for row in rows if row["quantity"] == "loss_ratio"]
    assert len(lost) == 4 and not any(lost), rows
"""


@pytest.fixture(scope="module")
def labgrid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of labgrid's programs, in an environment of their own."""
    return needs.installed(tmp_path_factory.mktemp("labgrid"), "labgrid")


@pytest.fixture(scope="module")
def place(labgrid: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Played, Path]]:
    """A host on which a place `box` was acquired, and the folder with what its tests need."""
    folder = tmp_path_factory.mktemp("place")
    keys(folder)
    (folder / "plan.toml").write_text(PLAN)
    (folder / "resources.yaml").write_text(RESOURCES)
    (folder / "test_it.py").write_text(TEST)
    command = Path(sys.executable).with_name("gatemark")
    (folder / "place.yaml").write_text(PLACE.format(here=folder, command=command))
    shutil.copy(ROOT / "templates/gatemark_labgrid.py", folder)
    with ExitStack() as stack:
        host = stack.enter_context(listening(folder))
        host.on("gw", "sh", "-ec", GATEWAY)
        host.run("ip", "link", "set", "lo", "up")
        exporter = ("--coordinator", HUB, "--name", "here", folder / "resources.yaml")
        _begin(stack, host, "sh", "-c", KEEPING, folder, labgrid / "labgrid-coordinator")
        _until(host.words("ss", "-ltn"), HUB.rpartition(":")[2])  # an exporter does not try again
        _begin(stack, host, labgrid / "labgrid-exporter", *exporter)
        client = host.words(labgrid / "labgrid-client", "-x", HUB)
        _until([*client, "resources"], "here/desk/NetworkService")
        for line in ("create", "add-match here/desk/*", "acquire"):
            subprocess.run([*client, "-p", "box", *line.split()], check=True)
        yield host, folder


def _begin(stack: ExitStack, host: Played, *words: str | Path) -> None:
    """Start a program on the host that ends with the stack."""
    quiet = subprocess.DEVNULL
    begun = subprocess.Popen(host.words(*words), stdout=quiet, stderr=quiet)
    stack.callback(begun.wait)
    stack.callback(begun.terminate)


def _until(command: list[str], word: str) -> None:
    """Wait until a command prints a word."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if word in done.stdout:
            return
        time.sleep(0.2)
    pytest.fail(f"{command}: {done.stdout}{done.stderr}")


def test_a_test_of_labgrid_measures_its_place(labgrid: Path, place: tuple[Played, Path]) -> None:
    host, folder = place
    options = ("--lg-env", folder / "place.yaml", "--lg-coordinator", HUB)
    pytest_ = (labgrid / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options)
    done = subprocess.run(
        host.words(*pytest_, folder / "test_it.py"),
        cwd=folder,
        env=environment({"PYTHONPATH": str(folder)}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
