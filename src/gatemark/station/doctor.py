# SPDX-License-Identifier: Apache-2.0
"""What this machine can and cannot do for the built-in lab, found by trying, each with its mend."""

import os
import re
import shutil
import subprocess
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from gatemark.error import GatemarkError, UnavailableError
from gatemark.node.binary import agent_path
from gatemark.station import own
from gatemark.station.ability import MISSING, Ability, ability, sees_kernel_threads
from gatemark.station.cpu import place
from gatemark.station.image.arch import ARCHES, Arch
from gatemark.station.plugin import interface_of, plugin

MEND = "root of the machine may: run with sudo"
PACKAGES = {"ip": "iproute2", "tc": "iproute2", "nft": "nftables", "ethtool": "ethtool"}

# What a gateway made of a namespace asks for, and none that is a box.
OF_THE_LAB = ("processors", "kernel", "kernel threads", "nat")


@dataclass(frozen=True, slots=True)
class Finding:
    """One ability of the machine."""

    what: str
    ok: bool
    said: str
    mend: str = ""
    needed: bool = True  # without it the built-in lab cannot work


def examine(refused: str = "") -> list[Finding]:
    """Everything that the built-in lab asks of a machine.

    An ordinary user enters namespaces first (station/own.py); `refused` is why that failed.
    """
    able = ability()
    needed = [_rights(refused), _cpus(able), *map(_tool, PACKAGES), _agent(), _kernel()]
    emulators = [one for arch in ARCHES.values() for one in (_emulator(arch), *_counts(arch))]
    return [*needed, _threads(), _nft(refused), *_abilities(able), *emulators]


def require(without: Collection[str] = ()) -> None:
    """Raise UnavailableError that names the first thing missing, with its mend."""
    for finding in examine():
        if finding.needed and not finding.ok and finding.what not in without:
            raise UnavailableError(f"{finding.what}: {finding.said}; {finding.mend}")


def _rights(refused: str) -> Finding:
    if refused:
        said, _, mend = refused.removeprefix("rights: ").partition("; ")
        return Finding("rights", ok=False, said=said, mend=mend)
    if own.inside():
        said = "not root: `gatemark run` works in namespaces of its own, `gatemark lab` does not"
        return Finding("rights", ok=True, said=said)
    if not own.capable():
        said = "root without CAP_SYS_ADMIN, as in a container: no namespaces"
        return Finding("rights", ok=False, said=said, mend="give it that right")
    return Finding("rights", ok=True, said="root")


def _cpus(able: Ability) -> Finding:
    try:
        placement = place()
    except UnavailableError as error:
        return Finding("processors", ok=False, said=str(error), mend="give this machine more")
    words = ", ".join(f"{who} on {cpu}" for who, cpu in placement.words(able).items())
    return Finding("processors", ok=True, said=words)


def _tool(name: str) -> Finding:
    if path := shutil.which(name):
        return Finding(name, ok=True, said=path)
    return Finding(name, ok=False, said="missing", mend=f"apt-get install {PACKAGES[name]}")


def _emulator(arch: Arch) -> Finding:
    """Whether a virtual gateway can be had; the built-in lab needs none."""
    path = shutil.which(arch.emulator)
    mend = f"apt-get install {arch.package}"
    said = path or "missing: no virtual gateway of its kind"
    return Finding(arch.emulator, ok=bool(path), said=said, mend=mend, needed=False)


def _counts(arch: Arch) -> Iterator[Finding]:
    """Whether an emulator that is there loads the plugin that counts a gateway's instructions."""
    if not shutil.which(arch.emulator):
        return
    what = f"instructions ({arch.emulator})"
    try:
        found = plugin(arch.emulator)
    except UnavailableError as error:
        mend = "a QEMU with plugins, or run setup/install again"
        yield Finding(what, ok=False, said=str(error), mend=mend, needed=False)
        return
    said = f"counted, by QEMU's plugin interface {interface_of(found)}"
    yield Finding(what, ok=True, said=said, needed=False)


def _agent() -> Finding:
    try:
        path = agent_path()
    except GatemarkError as error:
        return Finding("agent", ok=False, said=str(error), mend="gatemark agent build")
    said = _said(str(path), "--version")
    return Finding("agent", ok=bool(said), said=said or f"{path} does not run", mend="rebuild it")


def _kernel() -> Finding:
    release = os.uname().release
    ok = tuple(map(int, re.findall(r"\d+", release)[:2])) >= (5, 17)
    mend = "threaded NAPI needs 5.12, the slowdown 5.17: use a newer kernel"
    return Finding("kernel", ok=ok, said=release, mend=mend)


def _threads() -> Finding:
    said = "seen in /proc" if sees_kernel_threads() else "not seen in /proc"
    mend = "the gateway's are found there: leave the container, or mount /proc without hidepid"
    return Finding("kernel threads", ok=sees_kernel_threads(), said=said, mend=mend)


def _abilities(able: Ability) -> Iterator[Finding]:
    """What a run can do without."""
    for name, lacking in MISSING.items():
        ok = getattr(able, name)
        said = "works" if ok else lacking.rstrip(".")
        yield Finding(name.replace("_", " "), ok=ok, said=said, mend=MEND, needed=False)


def _nft(refused: str) -> Finding:
    """Whether the kernel takes a masquerade rule; asked with --check, so nothing is changed."""
    if refused:
        return Finding("nat", ok=False, said="cannot be asked without rights", mend="see rights")
    chain = "chain c { type nat hook postrouting priority srcnat; masquerade; }"
    try:
        command = ["nft", "--check", "-f", "-"]
        done = subprocess.run(
            command,
            input=f"table inet gatemark {{ {chain}; }}",
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return Finding("nat", ok=False, said="no nft", mend="apt-get install nftables")
    faults = done.stderr.strip().splitlines() or ["nft failed without a word"]
    said = "masquerade works" if done.returncode == 0 else faults[0]
    mend = "the kernel needs nf_tables with nat and masquerade"
    return Finding("nat", ok=done.returncode == 0, said=said, mend=mend)


def _said(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
