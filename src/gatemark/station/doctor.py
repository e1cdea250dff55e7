# SPDX-License-Identifier: Apache-2.0
"""The abilities of this machine for the built-in lab, found by trying, each with its fix."""

import os
import re
import shutil
import subprocess
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from gatemark.error import GatemarkError, UnavailableError
from gatemark.node.binary import agent_path
from gatemark.node.build import AGAIN, build_or_install
from gatemark.station import own
from gatemark.station.ability import MISSING, Ability, ability
from gatemark.station.cpu import place
from gatemark.station.image.arch import ARCHES, Arch
from gatemark.station.plugin import OTHER, interface_of, plugin

FIX = "root of the machine may: run with sudo"
UNSEEN = "give the container the machine's process ids (--pid=host), or mount /proc without hidepid"
PACKAGES = {"ip": "iproute2", "tc": "iproute2", "nft": "nftables", "ethtool": "ethtool"}

NAMESPACE = ("kernel", "nat")  # asked for by a gateway that is a namespace of this kernel
OF_THE_LAB = ("processors", *NAMESPACE)  # asked for by gateways on this machine, by no box
OF_THREADS = ("cpu_time", "own_cpu")  # asked of the kernel's own threads


@dataclass(frozen=True, slots=True)
class Finding:
    """One ability of the machine."""

    what: str
    ok: bool
    text: str
    fix: str = ""
    needed: bool = True  # without it the built-in lab cannot work


def examine(refused: str = "") -> list[Finding]:
    """Everything that the built-in lab asks of a machine.

    An ordinary user enters namespaces first (station/own.py); `refused` is why that failed.
    """
    able = ability()
    emulators = [
        finding for arch in ARCHES.values() for finding in (_emulator(arch), *_counts(arch))
    ]
    return [*_needed(able, refused), *_abilities(able), *emulators]


def _needed(able: Ability, refused: str = "") -> list[Finding]:
    """Return the findings without which the built-in lab cannot work."""
    here = [_rights(refused), _cpus(able), *map(_tool, PACKAGES), _agent()]
    return [*here, _kernel(), _nft(refused)]


def require(without: Collection[str] = ()) -> None:
    """Raise UnavailableError that names the first thing missing, with its fix."""
    for finding in _needed(ability()):
        if not finding.ok and finding.what not in without:
            raise UnavailableError(f"{finding.what}: {finding.text}; {finding.fix}")


def _rights(refused: str) -> Finding:
    if refused:
        text, _, fix = refused.removeprefix("rights: ").partition("; ")
        return Finding("rights", ok=False, text=text, fix=fix)
    if own.inside():
        text = "not root: `gatemark run` works in namespaces of its own, `gatemark lab` does not"
        return Finding("rights", ok=True, text=text)
    if not own.capable():
        text = "root without CAP_SYS_ADMIN, as in a container: no namespaces"
        return Finding("rights", ok=False, text=text, fix="give it that right")
    return Finding("rights", ok=True, text="root")


def _cpus(able: Ability) -> Finding:
    placement = place()
    try:
        placement.require()
    except UnavailableError as error:
        return Finding("processors", ok=False, text=str(error), fix="give this machine more")
    words = ", ".join(f"{who} on {cpu}" for who, cpu in placement.words(able).items())
    return Finding("processors", ok=True, text=words)


def _tool(name: str) -> Finding:
    if path := shutil.which(name):
        return Finding(name, ok=True, text=path)
    return Finding(name, ok=False, text="missing", fix=f"apt-get install {PACKAGES[name]}")


def instructions(emulator: str) -> str:
    """Return the name of the ability to count, by the emulator that counts."""
    return f"instructions ({emulator})"


def _emulator(arch: Arch) -> Finding:
    """Return whether a virtual gateway can be had; the built-in lab needs none."""
    path = shutil.which(arch.emulator)
    fix = f"apt-get install {arch.package}"
    text = path or "missing: no virtual gateway of its kind"
    return Finding(arch.emulator, ok=bool(path), text=text, fix=fix, needed=False)


def _counts(arch: Arch) -> Iterator[Finding]:
    """Yield whether an emulator that is there loads the plugin that counts instructions."""
    if not shutil.which(arch.emulator):
        return
    what = instructions(arch.emulator)
    try:
        path = plugin(arch.emulator)
    except UnavailableError as error:
        text, fix = _advice(error, OTHER)
        yield Finding(what, ok=False, text=text, fix=fix, needed=False)
        return
    text = f"counted, by QEMU's plugin interface {interface_of(path)}"
    yield Finding(what, ok=True, text=text, needed=False)


def _agent() -> Finding:
    try:
        path = agent_path()
    except GatemarkError as error:
        text, fix = _advice(error, AGAIN)
        return Finding("agent", ok=False, text=text, fix=fix)
    text = _output(str(path), "--version")
    fix = build_or_install("make -C agent clean all install")
    return Finding("agent", ok=bool(text), text=text or f"{path} does not run", fix=fix)


def _advice(error: GatemarkError, otherwise: str) -> tuple[str, str]:
    """Return what a message says is missing, and the fix behind its last semicolon."""
    text, semicolon, fix = str(error).rpartition("; ")
    return (text, fix) if semicolon else (str(error), otherwise)


def _kernel() -> Finding:
    release = os.uname().release
    ok = tuple(map(int, re.findall(r"\d+", release)[:2])) >= (5, 17)
    fix = "threaded NAPI needs 5.12, the slowdown 5.17: use a newer kernel"
    return Finding("kernel", ok=ok, text=release, fix=fix)


def _abilities(able: Ability) -> Iterator[Finding]:
    """Yield the abilities that a run can do without."""
    for name, lacking in MISSING.items():
        ok = getattr(able, name)
        text = "works" if ok else lacking.rstrip(".")
        fix = UNSEEN if name in OF_THREADS and not able.cpu_time else FIX
        yield Finding(name.replace("_", " "), ok=ok, text=text, fix=fix, needed=False)


def _nft(refused: str) -> Finding:
    """Return whether the kernel takes a masquerade rule, by --check, which changes nothing."""
    if refused:
        return Finding("nat", ok=False, text="cannot be asked without rights", fix="see rights")
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
        return Finding("nat", ok=False, text="no nft", fix="apt-get install nftables")
    faults = done.stderr.strip().splitlines() or ["nft failed without a word"]
    text = "masquerade works" if done.returncode == 0 else faults[0]
    fix = "the kernel needs nf_tables with nat and masquerade"
    return Finding("nat", ok=done.returncode == 0, text=text, fix=fix)


def _output(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
