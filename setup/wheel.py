# SPDX-License-Identifier: Apache-2.0
"""What hatchling calls to build a wheel: agents, algorithms, classifiers, QEMU's plugin, pages.

All agents are in every wheel, since a box may have any of the processors. So is the program that
times algorithms, at -O3; for the machine that measures it is there at all levels. The plugin is for
the machine that QEMU runs on, so the wheel is for that kind of machine alone: this one, or the one
that GATEMARK_MACHINE names. `any` has no program at all: it reads, reports and exports wherever
there is a Python. GATEMARK_TARGETS names the processors where somebody needs a wheel for these
alone. An editable install (the set-up) calls this too and builds nothing: `setup/install` builds
what its machine needs.
"""

import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TARGETS: Final = ("x86_64", "aarch64", "armv7", "mips", "mipsel")
TESTERS: Final = ("x86_64", "aarch64")  # machines that a wheel can be for
ANY: Final = "any"
NAMES: Final = Path("counter/subsystems.toml")  # what paths of packets are told by
# The agents are static. The plugin alone needs a libc, so it is linked for a glibc of 2012.
GLIBC: Final = (2, 17)
PACKAGE: Final = Path("src/gatemark")
MANUAL: Final = Path("build/man")  # where setup/dist writes the man pages
PAGES: Final = Path("docs/numbers")  # what `gatemark explain` reads; in the package `numbers`
EVIDENCE: Final = ("architecture", "coverage", "decisions", "measured")  # pages for reviewers
SUM: Final = Path("agents/sources.sha256")  # a clone of the same sources takes these programs
# Folder of the package -> what a processor has there.
PROGRAMS: Final = {
    "agents": ("gm-agent", "gm-agent-tester", "gm-agent-watcher", "gm-agent-capturer"),
    "algorithms": ("gm-algorithms-O3",),
    "classifiers": ("gm-classifier",),
}


class BuildError(Exception):
    """The wheel would not be whole; the message says what it lacks."""


class Parts(BuildHookInterface[Any]):
    """Builds what is missing, and refuses to make a wheel without it."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is packed; `editable` is a wheel that points to the sources."""
        if version == "editable":
            return
        root = Path(self.root)
        machine = os.environ.get("GATEMARK_MACHINE", platform.machine())
        guides = (path for path in (root / "docs").glob("*.md") if path.stem not in EVIDENCE)
        into = {str(path): f"gatemark/docs/{path.name}" for path in guides}
        build_data["force_include"] |= into | {str(root / PAGES): "gatemark/numbers"}
        if (root / MANUAL).is_dir():
            build_data["shared_data"][str(root / MANUAL)] = "share/man"
        build_data["pure_python"] = machine == ANY
        build_data["tag"] = tag(machine)
        if machine == ANY:
            self.build_config.target_config["artifacts"] = []  # what a checkout has built
            build_data["force_include"][str(root / NAMES)] = "gatemark/counters/subsystems.toml"
            return
        try:
            targets = chosen(os.environ.get("GATEMARK_TARGETS", ""), machine)
            build(root, targets, machine)
            require(root, targets)
        except BuildError as error:
            self.app.abort(f"gatemark: {error}")


def tag(machine: str) -> str:
    """No Python is compiled: any Python 3 on this kind of Linux, or anywhere."""
    return f"py3-none-{f'manylinux_{GLIBC[0]}_{GLIBC[1]}_{machine}' if machine != ANY else ANY}"


def chosen(names: str, machine: str) -> Sequence[str]:
    """Processors of boxes: all, or those named and the one of the machine that measures."""
    if machine not in TESTERS:
        raise BuildError(f"a wheel is for {', '.join((*TESTERS, ANY))}, not for {machine}")
    wanted = names.split()
    if unknown := [name for name in wanted if name not in TARGETS]:
        raise BuildError(f"GATEMARK_TARGETS: {unknown[0]!r}: there are {', '.join(TARGETS)}")
    return [name for name in TARGETS if not wanted or name in (*wanted, machine)]


def files(targets: Sequence[str]) -> dict[str, Path]:
    """What a wheel for these processors holds beside Python, by name."""
    return {
        **{
            f"{program} for {target}": PACKAGE / folder / target / program
            for folder, programs in PROGRAMS.items()
            for target in targets
            for program in programs
        },
        **{f"plugin for QEMU {n}": PACKAGE / f"counters/counter-{n}.so" for n in (1, 2)},
        "names of subsystems": PACKAGE / "counters/subsystems.toml",
        "sum of the sources": PACKAGE / SUM,
        "pages of numbers": PAGES / "README.md",
        "Apache licence": Path("LICENSES/Apache-2.0.txt"),
        "GPL licence": Path("LICENSES/GPL-2.0-or-later.txt"),
        "BSD licence": Path("LICENSES/BSD-2-Clause.txt"),
        "musl's licence": Path("LICENSES/MIT.txt"),
    }


def build(root: Path, targets: Sequence[str], machine: str) -> None:
    """Build all parts; make leaves alone what is newer than its sources."""
    if not shutil.which("make"):
        raise BuildError("building the agents needs make: apt-get install make")
    # The compiler itself: a start of Python costs a third of what a small file's compilation does.
    package = find_spec("ziglang")
    if not package or not package.origin:
        raise BuildError("no zig: pip install ziglang, or build with isolation")
    zig = shlex.quote(str(Path(package.origin).with_name("zig")))
    glibc = ".".join(map(str, GLIBC))
    plugin = f"CC={zig} cc -target {machine}-linux-gnu.{glibc}"
    jobs = f"-j{os.cpu_count() or 1}"
    # Neither what the set-up built for this machine alone, nor what another wheel got.
    for folder in PROGRAMS:
        shutil.rmtree(root / PACKAGE / folder, ignore_errors=True)
    goals = [
        "install-cross",
        f"ARCHS={' '.join(targets)}",
        f"ZIG={zig}",
        f"PYTHON={shlex.quote(sys.executable)}",
        "OWN=",
    ]
    _make(root, "agents", ["agent", jobs, *goals])
    _make(root, "algorithms", ["algorithms", jobs, *goals, f"HOST={machine}"])
    _make(root, "classifiers", ["classifier", jobs, *goals])
    total = subprocess.run(("setup/ready", "sum"), cwd=root, capture_output=True, check=True).stdout
    (root / PACKAGE / SUM).write_bytes(total)
    # -B: what the set-up built is for this machine's glibc.
    _make(root, "plugin for QEMU", ["counter", "-B", "install", plugin])


def require(root: Path, targets: Sequence[str]) -> None:
    """Raise BuildError with all that is missing, by name."""
    parts = files(targets).items()
    if absent := [f"{name} ({path})" for name, path in parts if not _is_there(root / path)]:
        raise BuildError(f"the wheel would lack: {', '.join(absent)}")


def _is_there(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _make(root: Path, what: str, words: Sequence[str]) -> None:
    done = subprocess.run(
        ["make", "-s", "-C", *words],
        cwd=root,
        env=dict(_environment(root)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BuildError(f"{what}: not built: {done.stdout.strip()}")


def _environment(root: Path) -> Iterator[tuple[str, str]]:
    """Ours without a make above us; zig's cache is in the build's folder where there is no home."""
    if "HOME" not in os.environ:
        yield "ZIG_GLOBAL_CACHE_DIR", str(root / "agent/build/zig")
    above = ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS")
    yield from ((name, value) for name, value in os.environ.items() if name not in above)
