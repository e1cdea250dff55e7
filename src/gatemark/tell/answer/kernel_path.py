# SPDX-License-Identifier: Apache-2.0
"""The path of one packet in words, tables and as a tree."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from gatemark.judge.judgement import Judgement, Part, Travel
from gatemark.judge.point.path import OTHER, added, base
from gatemark.judge.point.tree import Node, squeezed, tree
from gatemark.tell.group import sweep
from gatemark.tell.group.source import Source
from gatemark.tell.words import column, number, traffic
from gatemark.tell.words.column import Column
from gatemark.tell.words.table import NONE, Table

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
    unit = units(judgement.travels)
    return column.table(
        "The path of one packet: from the interrupt or system call until the gateway idles",
        judgement.travels,
        Column("setup", lambda travel: travel.arm),
        Column("packet", point),
        column.number("walks alike", lambda travel: count(travel.alike)),
        column.number(f"{unit} in all", lambda travel: count(travel.total)),
        column.number("on its way", lambda travel: count(travel.own.amount)),
        column.number("calls", lambda t: count(t.own.calls) if t.in_order else NONE),
        column.number("netfilter of calls, %", _calls),
        column.number(f"of {unit}, %", lambda t: share(t.netfilter.amount, t.own.amount)),
        column.number(
            "with its callees, %", lambda t: share(t.beneath_netfilter.amount, t.own.amount)
        ),
        column.number("no subsystem, %", lambda travel: _percent(travel.unmatched)),
    )


def _calls(travel: Travel) -> str:
    """The share of netfilter, where calls were seen in order."""
    return share(travel.netfilter.calls, travel.own.calls) if travel.in_order else NONE


def by_subsystem(judgement: Judgement) -> list[Table]:
    """For each point: subsystems down, arms across."""
    return [_subsystems(place) for place in places(judgement.travels)]


def more(judgement: Judgement, most: int = FUNCTIONS) -> list[Table]:
    """For each arm but the first of its point: the functions that it runs more, dearest first."""
    travels = judgement.travels
    pairs = [(travel, below) for travel in travels if (below := base(travels, travel))]
    made = [_more(travel, below, most) for travel, below in pairs]
    return [table for table in made if table.rows]


def functions(travel: Travel) -> Table:
    """Every function that ran for a packet, the dearest first."""
    return column.table(
        f"Functions of one packet: {title(travel)}",
        travel.functions.items(),
        Column("function", lambda item: item[0]),
        column.number(travel.unit, lambda item: count(item[1].amount)),
        column.number("calls", lambda item: count(item[1].calls)),
        column.number("of all, %", lambda item: share(item[1].amount, travel.total)),
    )


def trees(source: Source) -> Iterator[tuple[str, list[str]]]:
    """The functions of some paths in order, each with its heading; the page has all of them."""
    for travel in chosen(source.judgement):
        yield f"Functions that the packet passes, in order: {title(travel)}", lines(travel)


def chosen(judgement: Judgement) -> list[Travel]:
    """What is printed as text: of each plan, at its first point, the first and the longest."""
    shown = []
    for _, of_plan in groupby(judgement.travels, key=lambda travel: travel.plan):
        first = places(tuple(of_plan))[0]
        longest = max(first, key=lambda travel: travel.own.calls)
        shown += [first[0], longest][: 1 if longest is first[0] else TREES]
    return shown


def lines(travel: Travel, deep: int = DEEP, most: int = LINES) -> list[str]:
    """The functions that a packet passes as an indented tree: own amount, with callees, name.

    Locks, memory and interrupts are left out; what they take is in the amount of who called them.
    """
    nodes = squeezed(tree(travel.calls, travel.unit), travel.passed)
    made = list(_lines(nodes, deep))
    rest = [f"... and {len(made) - most} lines more, whole in the page"] if len(made) > most else []
    head = f"{'own':>7}  {'with callees':>12}  {travel.unit}"
    edges = (("before", "out of idle", travel.before), ("after", "back to idle", travel.after))
    ends = {name: [_edge(heading, part)] if part.calls else [] for name, heading, part in edges}
    return [head, *ends["before"], *made[:most], *rest, *ends["after"]]


def title(travel: Travel) -> str:
    """Arm and packet."""
    return f"{travel.arm}, {point(travel)}"


def seen(travel: Travel) -> str:
    """The source of it: the plugin by name, or which tracer and what it does not know."""
    return SEEN.get(travel.seen_by, f"instructions counted by the plugin {travel.seen_by}")


def point(travel: Travel) -> str:
    """The packet: direction and size."""
    return traffic.point(travel.point) if travel.point else traffic.load(travel.definition)


def anchor(travel: Travel) -> str:
    """The name of a path on a page, and of its file."""
    levels = [f"{name}-{level}" for name, level in sorted(travel.point.items())]
    return sweep.plain("-".join(("path", travel.plan, travel.arm, *levels)))


def units(travels: Iterable[Travel]) -> str:
    """What the amounts are of; of several stations they may be both."""
    return " or ".join(sorted({travel.unit for travel in travels}))


def count(value: float) -> str:
    """A whole number with a blank between its thousands."""
    return f"{value:,.0f}".replace(",", "\N{NO-BREAK SPACE}").replace("-", number.MINUS)


def share(part: float, whole: float) -> str:
    """In per cent, without the sign."""
    return _percent(part / whole) if whole else NONE


def sentence_of(travel: Travel) -> str:
    """The sentence about netfilter: `31 % of 190 calls are netfilter's`."""
    if not travel.in_order:
        part = share(travel.netfilter.amount, travel.own.amount)
        return f"{count(travel.own.amount)} {travel.unit}, {part} % of it netfilter's"
    if not travel.netfilter.calls:
        return f"{count(travel.own.calls)} calls, none of them netfilter's"
    part = share(travel.netfilter.calls, travel.own.calls)
    return f"{count(travel.own.calls)} calls, {part} % of them netfilter's"


def finding(travels: Sequence[Travel]) -> str:
    """The title of a figure: what the largest subsystem of the longest path is, and netfilter."""
    most = max(travels, key=lambda travel: travel.total)
    name, part = max(most.subsystems.items(), key=lambda item: item[1].amount)
    return f"{most.arm}: {sentence_of(most)}; {name} is {share(part.amount, most.total)} %"


def places(travels: Sequence[Travel]) -> list[list[Travel]]:
    """The paths of each point of each plan, in order."""
    made: dict[Place, list[Travel]] = {}
    for travel in travels:
        made.setdefault((travel.plan, tuple(sorted(travel.point.items()))), []).append(travel)
    return list(made.values())


def subsystems(travels: Sequence[Travel]) -> list[str]:
    """All that one of these has, in the order of the file; what no pattern has last."""
    names: list[str] = []
    for (
        travel
    ) in travels:  # each has some of the file's, in order: put new ones behind their neighbour
        before = -1
        for name in travel.subsystems:
            if name not in names:
                names.insert(before + 1, name)
            before = names.index(name)
    return [name for name in names if name != OTHER] + [OTHER] * (OTHER in names)


def _subsystems(travels: Sequence[Travel]) -> Table:
    first = travels[0]
    rows = tuple(
        (name, *(_cell(travel, name) for travel in travels)) for name in subsystems(travels)
    )
    total = ("all", *(count(travel.total) for travel in travels))
    caption = f"{first.plan}: {units(travels)} by subsystem, {point(first)}"
    head = ("subsystem", *(travel.arm for travel in travels))
    return Table(caption, head, (*rows, total), frozenset(range(1, len(head))))


def _cell(travel: Travel, name: str) -> str:
    return count(travel.subsystems[name].amount) if name in travel.subsystems else NONE


def _more(travel: Travel, below: Travel, most: int) -> Table:
    changes = list(added(below.functions, travel.functions))
    rows = tuple((name, _signed(part.amount), _signed(part.calls)) for name, part in changes[:most])
    if len(changes) > most:
        rest = Part(
            sum(part.amount for _, part in changes[most:]),
            sum(part.calls for _, part in changes[most:]),
        )
        others = f"{len(changes) - most} other functions"
        rows = (*rows, (others, _signed(rest.amount), _signed(rest.calls)))
    caption = f"{title(travel)}: what it runs more than {below.arm}"
    return Table(caption, ("function", travel.unit, "calls"), rows, frozenset({1, 2}))


def _signed(value: int) -> str:
    return f"+{count(value)}" if value > 0 else count(value)


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _edge(text: str, part: Part) -> str:
    calls = f"{count(part.calls)} call{'' if part.calls == 1 else 's'}"
    return f"{'':7}  {count(part.amount):>12}  ({text}: {calls})"


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
