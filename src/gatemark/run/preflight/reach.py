# SPDX-License-Identifier: Apache-2.0
"""What can be run on this machine and what cannot, by what the doctor found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from gatemark.error import UnavailableError
from gatemark.plan.kind import RULES
from gatemark.plan.toml import read_toml
from gatemark.station.doctor import NAMESPACE, OF_THE_LAB, Finding, instructions
from gatemark.station.image.arch import ARCHES
from gatemark.station.image.openwrt import image as openwrt
from gatemark.station.load import stations, stations_folder

CAN, CANNOT = "can run", "cannot run"
LAB: Final = "the built-in lab"
FULL_SPEED: Final = f"{LAB} at full speed alone"  # where the slowdown is missing
BOX: Final = "a box over SSH (--station FILE.toml)"

Way = tuple[str, str]  # what can be asked for: a kind, and which of it


def kinds() -> list[Finding]:
    """Return what this machine has for each kind of workload; a run can do without."""
    parts = [part for rules in RULES.values() if (part := rules.able())]
    return [
        Finding(part.what, ok=not part.fix, text=part.text, fix=part.fix, needed=False)
        for part in parts
    ]


def reach(findings: Sequence[Finding]) -> list[Finding]:
    """What can be run in one finding, and one for each cause of what cannot."""
    can, causes = list[Way](), dict[Finding, list[Way]]()
    for way, needs in _all({finding.what: finding for finding in findings}):
        missing = [need for need in needs if not need.ok]
        if missing:
            causes.setdefault(missing[0], []).append(way)
        else:
            can.append(way)
    text = _listed(can) or "nothing"
    return [
        Finding(CAN, ok=bool(can), text=text, fix="" if can else "see above", needed=False),
        *(_cannot(ways, cause) for cause, ways in causes.items()),
    ]


def _cannot(ways: Iterable[Way], cause: Finding) -> Finding:
    why = cause.text.partition(":")[0]
    text = f"{_listed(ways)} ({cause.what}: {why})"
    return Finding(CANNOT, ok=False, text=text, fix=cause.fix, needed=False)


def _listed(ways: Iterable[Way]) -> str:
    """`the built-in lab; --station qemu-mips, qemu-x86`."""
    kinds: dict[str, list[str]] = {}
    for kind, name in ways:
        kinds.setdefault(kind, []).append(name)
    return "; ".join(f"{kind} {', '.join(names)}".rstrip() for kind, names in kinds.items())


def _all(by_name: Mapping[str, Finding]) -> Iterator[tuple[Way, list[Finding]]]:
    """Everything that can be asked for, with what it needs."""
    needed = [finding for finding in by_name.values() if finding.needed]
    yield (LAB if by_name["slowdown"].ok else FULL_SPEED, ""), needed
    yield (BOX, ""), [finding for finding in needed if finding.what not in OF_THE_LAB]
    for name in stations():
        gateway = read_toml(stations_folder() / f"{name}.toml")["gateway"]
        if gateway["kind"] == "qemu":
            emulator = by_name[ARCHES[gateway["arch"]].emulator]
            here = [finding for finding in needed if finding.what not in NAMESPACE]
            needs = [*here, emulator, *_image(gateway)]
            yield ("--station", name), needs
            if counting := by_name.get(instructions(emulator.what)):
                yield ("--exact --station", name), [*needs, counting]


def _image(gateway: Mapping[str, str]) -> Iterator[Finding]:
    """The image that a user builds first, where a station boots such a one."""
    if "image" in gateway:
        try:
            openwrt.image(ARCHES[gateway["arch"]])
        except UnavailableError as error:
            text, _, fix = str(error).partition(": ")
            yield Finding(f"image {gateway['image']}", ok=False, text=text, fix=fix, needed=False)
