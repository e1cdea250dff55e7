# SPDX-License-Identifier: Apache-2.0
"""The way in to a gateway, kept where its memory ends: what its kernel kills, and what it does not.

A kernel without memory kills the process of the highest oom_score_adj (proc_pid_oom_score_adj(5)).
Two things see to it that this is none that we need:

- our session's processes, up to the SSH server, are to be killed last; what we start from then on
  inherits that, such as gm-agent;
- a *ballast* that holds some memory is to be killed first. Its end tells us that memory has ended,
  so that nothing more is sent, and what it held is left for the kernel to answer us with.

Last, not never: a kernel that may kill nothing panics. Where it came to that, or the gateway is
lost otherwise, the trial is invalid and says so.
"""

from typing import Final

from gatemark.error import NodeError
from gatemark.gateway.changes import Changes
from gatemark.node.shell import Node, Process

BALLAST_BYTES: Final = 4 << 20
SPARED: Final = -999

# All above this shell but init and shells, which end: number, and how likely it was to be killed.
# The parent is the second word behind the name, which may hold anything (proc_pid_stat(5)).
ABOVE: Final = """
pid=$$
while [ "$pid" -gt 1 ]; do
  case "$(cat /proc/$pid/comm)" in
    sh | ash | dash | bash | busybox) ;;
    *) echo "$pid $(cat /proc/$pid/oom_score_adj)" ;;
  esac
  pid=$(sed 's/.*) //' /proc/$pid/stat | cut -d ' ' -f 2)
done
"""

# One process that has touched its memory, and waits for the end of its input.
HELD: Final = "held"
BALLAST: Final = f"""
echo 1000 > /proc/self/oom_score_adj
exec awk 'BEGIN {{
  all = "."; while (length(all) < {BALLAST_BYTES}) all = all all
  print "{HELD}"; fflush(); getline
}}'
"""


async def protect(changes: Changes) -> None:
    """Spare our session until the change is undone. Raises NodeError."""
    said = await changes.node.run("sh", "-c", ABOVE)
    was = [line.split() for line in said.splitlines()]
    spare = "\n".join(_adjust(pid, str(SPARED)) for pid, _ in was)
    await changes.make(spare, undo="\n".join(_adjust(pid, adjusted) for pid, adjusted in was))


async def ballast(node: Node) -> Process:
    """Hold memory on a gateway until the process is killed, or its input ends. Raises NodeError."""
    process = await node.start("sh", "-c", BALLAST)
    if (await process.line()).decode().strip() != HELD:
        raise NodeError(f"{node.name}: no memory could be held there: {await process.errors()}")
    return process


def _adjust(pid: str, to: str) -> str:
    return f"if [ -e /proc/{pid} ]; then echo {to} > /proc/{pid}/oom_score_adj; fi"
