# SPDX-License-Identifier: Apache-2.0
"""One packet as the gateway's own kernel traces it: function_graph of tracefs (ftrace).

A shell on the gateway turns the tracer on and waits for a line; its end, for
whatever reason, sets tracing back as it was. A laboratory that dies leaves nothing on, because the
pipe to the shell closes.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from gatemark.error import UnavailableError
from gatemark.node.quoted import joined, literal, shell
from gatemark.node.reader import reader
from gatemark.node.shell import Node
from gatemark.probe.hold import Hold
from gatemark.store.record import Call

TRACER: Final = "function_graph"
REFUSED: Final = "refused:"

# What stands at the beginning of a line of the trace: the CPU, marks, a time, the bar.
LINE: Final = re.compile(r"\s*(?P<cpu>\d+)\)[^|]*?(?:(?P<us>\d+(?:\.\d+)?) us)?\s*\|(?P<rest>.*)")
ENTERED: Final = re.compile(r"(?P<in>\s*)(?P<name>[^\s(]+)(?: \[[^\]]*\])?\(\)\s*(?P<end>[{;])")
SWITCHED: Final = re.compile(r"\s*(?P<cpu>\d+)\)\s+\S.*?\s+=>\s+(?P<task>\S+)")
LEFT: Final = re.compile(r"\s*\}")
US_NS: Final = 1000
INDENT: Final = 2  # columns for each depth; the outermost has them too

# Functions that only a test packet of ours passes here, by direction: the control path is TCP.
MARKS: Final = {
    "up": r"ip6?_forward",
    "down": r"ip6?_forward",
    "send": r"udp(v6)?_sendmsg",
    "receive": r"udp(v6)?_(rcv|recvmsg)|__udp[46]_lib_rcv",
}
# A packet's outermost call is below these, where they were seen to be entered: what the processor
# does between packets, and what takes many of them, and the tracer's own traffic too, in one go.
AROUND: Final = re.compile(
    r"do_idle|cpu_idle\w*|call_cpuidle|cpuidle_\w+|default_idle\w*|arch_cpu_idle\w*|\w*safe_halt"
    r"|mwait_idle\w*|amd_e400_idle|acpi_idle\w*|\w*r4k_wait|cpu_do_idle"
    r"|schedule\w*|__schedule|kthread|worker_thread|smpboot_thread_fn|user space"
    r"|\w*do_softirq|handle_softirqs|net_rx_action|napi_threaded_poll\w*"
)

SCRIPT: Final = literal("""
mounted=
# Not by looking into debugfs: that alone would mount it.
if [ -z "$folder" ]; then
  folder=$(sed -n 's/^[^ ]* \\([^ ]*\\) tracefs .*/\\1/p' /proc/mounts | head -n 1)
fi
if [ -z "$folder" ]; then
  folder=/sys/kernel/tracing
  mount -t tracefs nodev $folder 2> /dev/null && mounted=yes
fi
refuse() {
  echo "refused: $1"
  cd /
  [ -z "$mounted" ] || umount $folder
  exit 1
}
cd "$folder" 2> /dev/null && [ -e current_tracer ] || refuse "no tracefs"
grep -qw function_graph available_tracers || refuse "its tracers are: $(cat available_tracers)"
[ "$(cat current_tracer)" = nop ] || refuse "somebody else traces there: $(cat current_tracer)"
for file in set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace \\
  set_ftrace_pid; do
  grep -sqv -e '^#' -e '^no pid' $file && refuse "its tracing is set: $file"
done
was=$(cat tracing_on)
restore() {
  trap - EXIT
  echo 0 > tracing_on
  echo nop > current_tracer
  echo "$was" > tracing_on
  cd /
  [ -z "$mounted" ] || umount $folder
}
trap restore EXIT
trap 'exit 1' HUP INT TERM PIPE
echo 0 > tracing_on
echo function_graph > current_tracer || exit 1
echo > trace
echo 1 > tracing_on
echo ready
read -r go || exit 1
echo 0 > tracing_on
cat trace
""")


@dataclass(slots=True)
class _Entry:
    """A function as it was entered, until it is left."""

    name: str
    depth: int
    place: int  # among all
    ns: int = 0  # with what it called; 0: never left while it was traced
    inner_ns: int = 0


@dataclass(slots=True)
class _Task:
    """One task's lines as they are read."""

    entries: list[_Entry] = field(default_factory=list)
    stack: list[_Entry] = field(default_factory=list)  # those that are not left

    def read(self, text: str, ns: int, place: int) -> None:
        """Parse what stands behind the bar."""
        if entered := ENTERED.match(text):
            depth = max(0, len(entered["in"]) // INDENT - 1)
            del self.stack[depth:]
            made = _Entry(entered["name"], depth, place, ns)
            self.entries.append(made)
            if entered["end"] == "{":
                self.stack.append(made)
            else:
                self._took(ns)
        elif LEFT.match(text) and self.stack:
            self.stack.pop().ns = ns
            self._took(ns)

    def _took(self, ns: int) -> None:
        if self.stack:
            self.stack[-1].inner_ns += ns


class Graph:
    """Tracing that is on, from `on` to `off`. `folder` is where tracefs is, if not as usual."""

    def __init__(self, node: Node, folder: str = "") -> None:
        self._hold = Hold(node, joined((shell("folder={folder}", folder=folder), SCRIPT)))

    async def on(self) -> None:
        """Begin. Raises UnavailableError with what the kernel lacks; then nothing was changed."""
        if why := await self._hold.start():
            raise UnavailableError(f"no {TRACER}: {why.removeprefix(REFUSED).strip()}")

    async def off(self) -> list[str]:
        """End; the trace, line by line. All is again as it was."""
        return await self._hold.stop()

    async def abort(self) -> None:
        """End it, whatever it does; it sets tracing back."""
        await self._hold.abort()


@reader("the trace of its kernel")
def packet(lines: Iterable[str], direction: str) -> tuple[Call, ...]:
    """Return the trace of one packet of a direction. Raises UnavailableError where it is not there.

    Of each task that worked on it, in the order in which they began: one may take it off the wire,
    another may read it.
    """
    pieces = []
    for entries in _by_task(lines):
        calls = [
            Call(entry.name, entry.depth, 0, max(0, entry.ns - entry.inner_ns)) for entry in entries
        ]
        if span := _span(calls, direction):
            pieces.append((entries[span.start].place, _from_nought(calls[span.start : span.stop])))
    if not pieces:
        raise UnavailableError(f"{TRACER} saw no packet of ours")
    pieces.sort(key=lambda piece: piece[0])
    return tuple(call for _, calls in pieces for call in calls)


def cut(calls: Sequence[Call], direction: str) -> tuple[Call, ...]:
    """The packet's of a path of one task, or of none; nothing where no packet is in it.

    The outermost call with the first function that only such a packet passes: more may follow it,
    of the gateway's own program, or an ICMP message that answers it. Of receiving all up to the end
    of the call with the last such function, which reads it.
    """
    span = _span(calls, direction)
    return _from_nought(calls[span.start : span.stop]) if span else ()


def _span(calls: Sequence[Call], direction: str) -> range:
    marks = re.compile(MARKS[direction])
    tops = [
        _outermost(calls, at) for at, call in enumerate(calls) if marks.fullmatch(call.function)
    ]
    if not tops:
        return range(0)
    return range(tops[0], _end(calls, tops[-1] if direction == "receive" else tops[0]))


def _from_nought(calls: Sequence[Call]) -> tuple[Call, ...]:
    least = min(call.depth for call in calls)
    return tuple(Call(c.function, c.depth - least, c.instructions, c.ns) for c in calls)


def _by_task(lines: Iterable[str]) -> list[list[_Entry]]:
    """Return the functions entered, in order, by each task on each CPU: depths are a task's own."""
    tasks: dict[tuple[str, str], _Task] = {}
    now: dict[str, str] = {}  # which task a CPU runs
    for place, line in enumerate(lines):
        if switched := SWITCHED.match(line):
            now[switched["cpu"]] = switched["task"]
        if row := LINE.match(line):
            task = tasks.setdefault((row["cpu"], now.get(row["cpu"], "")), _Task())
            ns = round(float(row["us"]) * US_NS) if row["us"] else 0
            task.read(row["rest"], ns, place)
    return [task.entries for task in tasks.values()]


def _outermost(calls: Sequence[Call], at: int) -> int:
    """Up from a call, to below what the processor does between packets."""
    top = at
    for place in range(at, -1, -1):
        if calls[place].depth < calls[top].depth:
            if AROUND.fullmatch(calls[place].function):
                break
            top = place
    return top


def _end(calls: Sequence[Call], top: int) -> int:
    """Where the call at `top` is left."""
    rest = range(top + 1, len(calls))
    return next((at for at in rest if calls[at].depth <= calls[top].depth), len(calls))


def sizes(calls: Iterable[Call]) -> dict[str, tuple[int, int]]:
    """Time and calls of each function, the longest first."""
    sizes_of: dict[str, tuple[int, int]] = {}
    for call in calls:
        ns, times = sizes_of.get(call.function, (0, 0))
        sizes_of[call.function] = (ns + call.ns, times + 1)
    return dict(sorted(sizes_of.items(), key=lambda item: (-item[1][0], item[0])))
