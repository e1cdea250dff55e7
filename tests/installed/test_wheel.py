# SPDX-License-Identifier: Apache-2.0
"""From the sdist to a wheel, to an installation that nobody may write to, to an answer.

No network: what gatemark needs is taken from the interpreter of the tests. The wheel is for this
machine, whose objects are those that the repository has, and for two processors that are built from
the sdist alone; the agent's own tests build it for the other two.
"""

import os
import platform
import pwd
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import textwrap
import zipfile
from collections.abc import Sequence
from email.parser import HeaderParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("hatchling", reason="no hatchling: make setup")
pytest.importorskip("ziglang", reason="no zig: make setup")
# A build for two processors takes minutes of a busy machine.
pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

ROOT = Path(__file__).resolve().parents[2]
BUILT = (platform.machine(), *(name for name in ("aarch64", "armv7") if name != platform.machine()))
FOLDERS = ("agent", "algorithms", "classifier")
UV = (sys.executable, "-m", "uv")
CONTAINER = ("unshare", "--pid", "--mount", "--mount-proc", "--fork", "--kill-child")
# A mount namespace of its own: the installation is read-only, and the home that the user database
# names is an empty folder.
READ_ONLY = """
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount --bind "$2" "$3" || exit 125
shift 3
exec env -i PATH=/usr/bin:/bin "$@"
"""


def call(*command: str | Path, cwd: Path, **more: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env = {**kept, **more}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def take_over(name: str, source: Path) -> None:
    """This machine's objects, built anew where they are older than the repository's sources."""
    zig = f"ZIG={shlex.join((sys.executable, '-m', 'ziglang'))}"
    call("make", "-s", "-j2", "-C", name, "install", zig, f"PYTHON={sys.executable}", cwd=ROOT)
    for built in (platform.machine(), "bpf"):
        if (objects := ROOT / name / "build" / built).is_dir():
            shutil.copytree(objects, source / name / "build" / built)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made from the sdist alone, in a folder whose path has a space."""
    folder = tmp_path_factory.mktemp("from sdist")
    call(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    (sdist,) = folder.glob("*.tar.gz")
    call("tar", "xf", sdist, cwd=folder)
    (source,) = (path for path in folder.iterdir() if path.is_dir())
    for name in FOLDERS:
        take_over(name, source)
    targets = {"GATEMARK_TARGETS": " ".join(BUILT)}
    build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    call(*build, cwd=source, **targets)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def venv(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean environment with the wheel, and with this interpreter's packages behind it."""
    folder = tmp_path_factory.mktemp("an installation") / "venv"
    call(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    python = folder / "bin/python"
    call(
        *UV, "pip", "install", "-q", "--python", python, "--no-deps", "--no-index", wheel, cwd=ROOT
    )
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def gatemark(venv: Path, *words: str, home: Path, cwd: Path) -> str:
    """What an installed `gatemark` prints: read-only, without HOME, from some other folder."""
    place = pwd.getpwuid(0).pw_dir
    inside = ["sh", "-c", READ_ONLY, "sh", str(venv), str(home), place]
    return call("unshare", "--mount", *inside, venv / "bin/gatemark", *words, cwd=cwd)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def test_the_wheel_is_for_this_kind_of_machine(wheel: Path) -> None:
    tag = f"py3-none-manylinux_2_17_{platform.machine()}"
    assert wheel.name.endswith(f"-{tag}.whl")
    text = member(wheel, ".dist-info/WHEEL")
    assert f"Tag: {tag}" in text
    assert "Root-Is-Purelib: false" in text


def test_the_wheel_holds_its_agents_and_both_plugins_runnable(wheel: Path) -> None:
    files = members(wheel)
    for target in BUILT:
        assert files[f"gatemark/agents/{target}/gm-agent"].external_attr >> 16 & 0o111
    assert {f"gatemark/counters/counter-{n}.so" for n in (1, 2)} < files.keys()


def test_the_wheel_holds_all_data_of_the_package_but_what_coverage_reads(wheel: Path) -> None:
    listed = call("git", "ls-files", "src/gatemark", cwd=ROOT).splitlines()
    lacks = {name.removeprefix("src/") for name in listed} - members(wheel).keys()
    assert lacks == {"gatemark/reference/requirements.csv", "gatemark/reference/rows.toml"}


def test_the_wheel_holds_the_pages_that_explain_prints(wheel: Path) -> None:
    docs = ROOT / "docs"
    numbers = {f"gatemark/{path.relative_to(docs)}" for path in (docs / "numbers").rglob("*.md")}
    assert numbers
    assert numbers | {"gatemark/docs/stations.md"} <= members(wheel).keys()


def test_the_wheel_names_its_licences_and_holds_their_texts(wheel: Path) -> None:
    metadata = HeaderParser().parsestr(member(wheel, ".dist-info/METADATA"))
    expression = (
        "Apache-2.0 AND GPL-2.0-or-later AND (GPL-2.0-only OR BSD-2-Clause) AND MIT "
        "AND BSD-3-Clause AND ISC"
    )
    assert metadata["License-Expression"] == expression
    for name in metadata.get_all("License-File") or ():
        assert member(wheel, f".dist-info/licenses/{name}") == (ROOT / name).read_text()


def member(wheel: Path, end: str) -> str:
    (name,) = (name for name in members(wheel) if name.endswith(end))
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(name).decode()


def members(wheel: Path) -> dict[str, zipfile.ZipInfo]:
    with zipfile.ZipFile(wheel) as archive:
        return {info.filename: info for info in archive.infolist()}


def test_doctor_finds_nothing_missing(venv: Path, home: Path, tmp_path: Path) -> None:
    lines = gatemark(venv, "doctor", home=home, cwd=tmp_path).splitlines()
    assert [line for line in lines if line.startswith("NO")] == []
    assert any(line.split()[:3] == ["ok", "agent", "gm-agent"] for line in lines)


def test_agents_are_told_where_they_are(venv: Path, home: Path, tmp_path: Path) -> None:
    wanted = [word for target in BUILT for word in ("--target", target)]
    text = gatemark(venv, "agent", "build", *wanted, home=home, cwd=tmp_path)
    assert [line.partition(":")[0] for line in text.splitlines()] == [*BUILT]
    assert str(venv) in text


def test_it_measures_shows_and_reports(venv: Path, home: Path, tmp_path: Path) -> None:
    once: Sequence[str] = ("--set=repeat.times=1", "--set=workload.duration_s=0.3", "--out=first")
    gatemark(venv, "run", "rfc/ceiling", *once, home=home, cwd=tmp_path)
    shown = gatemark(venv, "show", "first", home=home, cwd=tmp_path)
    assert shown.startswith("The tester alone carries")
    gatemark(venv, "report", "first", "--out", "page.html", home=home, cwd=tmp_path)
    assert "vegaEmbed" in (tmp_path / "page.html").read_text()
    # It keeps nothing where it was not asked to.
    assert list(home.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "home", "page.html"]


def steps(file: str, command: str) -> list[str]:
    """The shell of each step of a recipe for CI, in order."""
    blocks = re.findall(command, (ROOT / file).read_text(), re.MULTILINE)
    return [textwrap.dedent(block) for block in blocks]


ACTION = steps("action.yml", r"^ +run: \|\n((?:(?: {8}.*)?\n)+)")
COMPONENT = steps("templates/gatemark.yml", r"^    - ((?:python3|\.gatemark).*)")


@pytest.mark.parametrize("shell", [ACTION, COMPONENT], ids=["GitHub", "GitLab"])
def test_a_recipe_for_ci_counts_with_the_wheel_alone(
    shell: Sequence[str], wheel: Path, tmp_path: Path
) -> None:
    asked = {"OLD": "nat", "NEW": "nat+filter:10", "STATION": "qemu-x86", "ALLOW": "90%"}
    alone = {"PACKAGE": str(wheel), "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1"}
    runner = {"RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    for step in shell:
        words = (*CONTAINER, "bash", "-e", "-c", step)
        call(*words, cwd=tmp_path, **asked, **alone, **runner)
        for packages in tmp_path.glob("*gatemark/lib/python*/site-packages"):
            (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    cases = ElementTree.parse(tmp_path / "counted.xml").getroot().findall(".//testcase")  # noqa: S314
    assert cases
