# SPDX-License-Identifier: Apache-2.0
"""What watches a trial starts in its order, and what only reads at once."""

import asyncio

from gatemark.run import watching

ORDER = ("gateway", "cpu", "programs", "starved", "threads", "ports", "interrupts", "drops")
READ = {"starved", "threads", "ports", "drops"}


class Noted:
    """A watcher that says when it starts and stops, and takes a moment for it."""

    def __init__(self, name: str, events: list[str]) -> None:
        self.name = name
        self.events = events

    async def start(self) -> None:
        """Begin."""
        self.events.append(f"start {self.name}")
        await asyncio.sleep(0.01)
        self.events.append(f"started {self.name}")

    async def stop(self) -> str:
        """End."""
        self.events.append(f"stop {self.name}")
        return self.name

    async def abort(self) -> None:
        """Nothing goes on."""


def test_interrupts_are_counted_when_all_others_have_read() -> None:
    events: list[str] = []
    asyncio.run(watching.start({name: Noted(name, events) for name in ORDER}))
    starts = [word for word in events if word.startswith("start ")]
    assert starts[:3] == ["start gateway", "start cpu", "start programs"]
    assert {word.removeprefix("start ") for word in starts[3:7]} == READ
    begun = events.index("start interrupts")
    assert all(events.index(f"started {name}") < begun for name in READ)


def test_all_stop_in_reverse_and_each_is_seen_by_its_name() -> None:
    events: list[str] = []
    watchers = {name: Noted(name, events) for name in ORDER}
    assert asyncio.run(watching.stop(watchers)) == {name: name for name in ORDER}
    assert events[0] == "stop interrupts"
    assert events[-3:] == ["stop programs", "stop cpu", "stop gateway"]
