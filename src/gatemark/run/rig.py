# SPDX-License-Identifier: Apache-2.0
"""The benches of a run: one for all its trials, one for each boot of an arm, or one an arm.

    one for all        |-------------------- trials --------------------|
    boots              |- old -|  |- new -|  |- new -|  |- old -|  ...
                               ^ down, the arm switched to, up: another boot
    boots, in turns    |- old, new -|  |- old, new -|  ...
                                       arms that take turns stand beside each other

Namespaces and virtual machines are made anew whenever their station comes up. A gateway that
outlives its station is restarted, unless the user's command did that.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from types import TracebackType
from typing import Self

from gatemark.error import GatemarkError, NodeError
from gatemark.node.shield import whole
from gatemark.plan.model import TrialSpec
from gatemark.run.bench import Bench
from gatemark.run.switch import switch
from gatemark.station.ssh.box import REBOOT_S
from gatemark.station.station import Station
from gatemark.store.folder import Folder

AGAIN_S = 1.0  # between two attempts to reach a gateway that boots
SLOW_S = 1.0  # what has taken so long is told; a namespace is up before

# Plan, arm ("" where arms take turns), its number, which is 0 where nothing asks for boots.
Boot = tuple[str, str, int]


def boot_for_resets(trials: Iterable[TrialSpec], stations: Iterable[Station]) -> None:
    """Have gateways boot where a reset is timed: one from a snapshot is switched off and on."""
    if any(spec.workload.restart_s for spec in trials):
        for station in stations:
            station.boot_each()


class Rig:
    """`async with Rig(...)`: all benches are given back and taken down in the end.

    `others` are the stations of arms that do not use `station`; `commands` switch the
    gateway to an arm (switch.py). `messages` are warnings about all gateways, a line each.
    """

    def __init__(
        self,
        station: Station,
        others: Mapping[str, Station],
        commands: Mapping[str, str],
        folder: Folder,
        doing: Callable[[str], None],
    ) -> None:
        self.station = station
        self.others = others
        self.commands = commands
        self.folder = folder
        self.doing = doing
        self._messages: list[str] = []
        self._bench: Bench | None = None
        self._boot: Boot = ("", "", 0)
        self._together: dict[str, Bench] = {}  # by the arm that each is for
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Nothing stands yet: `turn` brings a bench up."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take down what stands."""
        await whole(self._close())

    @property
    def bench(self) -> Bench:
        """What stands now; `turn` was called before."""
        assert self._bench is not None
        return self._bench

    @property
    def messages(self) -> list[str]:
        """Messages about the gateways so far, each once."""
        lines = [line for bench in self._standing for line in bench.messages]
        return list(dict.fromkeys([*self._messages, *lines]))

    @property
    def _standing(self) -> list[Bench]:
        """All benches that stand now, the one of `turn` first."""
        return list(
            dict.fromkeys([*([self._bench] if self._bench else []), *self._together.values()])
        )

    async def turn(self, spec: TrialSpec) -> bool:
        """Bring up the bench of a trial; returns whether it is another one than before.

        Raises GatemarkError: nothing stands then.
        """
        boot = spec.plan, "" if spec.turn.ms else spec.arm.name, spec.boot
        if self._bench and (not spec.boot or boot == self._boot):
            return False
        await whole(self._close())
        station = self.others.get(spec.arm.name, self.station)
        command = self.commands.get(spec.arm.name, "") if spec.boot else ""
        if command:
            self.doing(f"boot {spec.boot} of {spec.arm.name}: switching to it")
            await self._switch(command, spec.arm.name)
        if spec.boot:
            station.boot_each()
        with self._slow(f"{_numbered(spec)}the gateway of {station.name} comes up"):
            self._bench = await _up(station, REBOOT_S if command and _lasts(station) else 0.0)
        self._boot = boot
        if spec.boot and not command and _lasts(station):
            await station.restart()
        return True

    @contextmanager
    def _slow(self, text: str) -> Iterator[None]:
        """Tell what is done, once it has taken long."""
        telling = asyncio.get_running_loop().call_later(SLOW_S, self.doing, text)
        try:
            yield
        finally:
            telling.cancel()

    async def _switch(self, command: str, arm: str) -> None:
        try:
            await switch(command, arm, self.folder)
        except GatemarkError as error:
            raise GatemarkError(
                f"--switch {error}; what was measured is kept: "
                f"`gatemark ab --resume {self.folder.path}` goes on"
            ) from None

    async def together(self, specs: Sequence[TrialSpec]) -> list[Bench]:
        """A bench for the arm of each of these trials, all at once.

        None where the station is the only one. They stand until another boot, or until the rig
        goes. Raises GatemarkError.
        """
        for spec in specs:
            if spec.arm.name in self._together:
                continue
            if not (station := self.bench.station.another()):
                return []
            bench = self.bench
            if self._together:
                with self._slow(f"{spec.arm.name}: its gateway comes up"):
                    bench = await self._stack.enter_async_context(Bench(station))
            self._together[spec.arm.name] = bench
        return [self._together[spec.arm.name] for spec in specs]

    async def give_back(self) -> None:
        """Undo the setup of what stands."""
        for bench in self._standing:
            await bench.give_back()

    async def _close(self) -> None:
        standing, bench = self._standing, self._bench
        self._bench, self._together = None, {}
        try:
            await self._stack.aclose()
            if bench:
                await bench.__aexit__(None, None, None)
        finally:
            for gone in standing:
                self._messages += gone.messages


def _numbered(spec: TrialSpec) -> str:
    """Which boot a trial needs, in words; nothing where any will do."""
    of = "" if spec.turn.ms else f" of {spec.arm.name}"
    return f"boot {spec.boot}{of}: " if spec.boot else ""


def _lasts(station: Station) -> bool:
    """Return whether its gateway is there when the station is not."""
    return bool(station.gateway.journal)


async def _up(station: Station, patience_s: float) -> Bench:
    """A bench that stands; a gateway that boots just now is waited for. Raises GatemarkError."""
    loop = asyncio.get_running_loop()
    until = loop.time() + patience_s
    while True:
        try:
            return await Bench(station).__aenter__()
        except NodeError:
            if loop.time() >= until:
                raise
        await asyncio.sleep(AGAIN_S)
