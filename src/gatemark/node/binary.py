# SPDX-License-Identifier: Apache-2.0
"""gm-agent's binaries, one for each processor: where they are, and what to do where one is missing.

A repository builds its own. A wheel brings all of them and cannot build any.
"""

import hashlib
import platform
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Final

from gatemark.error import UnavailableError
from gatemark.node.elf import TARGETS

# As in agent/src/main.c.
PARTS: Final = {
    "tester": ("send", "sink", "stream", "connect", "replay", "line"),
    "watcher": ("watch", "soak", "slow", "forward"),
    "capturer": ("capture", "flows"),
}
AGENT: Final = "gm-agent"
KERNELS: Final = "gm-algorithms"  # a binary for each level: gm-algorithms-O3
CLASSIFIER: Final = "gm-classifier"
AGAIN: Final = "install gatemark again, this installation is incomplete"


def own_arch() -> str:
    """This machine's processor, as the agents call it: the kernel calls an ARMv7 armv7l."""
    machine = platform.machine()
    return "armv7" if machine.startswith("armv7") else machine


def part_of(verb: str) -> str:
    """The part of the agent that has a verb: what a device is given of it."""
    return next(part for part, verbs in PARTS.items() if verb in verbs)


def agent_path(arch: str | None = None, part: str = "") -> Path:
    """The agent's binary for an architecture (default: this machine's), whole or a part of it."""
    arch = arch or own_arch()
    path = _folder() / arch / (f"gm-agent-{part}" if part else "gm-agent")
    if arch not in TARGETS:
        raise UnavailableError(f"no agent for {arch}; there are agents for {', '.join(TARGETS)}")
    if not path.exists():
        build = build_or_install(f"gatemark agent build --target {arch}")
        raise UnavailableError(f"no agent for {arch} is here; {build}")
    return path


def kernels_path(arch: str, level: str) -> Path:
    """gm-algorithms for an architecture at a level of optimisation. Raises UnavailableError."""
    path = Path(str(resources.files("gatemark"))) / "algorithms" / arch / f"{KERNELS}-{level}"
    if not path.exists():
        build = build_or_install("make algorithms")
        raise UnavailableError(f"no {path.name} for {arch} is here; {build}")
    return path


def classifier_path(arch: str = "") -> Path:
    """gm-classifier for an architecture (default: this machine's). Raises UnavailableError."""
    arch = arch or own_arch()
    path = Path(str(resources.files("gatemark"))) / "classifiers" / arch / CLASSIFIER
    if not path.exists():
        build = build_or_install("make classifier")
        raise UnavailableError(f"no {CLASSIFIER} for {arch} is here; {build}")
    return path


def builds() -> Iterator[tuple[str, str]]:
    """Of each agent here: its architecture; its SHA-256, compiler and flags."""
    for path in sorted(_folder().glob("*/gm-agent")):
        stamp = path.with_name("build.txt")  # none where the agent was put there by hand
        built = stamp.read_text().strip() if stamp.exists() else "built by an unknown compiler"
        yield path.parent.name, f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}, {built}"


def repository() -> Path | None:
    """The repository whose sources run here; None where gatemark came as a wheel."""
    folder = Path(str(resources.files("gatemark"))).parents[1]
    return folder if (folder / "agent" / "Makefile").exists() else None


def build_or_install(command: str) -> str:
    """How to get a part that is missing: by `command`, in a repository."""
    return f"run `{command}`" if repository() else AGAIN


def _folder() -> Path:
    return Path(str(resources.files("gatemark") / "agents"))
