# SPDX-License-Identifier: Apache-2.0
"""python tests/commands.py PROGRAM: command lines of gm-algorithms at their bounds; prints TAP."""
# ruff: noqa: T201 (what it prints is what it is for)

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

ONCE: Final = ("repeats=1", "pass_ms=0")
EXIT_USAGE: Final = 2
LONGEST_LINE: Final = 4096
FILTERED: Final = "2"  # SECCOMP_MODE_FILTER
PAYLOADS: Final = Path(__file__).with_name("rules.pcap")
ROUTES: Final = """\
default via 192.0.2.1 dev eth2 proto static
10.0.0.0/8 via 10.1.1.1 dev eth1
192.168.1.0/24 dev br-lan proto kernel scope link src 192.168.1.1
"""
PATIENCE_S: Final = 30.0


def main(program: str) -> int:
    """0, or 1 where a test failed."""
    failed = False
    for holds, name in tests(program):
        print(f"{'ok' if holds else 'not ok'} - {name}", flush=True)
        failed |= not holds
    return int(failed)


def tests(program: str) -> Iterator[tuple[bool, str]]:
    """Each test: whether it holds, and what it is."""
    yield (
        latencies(program, most=4 * LONGEST_LINE) == [lines * LONGEST_LINE for lines in (2, 3, 4)],
        "latency: the longest line begins with two lines",
    )
    yield (
        latency(program, most=LONGEST_LINE).returncode == EXIT_USAGE,
        "latency: less than two lines is refused",
    )
    rule = 'alert udp any any -> any any (msg:"x"; content:"foo"; nocase; sid:1;)\n'
    yield (
        record(program, "match", "patterns", rule, f"payload={PAYLOADS}")["pairs"] == 3,
        "match: a rule's content is searched, three of four payloads have it",
    )
    faults = record(program, "match", "patterns", "ab\nx(\ny(\n", f"payload={PAYLOADS}")
    yield (
        (faults["rejected"], faults.get("rejected_reasons"))
        == (2, "2 to 3: a group is not closed"),
        "match: lines that are not searched are named, neighbours with one reason together",
    )
    texts = "f.o\n"
    yield (
        record(program, "match", "patterns", texts, f"payload={PAYLOADS}").get("plain") == 1,
        "match: a line without a wrapper is counted as an expression",
    )
    yield (
        record(program, "match", "patterns", texts, "form=literals", f"payload={PAYLOADS}")["pairs"]
        == 0,
        "match: form=literals searches a line as it stands",
    )
    yield (
        record(program, "lpm", "table", ROUTES, "structure=tbm5", "queries=4096")["next_hops"] == 3,
        "lpm: what ip route prints is a table with its next hops",
    )
    yield sandboxed(program), "a file of others is read without rights, behind a filter"


def record(program: str, command: str, key: str, text: str, *words: str) -> dict[str, Any]:
    """What a command says whose word `key` names a file with this text; empty where it failed."""
    with tempfile.TemporaryDirectory() as folder:
        (path := Path(folder) / "input").write_text(text)
        argv = [program, command, f"{key}={path}", *words, *ONCE]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return (
        json.loads(done.stdout)
        if not done.returncode
        else {"pairs": -1, "next_hops": -1, "rejected": -1}
    )


def latencies(program: str, most: int) -> list[float]:
    """The sizes for which there is a latency of the longest line; none where it failed."""
    done = latency(program, most)
    return [] if done.returncode else json.loads(done.stdout)["bytes"]


def latency(program: str, most: int) -> subprocess.CompletedProcess[str]:
    """The command, with the longest line."""
    words = ("platform", "measure=latency", f"line={LONGEST_LINE}", f"most={most}", *ONCE)
    return subprocess.run([program, *words], capture_output=True, text=True, check=False)


def sandboxed(program: str) -> bool:
    """Whether it has given up its rights before it has read a byte, and works on all the same."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table"
        os.mkfifo(table)
        words = ("lpm", "structure=tbm4", f"table={table}", *ONCE)
        process = subprocess.Popen([program, *words], stdout=subprocess.PIPE)
        with table.open("w") as file:  # which it has opened then, too
            is_least = becomes(process, lambda: rights(process.pid) == (0, "1", FILTERED))
            file.write("10.0.0.0/8\n")
        output, _ = process.communicate(timeout=PATIENCE_S)
        return is_least and b'"structure":"tbm4"' in output


def rights(pid: int) -> tuple[int, str, str]:
    """Capabilities, no_new_privs and filter of a process (proc_pid_status(5))."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    shown = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
    return int(shown["CapPrm"], 16), shown["NoNewPrivs"], shown["Seccomp"]


def becomes(process: "subprocess.Popen[bytes]", condition: Callable[[], bool]) -> bool:
    """Whether it is so while a process runs, within a time that a busy machine keeps too."""
    until = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
