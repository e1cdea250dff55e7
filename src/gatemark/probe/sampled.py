# SPDX-License-Identifier: Apache-2.0
"""Many packets as perf samples them: where the gateway's kernel was, by stacks of functions.

Samples know no order and count no calls. What a function has is its share of the samples, as time
of a packet; the tree is that of who called whom.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from gatemark.error import UnavailableError
from gatemark.node import shared
from gatemark.node.quoted import literal, sh, shell
from gatemark.node.shell import Node
from gatemark.store.record import Call

TOOL: Final = "perf"
RATE_HZ: Final = 9973  # no multiple of the tick's
LEAST: Final = 200  # samples: fewer are too few to judge by
# Kernel alone, with stacks; `where` says which processors. Names come from /proc/kallsyms.
SCRIPT: Final = """
command -v perf > /dev/null || {{ echo 'no perf on it' >&2; exit 1; }}
{functions}
folder=$(fresh /tmp gatemark-program-$$) && cd "$folder" || exit 1
data=$folder/data
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
perf record -q -e cpu-clock:k -F {rate} -g {where} -o "$data" -- sleep {lasts} >&2 || exit 1
perf script -i "$data" -F ip,sym 2> /dev/null
"""

Stack = tuple[str, ...]  # outermost first


@dataclass(slots=True)
class _Node:
    """Samples with one stack, and those below it."""

    samples: int = 0
    inner: dict[str, "_Node"] = field(default_factory=dict)

    @property
    def whole(self) -> int:
        return self.samples + sum(node.whole for node in self.inner.values())


async def sample(node: Node, cpu: int | None, lasts_s: float) -> list[Stack]:
    """Where a gateway's kernel was, on one of its CPUs or all. Raises UnavailableError."""
    where = literal("-a") if cpu is None else shell("-C {cpu}", cpu=cpu)
    script = shell(SCRIPT, functions=shared.SHELL, rate=RATE_HZ, where=where, lasts=lasts_s)
    process = await node.start(*sh(script))
    lines = []
    while line := await process.line():
        lines.append(line.decode(errors="replace"))
    errors = (await process.errors()).strip().splitlines()
    if await process.wait():
        raise UnavailableError(f"no {TOOL}: {errors[-1] if errors else 'it failed'}")
    samples = list(stacks(lines))
    if len(samples) < LEAST:
        raise UnavailableError(f"no {TOOL}: it took {len(samples)} samples, too few to judge by")
    return samples


def stacks(lines: Iterable[str]) -> Iterator[Stack]:
    """The stacks that perf script prints: a line each for its functions, innermost first."""
    held: list[str] = []
    for line in [*lines, ""]:
        words = line.split()
        if words:
            held.append(words[1].partition("+")[0] if len(words) > 1 else words[0])
        elif held:
            yield tuple(reversed(held))
            held = []


def calls(samples: Iterable[Stack], packets: int) -> tuple[Call, ...]:
    """The tree of stacks, dearest branch first, in ns of one of so many packets."""
    root = _Node()
    for stack in samples:
        node = root
        for name in stack:
            node = node.inner.setdefault(name, _Node())
        node.samples += 1
    each_ns = 1e9 / RATE_HZ / max(1, packets)
    return tuple(
        Call(name, depth, 0, round(node.samples * each_ns)) for name, depth, node in _walk(root, 0)
    )


def sizes(path: Iterable[Call]) -> dict[str, tuple[int, int]]:
    """Time of each function, the longest first; how often it was called is not known."""
    times: dict[str, int] = {}
    for call in path:
        times[call.function] = times.get(call.function, 0) + call.ns
    dearest = sorted(times.items(), key=lambda item: (-item[1], item[0]))
    return {name: (ns, 0) for name, ns in dearest}


def _walk(node: _Node, depth: int) -> Iterator[tuple[str, int, _Node]]:
    for name, inner in sorted(node.inner.items(), key=lambda item: -item[1].whole):
        yield name, depth, inner
        yield from _walk(inner, depth + 1)
