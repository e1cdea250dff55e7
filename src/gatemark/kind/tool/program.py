# SPDX-License-Identifier: Apache-2.0
"""A known tool at work on a host: started as our agent is, its output and CPU time taken."""

import asyncio
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final, Self

from gatemark.error import InvalidTrialError, UnavailableError
from gatemark.node.quoted import sh, shell
from gatemark.node.shell import FIRST, Node, here

VERSION: Final = {  # how each prints its version
    "iperf3": ("iperf3", "--version"),
    "nuttcp": ("nuttcp", "-V"),
    "tcpreplay": ("tcpreplay", "--version"),
}
POLL_S: Final = 0.01
TX_PACKETS: Final = 10  # column of /proc/net/dev, with the name as the first
MOST_SAID: Final = 200  # characters of a tool's last words
MORTAL: Final = ("setpriv", "--pdeathsig", "KILL")  # ends with the laboratory, as our agents do


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a program."""

    code: int
    out: str
    err: str
    cpu_ns: int  # user and system time of it and of its children


class Program:
    """A running tool; ended by itself, or killed by `abort`."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], err: IO[bytes]) -> None:
        self.name = name
        self._pid = process.pid
        self._process = process
        self._err = err
        self._end = asyncio.create_task(asyncio.to_thread(self._reap))

    @classmethod
    def start(
        cls, node: Node, cpu: int, words: Sequence[str], rights: Sequence[str] = MORTAL
    ) -> Self:
        """Start a tool on a host, on one CPU and before whatever else runs there.

        `rights` is the command by which it gives up what it does not need.
        """
        require([words[0]])
        err = TemporaryFile()  # noqa: SIM115  closed when it has ended
        process = subprocess.Popen(
            here(node).argv("taskset", "-c", str(cpu), *FIRST, *rights, *words),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=err,
            start_new_session=True,
        )
        return cls(words[0], process, err)

    async def ended(self, within_s: float) -> Ended:
        """Wait for its end. Raises InvalidTrialError where it does not come in time."""
        try:
            return await asyncio.wait_for(asyncio.shield(self._end), within_s)
        except TimeoutError:
            await self.abort()
            why = "its control connection may be lost in the overload: offer less"
            message = f"{self.name} did not end within {within_s:g} s; {why}"
            raise InvalidTrialError(message) from None

    async def begun(self, device: str, sent: int, within_s: float) -> int:
        """Wait until a device has sent more than it had; returns the CPU time used till then, ns.

        Raises InvalidTrialError where it does not begin in time.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + within_s
        while self._sent(device) <= sent and not self._end.done():
            if loop.time() > until:
                raise InvalidTrialError(f"{self.name} sent nothing within {within_s:g} s")
            await asyncio.sleep(POLL_S)
        with suppress(OSError):
            text = Path(f"/proc/{self._pid}/schedstat").read_text(encoding="utf-8")
            return int(text.split()[0])
        return 0

    async def interrupt(self, after_s: float) -> None:
        """Send it SIGINT so much later, if it still runs."""
        await asyncio.wait([self._end], timeout=after_s)
        self._tell(signal.SIGINT)

    def _tell(self, number: signal.Signals) -> None:
        """Signal it if it still runs: its end may be on the way just now."""
        if not self._end.done():
            with suppress(ProcessLookupError):
                os.kill(self._pid, number)

    def _sent(self, device: str) -> int:
        """Packets by its namespace's count, read without a program that would take its CPU.

        0 as long as it has not entered the namespace.
        """
        with suppress(OSError):
            rows = Path(f"/proc/{self._pid}/net/dev").read_text(encoding="utf-8").splitlines()
            for row in rows:
                if row.strip().startswith(f"{device}:"):
                    return int(row.split()[TX_PACKETS])
        return 0

    async def abort(self) -> None:
        """Kill it if it still runs."""
        self._tell(signal.SIGKILL)
        await asyncio.shield(self._end)

    def _reap(self) -> Ended:
        """Read to the end, and wait by wait4(2), which alone reports what this child used."""
        assert self._process.stdout is not None
        with self._process.stdout as stdout, self._err as stderr:
            out = stdout.read()
            _, status, used = os.wait4(self._pid, 0)
            self._process.returncode = os.waitstatus_to_exitcode(status)
            stderr.seek(0)
            err = stderr.read()
        cpu_ns = round((used.ru_utime + used.ru_stime) * 1e9)
        code = self._process.returncode
        return Ended(code, out.decode(errors="replace"), err.decode(errors="replace"), cpu_ns)


def require(names: Iterable[str]) -> None:
    """Raise UnavailableError that names the package of the first tool that is missing."""
    for name in names:
        if not shutil.which(name):
            raise UnavailableError(f"no {name} on this machine: apt-get install {name}")


def succeeded(name: str, ended: Ended) -> Ended:
    """The same. Raises InvalidTrialError with its error, or its last line, if it failed."""
    if ended.code:
        lines = (ended.err.strip() or ended.out.strip()).splitlines()
        why = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")
        words = why.strip()[:MOST_SAID] or "without a word"
        raise InvalidTrialError(f"{name} failed with exit code {ended.code}: {words}")
    return ended


async def version(node: Node, name: str) -> str:
    """A tool with its version: `iperf3 3.12`."""
    require([name])
    text = await node.run(*sh(shell("{words} 2>&1", words=VERSION[name])))
    version = re.search(r"\d+(\.\d+)+", text)
    return f"{name} {version[0]}" if version else name
