# SPDX-License-Identifier: Apache-2.0
"""A gateway whose instructions are counted: the plugin, its file, its functions' names."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from gatemark.error import UnavailableError
from gatemark.node.shell import Node
from gatemark.station.counter import Counter
from gatemark.station.plugin import plugin
from gatemark.station.symbols import Names

Opened = Callable[[Path], Path]
NOT_EMULATED: Final = "only an emulated gateway's instructions can be counted: --station qemu-mips"


def refuse() -> None:
    """Refuse to count, on stations without an emulator. Raises UnavailableError."""
    raise UnavailableError(NOT_EMULATED)


class Counting:
    """One station's. The file is there while its guest runs."""

    def __init__(
        self,
        emulator: str,
        file: Path,
        node: Node,
        caches: Sequence[str] = (),
        data: str = "",
        cpus: int = 1,
    ) -> None:
        self.plugin = plugin(emulator)
        self.file = file
        self.names = Names(node)
        self.caches = tuple(caches)  # pairs to model, in words of counter/cache.h
        self.data = data  # data caches of what programs mark, in words of counter/region.h
        self.cpus = cpus  # that the guest has
        self._counter: Counter | None = None

    def words(self, lent: Opened, given: Opened) -> list[str]:
        """QEMU's options for it: the plugin as QEMU can read it, the file as it can write it."""
        caches = "".join(f",cache={pair}" for pair in self.caches)
        data = f",data={self.data}" if self.data else ""
        each = ",cpus=on" if self.cpus > 1 else ""
        out = f"out={given(self.file)},path=on{each}"
        return ["-plugin", f"{lent(self.plugin)},{out}{caches}{data}"]

    def counter(self) -> Counter:
        """The counts. Raises StationError."""
        if self._counter is None:
            self._counter = Counter(self.file)
        return self._counter

    def ended(self) -> None:
        """The guest is no more, or begins anew: another file, other addresses."""
        if self._counter:
            self._counter.close()
        self._counter = None
        self.names.forget()
