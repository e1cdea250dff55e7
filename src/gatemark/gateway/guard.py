# SPDX-License-Identifier: Apache-2.0
"""The way in to a gateway, kept where its memory ends: what its kernel kills, and what it does not.

A kernel without memory kills the process of the highest oom_score_adj (proc_pid_oom_score_adj(5)).
Two things see to it that this is none that we need:

- our session's processes, up to the SSH server, are to be killed last; what we start from then on
  inherits that, such as gm-agent;
- a *ballast* that holds some memory is to be killed first. That leaves the kernel some to answer us
  with: by then nothing is sent any more. It comes back a minute later.

Last, not never: a kernel that may kill nothing panics. Where it came to that, or the gateway is
lost otherwise, the trial is invalid and says so.
"""

from typing import Final

from gatemark.gateway.changes import Changes

BALLAST_BYTES: Final = 2 << 20
BACK_S: Final = 60  # after it was killed
PID: Final = "/tmp/gatemark-ballast.pid"  # noqa: S108  every busybox box can write there

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
SPARED: Final = -999

# dd reads its whole block, so that it has it, and waits for ever to write it: into a pipe that
# nobody empties. What waits is told of the end by SIGTERM.
BALLAST: Final = f"""
sh <<'GATEMARK-BALLAST' > /dev/null 2>&1 &
mkfifo {PID}.pipe
exec 3<> {PID}.pipe
rm {PID}.pipe
trap 'kill $held; exit 0' TERM
while :; do
  (echo 1000 > /proc/self/oom_score_adj; exec dd if=/dev/zero bs={BALLAST_BYTES} count=1 >&3) &
  held=$!
  wait $held
  sleep {BACK_S} &
  held=$!
  wait $held
done
GATEMARK-BALLAST
echo $! > {PID}
"""
NO_BALLAST: Final = f"""
if [ -f {PID} ]; then
  kill "$(cat {PID})" 2> /dev/null || true
  rm -f {PID} {PID}.pipe
fi
"""


async def protect(changes: Changes) -> None:
    """Guard our way in until the change is undone. Raises NodeError."""
    said = await changes.node.run("sh", "-c", ABOVE)
    was = [line.split() for line in said.splitlines()]
    spare = "\n".join(_adjust(pid, str(SPARED)) for pid, _ in was)
    await changes.make(spare, undo="\n".join(_adjust(pid, adjusted) for pid, adjusted in was))
    await changes.make(BALLAST, undo=NO_BALLAST)


def _adjust(pid: str, to: str) -> str:
    return f"if [ -e /proc/{pid} ]; then echo {to} > /proc/{pid}/oom_score_adj; fi"
