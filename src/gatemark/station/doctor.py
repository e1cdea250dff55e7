# SPDX-License-Identifier: Apache-2.0
"""What this machine can and cannot do for the built-in lab, found by trying, each with its mend."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from gatemark.error import GatemarkError, UnavailableError
from gatemark.node.agent import agent_path
from gatemark.station.cpu import place

PACKAGES = {"ip": "iproute2", "tc": "iproute2", "nft": "nftables", "ethtool": "ethtool"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One ability of the machine."""

    what: str
    ok: bool
    said: str
    mend: str = ""
    needed: bool = True  # without it the built-in lab cannot work


def examine() -> list[Finding]:
    """Everything that the built-in lab asks of a machine."""
    return [_root(), _cpus(), *map(_tool, PACKAGES), _agent(), _kernel(), _nft()]


def require() -> None:
    """Raise UnavailableError that names the first thing missing, with its mend."""
    for finding in examine():
        if finding.needed and not finding.ok:
            raise UnavailableError(f"{finding.what}: {finding.said}; {finding.mend}")


def _root() -> Finding:
    if os.geteuid() == 0:
        return Finding("rights", ok=True, said="root")
    return Finding("rights", ok=False, said="not root", mend="namespaces need it: run with sudo")


def _cpus() -> Finding:
    try:
        placement = place()
    except UnavailableError as error:
        return Finding("processors", ok=False, said=str(error), mend="give this machine more")
    words = ", ".join(f"{who} on {cpu}" for who, cpu in placement.words().items())
    return Finding("processors", ok=True, said=words)


def _tool(name: str) -> Finding:
    if path := shutil.which(name):
        return Finding(name, ok=True, said=path)
    return Finding(name, ok=False, said="missing", mend=f"apt-get install {PACKAGES[name]}")


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
    mend = "threaded NAPI needs 5.12, the brake 5.17: use a newer kernel"
    return Finding("kernel", ok=ok, said=release, mend=mend)


def _nft() -> Finding:
    """Whether the kernel takes a masquerade rule; asked with --check, so nothing is changed."""
    if os.geteuid():
        return Finding("nat", ok=False, said="cannot be asked without root", mend="run with sudo")
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
