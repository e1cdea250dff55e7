# SPDX-License-Identifier: Apache-2.0
"""The way in to a gateway, kept where its memory ends: what its kernel kills, and what it does not.

A kernel without memory kills the process of the highest oom_score_adj (proc_pid_oom_score_adj(5)).
Three things see to it that this is none that we need:

- our session's processes, up to the SSH server, are to be killed last; what we start from then on
  inherits that, such as gm-agent;
- a *ballast* that holds some memory is to be killed first. Its end tells us that memory has ended,
  so that nothing more is sent, and what it held is left for the kernel to answer us with. It is of
  two halves: a process that is killed holds its memory for a moment longer, in which a kernel may
  kill another;
- no memory that is free is kept from processes. By itself a kernel that is short of it raises its
  reserve by a block of pages (4 MiB with pages of 4 KiB; boost_watermark(), mm/page_alloc.c), and
  takes up to two blocks off what is free for packets that ask for several pages at once, as
  virtio-net does (reserve_highatomic_pageblock() there, skb_page_frag_refill() in net/core/sock.c):
  more than the ballast holds. What was raised before is lowered, as whenever the marks of a zone
  are set (setup_per_zone_wmarks()).

Last, not never: a kernel that may kill nothing panics. Where it came to that, or the gateway is
lost otherwise, the trial is invalid and says so.
"""

import asyncio
from typing import Final, Self

from gatemark.error import NodeError
from gatemark.gateway import sysctl
from gatemark.gateway.changes import Changes
from gatemark.node.quoted import Script, joined, literal, sh, shell
from gatemark.node.reader import reader
from gatemark.node.shell import Node, Process
from gatemark.station.wiring import Gateway

HALF_BYTES: Final = 2 << 20
SPARED: Final = -999
KEPT: Final = {
    "/proc/sys/vm/watermark_boost_factor": "0",  # since Linux 5.0
    "/proc/sys/net/core/high_order_alloc_disable": "1",  # since Linux 5.14
}
MARKS: Final = "/proc/sys/vm/watermark_scale_factor"
LOWER: Final = literal(f"[ ! -e {MARKS} ] || echo $(cat {MARKS}) > {MARKS}")  # to what it is

# All above this shell but init and shells, which end: number, and how likely it was to be killed.
# The parent is the second word behind the name, which may hold anything (proc_pid_stat(5)).
ABOVE: Final = literal("""
pid=$$
while [ "$pid" -gt 1 ]; do
  case "$(cat /proc/$pid/comm)" in
    sh | ash | dash | bash | busybox) ;;
    *) echo "$pid $(cat /proc/$pid/oom_score_adj)" ;;
  esac
  pid=$(sed 's/.*) //' /proc/$pid/stat | cut -d ' ' -f 2)
done
""")

# A process that has touched its memory, and waits for the end of its input. The shell above stays
# when it is killed: an SSH server that learns of a session's end between the opening of another
# and its command refuses that, or breaks the connection (node/remote/channel.py).
HELD: Final = "held"
KILLED: Final = "killed"
BALLAST: Final = literal(f"""
hold() {{
  echo $1 > /proc/self/oom_score_adj
  exec awk 'BEGIN {{
    all = "."; while (length(all) < {HALF_BYTES}) all = all all
    print "{HELD}"; fflush(); getline
  }}'
}}
exec 3<&0  # a shell gives what it starts behind itself another stdin
(hold 999) <&3 &
(hold 1000) || {{ echo {KILLED}; read -r end; }}
wait
""")


class Ballast:
    """Memory that is held on a gateway until its kernel needs it, or it is let go."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._said = asyncio.create_task(process.line())

    @classmethod
    async def hold(cls, node: Node) -> Self:
        """Have it held. Raises NodeError."""
        process = await node.start(*sh(BALLAST))
        for _half in range(2):
            if (await process.line()).decode(errors="replace").strip() != HELD:
                process.close_stdin()
                why = (await process.errors()).strip()
                raise NodeError(f"{node.name}: no memory could be held there: {why}")
        return cls(process)

    @property
    def killed(self) -> bool:
        """Return whether the kernel had to kill for memory."""
        return self._heard and self._said.result().decode(errors="replace").strip() == KILLED

    @property
    def _heard(self) -> bool:
        done = self._said.done() and not self._said.cancelled()
        return done and self._said.exception() is None  # the gateway is lost

    def release(self) -> None:
        """Let it go, as soon as the gateway hears of it."""
        self._process.close_stdin()

    async def end(self) -> None:
        """Let it go, whatever it does."""
        self._process.close_stdin()
        self._process.kill()
        self._said.cancel()
        await asyncio.gather(self._said, return_exceptions=True)


async def protect(gateway: Gateway, changes: Changes) -> None:
    """Spare our session until the change is undone. Raises NodeError."""
    await sysctl.write(gateway, changes, KEPT)
    await gateway.run(*sh(LOWER))
    text = await gateway.run(*sh(ABOVE))
    was = _spared(text)
    spare = joined(_adjust(pid, str(SPARED)) for pid, _ in was)
    await changes.make(spare, undo=joined(_adjust(pid, adjusted) for pid, adjusted in was))


@reader("the processes above our session")
def _spared(text: str) -> list[tuple[str, str]]:
    """Each with how likely it was to be killed; both are numbers, since a shell is given them."""
    rows = [line.split() for line in text.splitlines()]
    return [(str(int(pid)), str(int(adjusted))) for pid, adjusted in rows]


def _adjust(pid: str, to: str) -> Script:
    return shell(
        "if [ -e /proc/{pid} ]; then echo {to} > /proc/{pid}/oom_score_adj; fi", pid=pid, to=to
    )
