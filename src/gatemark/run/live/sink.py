# SPDX-License-Identifier: Apache-2.0
"""Where a live capture goes: a file, or a pipe that a program reads, which may end at any time."""

import asyncio
import os
import stat
from collections.abc import Callable
from contextlib import suppress

from gatemark.error import GatemarkError


class Sink:
    """A descriptor that takes whole blocks. `over` is called when its reader is gone."""

    def __init__(self, fd: int, name: str, over: Callable[[], None]) -> None:
        """In a running loop. `name` is what messages call it."""
        mode = os.fstat(fd).st_mode
        self.gone = False  # nobody reads it any more
        self._fd = fd
        self._name = name
        self._over = over
        self._is_file = stat.S_ISREG(mode)
        self._waits = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
        self._blocking = os.get_blocking(fd)
        if self._waits:
            os.set_blocking(fd, False)
        if stat.S_ISFIFO(mode):  # to write into it says so too, but only with the next packet
            asyncio.get_running_loop().add_reader(fd, self._end)

    async def put(self, blocks: bytes) -> None:
        """Write all of them; nothing once the reader is gone. Raises GatemarkError.

        Of blocks that a disk does not take nothing is left in the file.
        """
        begin = os.lseek(self._fd, 0, os.SEEK_CUR) if self._is_file else 0
        left = memoryview(blocks)
        while left and not self.gone:
            try:
                left = left[os.write(self._fd, left) :]
            except BlockingIOError:
                await self._writable()
            except (BrokenPipeError, ConnectionResetError):
                self._end()
            except OSError as error:
                self._take_back(begin)
                raise GatemarkError(f"{self._name}: {error.strerror}: the capture ends") from None

    def close(self) -> None:
        """Leave it as it was; the descriptor stays open."""
        loop = asyncio.get_running_loop()
        if self._waits:
            loop.remove_reader(self._fd)
            loop.remove_writer(self._fd)
            os.set_blocking(self._fd, self._blocking)

    def _end(self) -> None:
        self.gone = True
        asyncio.get_running_loop().remove_reader(self._fd)
        self._over()

    async def _writable(self) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        loop.add_writer(self._fd, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_writer(self._fd)

    def _take_back(self, begin: int) -> None:
        if self._is_file:
            with suppress(OSError):
                os.ftruncate(self._fd, begin)
