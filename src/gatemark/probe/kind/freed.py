# SPDX-License-Identifier: Apache-2.0
"""Probe `freed`: packets that the gateway's kernel freed as dropped, by its reason and place.

The kernel counts them itself, by a histogram of the tracepoint skb:kfree_skb (since Linux 4.7; with
reasons since 5.17). It stands in a tracing instance of its own. A shell on the gateway holds that
and removes it at its end, for whatever reason. A namespace shares its kernel, so it has none.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from gatemark.node.quoted import literal
from gatemark.node.reader import reader
from gatemark.node.shell import Node
from gatemark.probe.hold import Hold
from gatemark.probe.probe import Outcome, Place, Probe, Seen, Sent
from gatemark.store.drops import Freed

SHARED: Final = "it counts the whole machine, which all its namespaces share"
SCRIPT: Final = literal("""
mounted=
folder=$(sed -n 's/^[^ ]* \\([^ ]*\\) tracefs .*/\\1/p' /proc/mounts | head -n 1)
if [ -z "$folder" ]; then
  folder=/sys/kernel/tracing
  mount -t tracefs nodev $folder 2> /dev/null && mounted=yes
fi
own=$folder/instances/gatemark-$$
event=$own/events/skb/kfree_skb
restore() {
  trap - EXIT
  [ -z "$hist" ] || echo "!$hist" > $event/trigger
  rmdir $own 2> /dev/null
  [ -z "$mounted" ] || umount $folder
}
trap restore EXIT
trap 'exit 1' HUP INT TERM PIPE
mkdir $own 2> /dev/null || { echo "no tracefs, or none of its instances"; exit 1; }
[ -e $event/hist ] || { echo "its kernel has no histograms of tracepoints"; exit 1; }
hist=hist:keys=location.sym
grep -q 'field:.* reason;' $event/format && hist=hist:keys=reason,location.sym
echo "$hist" > $event/trigger || { hist=; echo "its kernel refuses the histogram"; exit 1; }
echo ready
read -r go || exit 1
cat $event/format $event/hist
""")
NAME: Final = re.compile(r'\{ (\w+), "(\w+)" \}')
ROW: Final = re.compile(
    r"\{ (?:reason: +(?P<reason>\w+), )?location: \[\w+\] (?P<place>\S+)(?: \[\w+\])? +\} "
    r"hitcount: +(?P<count>\d+)"
)


@dataclass(frozen=True, slots=True)
class Histogram:
    """The kernel's counts, or why it has none."""

    freed: tuple[Freed, ...] = ()
    why_not: str = ""


class Watch:
    """The histogram of one trial."""

    def __init__(self, node: Node) -> None:
        self._hold = Hold(node, SCRIPT)
        self._why_not = ""

    async def start(self) -> None:
        """Begin to count, where the kernel can."""
        self._why_not = await self._hold.start()

    async def stop(self) -> Histogram:
        """End; all is again as it was."""
        return Histogram(parse(await self._hold.stop()), self._why_not)

    async def abort(self) -> None:
        """End it; the shell sets back what it did."""
        await self._hold.abort()


class Nothing:
    """In the place of it, where the kernel is not the gateway's own."""

    async def start(self) -> None:
        """Nothing is touched."""

    async def stop(self) -> Histogram:
        """Why nothing was counted."""
        return Histogram(why_not=SHARED)

    async def abort(self) -> None:
        """Nothing of it goes on."""


def watch(place: Place) -> Watch | Nothing:
    """Watch a gateway that has a kernel of its own; of others nothing."""
    return Watch(place.gateway.node) if place.own is None else Nothing()


@reader("its reasons of freed packets")
def parse(lines: Iterable[str]) -> tuple[Freed, ...]:
    """The tracepoint's format, which has the reasons' names, and its histogram, most first."""
    lines = list(lines)
    names: Mapping[str, str] = dict(
        pair for line in lines if line.startswith("print fmt") for pair in NAME.findall(line)
    )
    rows = [row for line in lines if (row := ROW.match(line))]
    freed = []
    for row in sorted(rows, key=lambda row: -int(row["count"])):
        number = row["reason"] or ""
        reason = names.get(number, number)
        freed.append(Freed(reason=reason, place=row["place"], packets=int(row["count"])))
    return tuple(freed)


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """The reasons; a note where there are none."""
    del sent
    histogram: Histogram = seen.own["freed"]
    notes = (f"drops by the kernel's reason: {histogram.why_not}",) if histogram.why_not else ()
    return Outcome(evidence={"freed": histogram.freed}, notes=notes)


PROBE: Final = Probe(outcome, watcher=watch)
