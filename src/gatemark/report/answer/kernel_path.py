# SPDX-License-Identifier: Apache-2.0
"""The path of one packet in words, tables and as a tree."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from gatemark.report.group import sweep
from gatemark.report.group.source import Source
from gatemark.report.words import number, traffic
from gatemark.report.words.table import NONE, Table
from gatemark.stats.judgement import Judgement, Part, Travel
from gatemark.stats.point.path import OTHER, added, base
from gatemark.stats.point.tree import Node, squeezed, tree

DEEP = 14  # calls below each other that the terminal shows
LINES = 80  # of one tree there
TREES = 2  # of a plan there: the first arm's, and the arm's that has most calls
FUNCTIONS = 12  # that an arm has more than the first, there
SEEN = {
    "function_graph": "ns by the gateway's own function_graph, what tracing takes included",
    "perf": "ns by samples of perf over many packets: not in order, calls not counted",
}

Place = tuple[str, tuple[tuple[str, object], ...]]


def summary(judgement: Judgement) -> Table:
    """A line for each path: how much, how many calls, netfilter's share of both."""
    rows = tuple(
        (
            one.arm,
            point(one),
            count(one.alike),
            count(one.total),
            count(one.own.amount),
            count(one.own.calls) if one.in_order else NONE,
            share(one.netfilter.calls, one.own.calls) if one.in_order else NONE,
            share(one.netfilter.amount, one.own.amount),
            share(one.beneath_netfilter.amount, one.own.amount),
            _percent(one.unmatched),
        )
        for one in judgement.travels
    )
    head = (
        "setup",
        "packet",
        "walks alike",
        f"{units(judgement.travels)} in all",
        "on its way",
        "calls",
    )
    shares = ("netfilter of calls, %", f"of {units(judgement.travels)}, %", "with its callees, %")
    caption = "The path of one packet: from the interrupt or system call until the gateway idles"
    numeric = frozenset(range(2, 10))
    return Table(caption, (*head, *shares, "no subsystem, %"), rows, numeric)


def by_subsystem(judgement: Judgement) -> list[Table]:
    """For each point: subsystems down, arms across."""
    return [_subsystems(found) for found in places(judgement.travels)]


def more(judgement: Judgement, most: int = FUNCTIONS) -> list[Table]:
    """For each arm but the first of its point: the functions that it runs more, dearest first."""
    found = judgement.travels
    pairs = [(one, below) for one in found if (below := base(found, one))]
    made = [_more(one, below, most) for one, below in pairs]
    return [table for table in made if table.rows]


def functions(one: Travel) -> Table:
    """Every function that ran for a packet, the dearest first."""
    rows = tuple(
        (name, count(part.amount), count(part.calls), share(part.amount, one.total))
        for name, part in one.functions.items()
    )
    head = ("function", one.unit, "calls", "of all, %")
    return Table(f"Functions of one packet: {title(one)}", head, rows, frozenset({1, 2, 3}))


def trees(source: Source) -> Iterator[tuple[str, list[str]]]:
    """The functions of some paths in order, each with its heading; the page has all of them."""
    for travel in chosen(source.judgement):
        yield f"Functions that the packet passes, in order: {title(travel)}", lines(travel)


def chosen(judgement: Judgement) -> list[Travel]:
    """What is printed as text: of each plan, at its first point, the first and the longest."""
    found = []
    for _, of_plan in groupby(judgement.travels, key=lambda one: one.plan):
        first = places(tuple(of_plan))[0]
        longest = max(first, key=lambda one: one.own.calls)
        found += [first[0], longest][: 1 if longest is first[0] else TREES]
    return found


def lines(one: Travel, deep: int = DEEP, most: int = LINES) -> list[str]:
    """The functions that a packet passes as an indented tree: own amount, with callees, name.

    Locks, memory and interrupts are left out; what they take is in the amount of who called them.
    """
    nodes = squeezed(tree(one.calls, one.unit), one.passed)
    made = list(_lines(nodes, deep))
    rest = [f"... and {len(made) - most} lines more, whole in the page"] if len(made) > most else []
    head = f"{'own':>7}  {'with callees':>12}  {one.unit}"
    edges = (("before", "out of idle", one.before), ("after", "back to idle", one.after))
    ends = {name: [_edge(said, part)] if part.calls else [] for name, said, part in edges}
    return [head, *ends["before"], *made[:most], *rest, *ends["after"]]


def title(one: Travel) -> str:
    """Arm and packet."""
    return f"{one.arm}, {point(one)}"


def seen(one: Travel) -> str:
    """What told it: the plugin by name, or which tracer and what it does not know."""
    return SEEN.get(one.seen_by, f"instructions counted by the plugin {one.seen_by}")


def point(one: Travel) -> str:
    """The packet: direction and size."""
    return traffic.point(one.point) if one.point else traffic.load(one.definition)


def anchor(one: Travel) -> str:
    """The name of a path on a page, and of its file."""
    levels = [f"{name}-{level}" for name, level in sorted(one.point.items())]
    return sweep.plain("-".join(("path", one.plan, one.arm, *levels)))


def units(found: Iterable[Travel]) -> str:
    """What the amounts are of; of several stations they may be both."""
    return " or ".join(sorted({one.unit for one in found}))


def count(value: float) -> str:
    """A whole number with its thousands apart."""
    return f"{value:,.0f}".replace(",", "\N{NO-BREAK SPACE}").replace("-", number.MINUS)


def share(part: float, whole: float) -> str:
    """In per cent, without the sign."""
    return _percent(part / whole) if whole else NONE


def sentence_of(one: Travel) -> str:
    """What is told of netfilter: `31 % of 190 calls are netfilter's`."""
    if not one.in_order:
        part = share(one.netfilter.amount, one.own.amount)
        return f"{count(one.own.amount)} {one.unit}, {part} % of it netfilter's"
    if not one.netfilter.calls:
        return f"{count(one.own.calls)} calls, none of them netfilter's"
    part = share(one.netfilter.calls, one.own.calls)
    return f"{count(one.own.calls)} calls, {part} % of them netfilter's"


def finding(found: Sequence[Travel]) -> str:
    """The title of a figure: what the largest subsystem of the longest path is, and netfilter."""
    most = max(found, key=lambda one: one.total)
    name, part = max(most.subsystems.items(), key=lambda item: item[1].amount)
    return f"{most.arm}: {sentence_of(most)}; {name} is {share(part.amount, most.total)} %"


def places(found: Sequence[Travel]) -> list[list[Travel]]:
    """The paths of each point of each plan, in order."""
    made: dict[Place, list[Travel]] = {}
    for one in found:
        made.setdefault((one.plan, tuple(sorted(one.point.items()))), []).append(one)
    return list(made.values())


def subsystems(found: Sequence[Travel]) -> list[str]:
    """All that one of these has, in the order of the file; what no pattern has last."""
    names: list[str] = []
    for one in found:  # each has some of the file's, in order: put new ones behind their neighbour
        before = -1
        for name in one.subsystems:
            if name not in names:
                names.insert(before + 1, name)
            before = names.index(name)
    return [name for name in names if name != OTHER] + [OTHER] * (OTHER in names)


def _subsystems(found: Sequence[Travel]) -> Table:
    first = found[0]
    rows = tuple((name, *(_cell(one, name) for one in found)) for name in subsystems(found))
    total = ("all", *(count(one.total) for one in found))
    caption = f"{first.plan}: {units(found)} by subsystem, {point(first)}"
    head = ("subsystem", *(one.arm for one in found))
    return Table(caption, head, (*rows, total), frozenset(range(1, len(head))))


def _cell(one: Travel, name: str) -> str:
    return count(one.subsystems[name].amount) if name in one.subsystems else NONE


def _more(one: Travel, below: Travel, most: int) -> Table:
    changes = list(added(below.functions, one.functions))
    rows = tuple((name, _signed(part.amount), _signed(part.calls)) for name, part in changes[:most])
    if len(changes) > most:
        rest = Part(
            sum(part.amount for _, part in changes[most:]),
            sum(part.calls for _, part in changes[most:]),
        )
        others = f"{len(changes) - most} other functions"
        rows = (*rows, (others, _signed(rest.amount), _signed(rest.calls)))
    caption = f"{title(one)}: what it runs more than {below.arm}"
    return Table(caption, ("function", one.unit, "calls"), rows, frozenset({1, 2}))


def _signed(value: int) -> str:
    return f"+{count(value)}" if value > 0 else count(value)


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _edge(said: str, part: Part) -> str:
    calls = f"{count(part.calls)} call{'' if part.calls == 1 else 's'}"
    return f"{'':7}  {count(part.amount):>12}  ({said}: {calls})"


def _lines(nodes: Iterable[Node], deep: int, depth: int = 0) -> Iterator[str]:
    for node in nodes:
        hidden = node.calls - node.times if depth + 1 >= deep else 0
        below = f"  ({hidden} more below)" if hidden else ""
        name = "  " * depth + named(node)
        yield f"{count(node.own):>7}  {count(node.whole):>12}  {name}{below}"
        if not hidden:
            yield from _lines(node.inner, deep, depth + 1)


def named(node: Node) -> str:
    """A function, and how often in a row: `__bzero x 6`."""
    return f"{node.function} x {node.times}" if node.times > 1 else node.function
