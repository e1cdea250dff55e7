# SPDX-License-Identifier: Apache-2.0
"""Our binaries, one for each processor: where they are, and what to do where one is missing.

A repository builds each when it is first asked for. A wheel brings all and cannot build any.
"""

import hashlib
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gatemark.error import UnavailableError
from gatemark.node.build import built, package
from gatemark.node.elf import TARGETS

# As in agent/src/main.c.
PARTS: Final = {
    "tester": ("send", "sink", "stream", "connect", "replay", "line"),
    "watcher": ("watch", "look", "soak", "slow", "forward"),
    "capturer": ("capture", "flows"),
}
AGENT: Final = "gm-agent"
KERNELS: Final = "gm-algorithms"  # a binary for each level: gm-algorithms-O3
CLASSIFIER: Final = "gm-classifier"


def own_arch() -> str:
    """This machine's processor, as the agents call it: the kernel calls an ARMv7 armv7l."""
    machine = platform.machine()
    return "armv7" if machine.startswith("armv7") else machine


def part_of(verb: str) -> str:
    """The part of the agent that has a verb: what a device is given of it."""
    return next(part for part, verbs in PARTS.items() if verb in verbs)


def agent_file(arch: str, part: str = "") -> Path:
    """Where the agent's binary for an architecture is, or will be: whole or a part of it."""
    return _folder() / arch / (f"gm-agent-{part}" if part else AGENT)


def agent_path(arch: str | None = None, part: str = "") -> Path:
    """The agent's binary for an architecture (default: this machine's), whole or a part of it."""
    arch = arch or own_arch()
    if arch not in TARGETS:
        raise UnavailableError(f"no agent for {arch}; there are agents for {', '.join(TARGETS)}")
    built(agent_file(arch), f"agent for {arch}")  # with its parts
    return agent_file(arch, part)


def kernels_path(arch: str, level: str) -> Path:
    """gm-algorithms for an architecture at a level of optimisation. Raises UnavailableError."""
    name = f"{KERNELS}-{level}"
    return built(package() / "algorithms" / arch / name, f"{name} for {arch}")


def classifier_path(arch: str = "") -> Path:
    """gm-classifier for an architecture (default: this machine's). Raises UnavailableError."""
    arch = arch or own_arch()
    return built(package() / "classifiers" / arch / CLASSIFIER, f"{CLASSIFIER} for {arch}")


def builds() -> Iterator[tuple[str, str]]:
    """A line for each agent here: its architecture; its SHA-256, compiler and flags."""
    for path in sorted(_folder().glob("*/gm-agent")):
        stamp = path.with_name("build.txt")  # none where the agent was put there by hand
        how = stamp.read_text().strip() if stamp.exists() else "built by an unknown compiler"
        yield path.parent.name, f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}, {how}"


def _folder() -> Path:
    return package() / "agents"
