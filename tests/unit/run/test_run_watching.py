# SPDX-License-Identifier: Apache-2.0
"""What watches a trial starts in its order, and what only reads at once."""

import asyncio

from gatemark.run import watching

ORDER = ("gateway", "cpu", "programs", "starved", "threads", "ports", "interrupts", "drops")
READ = {"starved", "threads", "ports", "drops"}


class Noted:
    """A watcher that says when it starts and stops, and takes a moment for it."""

    def __init__(self, name: str, said: list[str]) -> None:
        self.name = name
        self.said = said

    async def start(self) -> None:
        """Begin."""
        self.said.append(f"start {self.name}")
        await asyncio.sleep(0.01)
        self.said.append(f"started {self.name}")

    async def stop(self) -> str:
        """End."""
        self.said.append(f"stop {self.name}")
        return self.name

    async def abort(self) -> None:
        """Nothing goes on."""


def test_interrupts_are_counted_when_all_others_have_read() -> None:
    said: list[str] = []
    asyncio.run(watching.start({name: Noted(name, said) for name in ORDER}))
    starts = [word for word in said if word.startswith("start ")]
    assert starts[:3] == ["start gateway", "start cpu", "start programs"]
    assert {word.removeprefix("start ") for word in starts[3:7]} == READ
    begun = said.index("start interrupts")
    assert all(said.index(f"started {name}") < begun for name in READ)


def test_all_stop_in_reverse_and_each_is_seen_by_its_name() -> None:
    said: list[str] = []
    watchers = {name: Noted(name, said) for name in ORDER}
    assert asyncio.run(watching.stop(watchers)) == {name: name for name in ORDER}
    assert said[0] == "stop interrupts"
    assert said[-3:] == ["stop programs", "stop cpu", "stop gateway"]
