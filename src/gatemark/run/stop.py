# SPDX-License-Identifier: Apache-2.0
"""End in order on a signal: what was taken is given back before the process ends.

    first signal       the work is cancelled where it is; it gives back, and ends
    each further one   is counted, and said once to need a moment; it never breaks the giving back

Ctrl-C is one of them. asyncio's own way would raise KeyboardInterrupt at the second Ctrl-C in
whatever runs then, and cancel what gives back. `loop.add_signal_handler` will not do either: a
library of ours forks and ends its child by SIGTERM, and the signal would come back to us through
the loop's wake-up pipe, which the child shares.

Ctrl-C reaches every process of the terminal's job, also a child of ours that is just being begun.
It must not end that one, which may be what gives back: `_begin_by_fork`.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from gatemark.error import GatemarkError

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SAID_AT: Final = 2  # at the second signal
BY_SIGNAL: Final = 128  # a shell's exit code of what a signal ended, less the signal's number

Result = TypeVar("Result")


class StoppedError(GatemarkError):
    """A signal stopped it. `exit_code` is what a shell has for that signal: 130 for Ctrl-C."""

    def __init__(self, number: signal.Signals) -> None:
        super().__init__("stopped")
        self.exit_code = BY_SIGNAL + number


def run(work: Coroutine[Any, Any, Result], tell: Callable[[str], object]) -> Result:
    """What `work` returns, run in a loop of its own. Raises what it raises, or StoppedError.

    `tell` is given one line where a second signal comes.
    """
    task: asyncio.Task[Result] | None = None

    def stop(count: int) -> None:
        if task and not task.done():  # else it is cancelled below, or its loop may be closed
            _heard(task, count, tell)

    with _caught(stop) as came, asyncio.Runner() as runner:
        task = runner.get_loop().create_task(work)
        if came:
            task.cancel()
        try:
            return runner.get_loop().run_until_complete(task)
        except asyncio.CancelledError:
            if not came:
                raise
            raise StoppedError(came[0]) from None


def _heard(task: "asyncio.Task[Result]", count: int, tell: Callable[[str], object]) -> None:
    if count == 1:
        task.cancel()
        task.get_loop().call_soon_threadsafe(_awake)
    elif count == SAID_AT:
        task.get_loop().call_soon_threadsafe(tell, _moment())


def later(work: Callable[[], Result]) -> Result:
    """What `work` returns. Signals wait for its end: StoppedError is raised then."""
    with _caught(lambda _: None) as came:
        result = work()
        if came:
            raise StoppedError(came[0])
        return result


def heed() -> None:
    """Raise CancelledError if a stop was asked for that something on the way swallowed.

    asyncio.wait_for does so (CPython 3.11) where what it waits for ends at the same moment.
    """
    task = asyncio.current_task()
    if task and task.cancelling():
        raise asyncio.CancelledError


def ignore() -> None:
    """No signal that asks for the end is heard any more: this process ends already."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def _caught(then: Callable[[int], None]) -> Iterator[list[signal.Signals]]:
    """Count signals; `then` is called with how many came. One that is ignored stays ignored.

    As they were afterwards, but ignored where one came and an error ends the work: the process
    ends, and a further signal must not break into that.
    """
    _begin_by_fork()
    us = os.getpid()
    came: list[signal.Signals] = []

    def catch(number: int, _: object) -> None:
        if os.getpid() == us:
            came.append(signal.Signals(number))
            then(len(came))

    heeded = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, catch) for number in heeded}
    try:
        yield came
    except BaseException:
        if came:
            ignore()
            before.clear()
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _begin_by_fork() -> None:
    """Begin processes by fork(2) from now on, so that no signal of the terminal's ends a new one.

    A child of vfork(2) has the default handlers before it has a session of its own (CPython 3.11,
    _posixsubprocess.c), and dies of a Ctrl-C in between. One of fork(2) has ours until it executes
    its program. It costs about a millisecond more.
    """
    subprocess._USE_VFORK = False  # type: ignore[misc]  # named in subprocess's manual


def _awake() -> None:
    """The loop sleeps until it has something to do."""


def _moment() -> str:
    return (
        "stopping: what was taken is being given back, which takes a moment; "
        f"`kill -9 {os.getpid()}` would leave that to the next start"
    )
