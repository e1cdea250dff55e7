# SPDX-License-Identifier: Apache-2.0
"""The lease on a host over SSH: while a laboratory renews it, the host is its own to change.

    laboratory:  hold ... renew ... renew ... renew ... free
    host:        lease.sh counts the seconds since it heard something

A host that has heard nothing for the lease, or whose connection ends, gives itself back: what runs
by that connection is ended, so that each of our shells and agents undoes what it did, then the
gateway's journal is undone. So the lease is a lock, too: who is refused learns who has it.

Two connections of one laboratory to the same host share it. A host that restarted has none.
"""

import asyncio
import os
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final, Protocol, Self

from gatemark.error import BusyError, NodeError, StationError
from gatemark.node import shared
from gatemark.node.quoted import literal, sh
from gatemark.node.reader import Printed, odd, reader
from gatemark.node.script import OVER, READ
from gatemark.node.shell import Process

# Not datetime.fromtimestamp: of some odd times that makes an OSError, as if a call had failed.
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
RENEWALS: Final = 4  # in the time of a lease
TAKE_S: Final = 70.0  # a host that is just giving itself back is waited for
EVICT_S: Final = 150.0
SHORT_S: Final = 5  # a lease that is given back at once
WORDS: Final = ("held", "over", "busy", "refused", "was")  # that lease.sh answers with first
FREE_S: Final = 10.0
LONGEST_COMMAND: Final = 60  # of what is kept of the command line

# Its answer to a shell that lacks `read -t` is an error of that shell.
WITH_TIMED_READ: Final = literal("""
for shell in sh ash bash "busybox sh"; do
  echo | $shell -c 'read -r -t 1 line' 2> /dev/null && exec $shell -c "$0" lease "$@"
done
echo "refused no shell on it has \\`read -t\\`: put busybox or bash there"
""")


class Host(Protocol):
    """A host that runs shells for us."""

    @property
    def name(self) -> str:
        """Return the name in messages."""

    async def start(self, *command: str) -> Process:
        """Run it with pipes. Raises NodeError."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The holder of a lease, as lease.sh prints it."""

    silent_s: int  # since its last renewal
    lease_s: int
    owner: str  # see `own_process`
    since: datetime  # by its clock, in the time zone of this machine
    who: str  # user@host
    command: str

    @classmethod
    @reader("who holds its lease")
    def parse(cls, text: str) -> Self:
        """From `SILENT LEASE OWNER SINCE USER@HOST COMMAND`."""
        silent, lease, owner, since, who, command = (text.split(" ", 5) + [""] * 6)[:6]
        began = (EPOCH + timedelta(seconds=float(since or 0))).astimezone()
        return cls(int(silent or 0), int(lease or 0), owner, began, who, command)

    @property
    def text(self) -> str:
        """`anna@bench2 since 14:02 (renewed 3 s ago)`."""
        same_day = self.since.date() == datetime.now(UTC).astimezone().date()
        when = f"{self.since:%H:%M}" if same_day else f"{self.since:%Y-%m-%d %H:%M}"
        return f"{self.who} since {when} (renewed {self.silent_s} s ago)"

    @property
    def dead(self) -> bool:
        """Return whether it was a process of this machine that is no more; False where unknown."""
        machine, _, process = self.owner.rpartition("/")
        own_machine, _, _ = own_process().rpartition("/")
        return machine == own_machine and process != _identity(process.partition(":")[0])


class Lease:
    """A lease that is held, from `take` to `free`; `note` says whom it was taken over from."""

    def __init__(self, host: Host, process: Process, lease_s: int, note: str) -> None:
        self.name = host.name
        self.lease_s = lease_s
        self.note = note
        self.process = process
        self._heard_s = _now_s()
        self._word = asyncio.create_task(self._first_word())
        self._renewing = asyncio.create_task(self._renew())

    @classmethod
    async def take(cls, host: Host, lease_s: int) -> Self:
        """Take a host. Raises BusyError if another laboratory has it, NodeError if it is lost.

        One that a dead process of this machine still has is freed first.
        """
        process, word, rest = await _ask(host, "hold", lease_s, TAKE_S)
        if word == "busy" and Holder.parse(rest).dead:
            await release(host, force=True)
            process, word, rest = await _ask(host, "hold", lease_s, TAKE_S)
        if word in ("busy", "refused"):
            await _end(process)
            if word == "refused":
                raise StationError(f"{host.name}: {rest}")
            who, fix = Holder.parse(rest).text, "wait, or `gatemark station release FILE`"
            raise BusyError(f"{host.name}: in use by {who}: {fix}")
        gone = f"{host.name}: taken over from {Holder.parse(rest).text}, whose lease nothing kept"
        return cls(host, process, lease_s, gone if word == "over" else "")

    @property
    def over(self) -> str:
        """Why the host has given itself back, or is about to; empty while the lease lasts."""
        word = self._word.result() if self._word.done() and not self._word.cancelled() else ""
        if word == "taken":
            return "`gatemark station release` gave it back"
        if word == "gone":
            return "what says on it that it is ours was removed from /tmp, so it gave itself back"
        if word == "expired" or _now_s() - self._heard_s >= self.lease_s:
            return f"it was not renewed for its lease of {self.lease_s} s, so it gave itself back"
        return ""

    @property
    def ended(self) -> str:
        """Why nothing keeps it any more; the connection may be lost as well."""
        ended = self._word.done() and not self._word.cancelled()
        return "what kept its lease was killed there" if ended else ""

    async def free(self) -> None:
        """Let others have the host. What was changed on it is undone before."""
        self._renewing.cancel()
        self.process.write(b"free\n")
        with suppress(TimeoutError):
            await asyncio.wait_for(self._word, FREE_S)
        await _end(self.process)
        self.drop()

    def drop(self) -> None:
        """Stop renewing it: its host is lost, or has restarted."""
        self._renewing.cancel()
        self._word.cancel()

    async def _renew(self) -> None:
        while not self._word.done() and not self.over:
            await asyncio.sleep(self.lease_s / RENEWALS)
            if not self.over:  # a laboratory that slept too long has lost it
                self.process.write(b"renew\n")
                self._heard_s = _now_s()

    async def _first_word(self) -> str:
        with suppress(NodeError):
            return (await self.process.line()).decode(errors="replace").strip()
        return ""


async def release(host: Host, *, force: bool = False) -> str:
    """Have a host given back whose holder is silent, by `force` any; returns what was done.

    Raises StationError where the holder renews it.
    """
    process, word, rest = await _ask(host, "force" if force else "free", SHORT_S, EVICT_S)
    await _end(process)
    if word == "busy":
        who = Holder.parse(rest).text
        raise StationError(f"{host.name}: in use by {who}: wait, or take it away by --force")
    if word == "refused":
        raise StationError(f"{host.name}: {rest}")
    if word == "was":
        return f"{host.name}: given back; it was held by {Holder.parse(rest).text}"
    return f"{host.name}: nobody holds it"


@cache
def own_process() -> str:
    """This process among all of all machines: boot, PID namespace, and PID:START."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    space = Path("/proc/self/ns/pid").readlink()
    return f"{boot}/{space}/{_identity(str(os.getpid()))}"


async def _end(process: Process) -> None:
    """Let a shell of ours end; one that does not is left to its connection's end."""
    process.close_stdin()
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), EVICT_S)


def _identity(pid: str) -> str:
    """A process as lease.sh writes it, PID:START (proc_pid_stat(5)); "" if it is gone."""
    try:
        fields = Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else f"{pid}:{fields[19]}"


def _who() -> str:
    user = os.environ.get("SUDO_USER") or os.environ.get("USER") or str(os.getuid())
    command = " ".join(sys.argv[1:])[:LONGEST_COMMAND]
    return " ".join(f"{time.time():.0f} {user}@{socket.gethostname()} {command}".split())


def shell_script() -> str:
    """The host's side."""
    return shared.SHELL + (resources.files("gatemark.node.remote") / "lease.sh").read_text()


async def _ask(
    host: Host, verb: str, lease_s: int, within_s: float
) -> tuple[Process, str, Printed]:
    """Start lease.sh; the first word of its first answer and the rest. Raises NodeError."""
    given = (verb, str(lease_s), own_process(), _who())
    process = await host.start(*sh(WITH_TIMED_READ, READ, *given))
    process.write(f"{shell_script()}{OVER}\n".encode())
    try:
        async with asyncio.timeout(within_s):
            line = (await process.line()).decode(errors="replace").strip()
    except TimeoutError:
        process.kill()
        raise NodeError(f"{host.name}: its lease had no answer in {within_s:g} s") from None
    if not line:
        why = (await process.errors()).strip().splitlines()
        raise NodeError(f"{host.name}: its lease ended at once: {(why or ['no word'])[-1]}")
    word, _, rest = line.partition(" ")
    if word not in WORDS:
        process.kill()
        raise odd(host.name, "the answer of its lease", line)
    return process, word, Printed.by(host.name, rest)


def _now_s() -> float:
    """Seconds that go on while this machine sleeps (clock_getres(2), CLOCK_BOOTTIME)."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
