# SPDX-License-Identifier: Apache-2.0
"""Names: a small resolver of homes answers 50 questions a second.

dnsperf asks, dnsmasq answers of itself, so no time is spent beyond the path.
"""

import re
from collections.abc import Iterator
from typing import Final

from gatemark.kind.application.application import Application, Quality, Report, Stage

PORT: Final = 53
RATE: Final = 50  # questions a second
NAMES_ASKED: Final = 200
TIMEOUT_S: Final = 2  # as long as a resolver of glibc or Android waits, at most
# dnsperf -v: "> NOERROR www7.example.test A 0.000213", "> T www7.example.test A" where none came.
ANSWER: Final = re.compile(r"^> (\S+) \S+ A(?: ([\d.]+))?$", re.MULTILINE)
LOST: Final = re.compile(r"Queries lost: +(\d+)")
SENT: Final = re.compile(r"Queries sent: +(\d+)")
MS: Final = 1e6


def serve(stage: Stage) -> Iterator[Report]:
    """Answer every name below example.test."""
    stage.start(
        *("dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv", "--no-hosts"),
        *(f"--port={PORT}", f"--listen-address={stage.far}", "--bind-interfaces", "--pid-file="),
        *("--address=/example.test/192.0.2.1", "--user=", "--log-facility=-"),
    )
    stage.listening(PORT, "udp")
    yield {}


def use(stage: Stage) -> Iterator[Report]:
    """Ask all the time, a question at a time as they are due."""
    names = "".join(f"www{at}.example.test A\n" for at in range(NAMES_ASKED))
    asked = stage.file("names", names)
    yield {}
    asking = stage.start(
        *("dnsperf", "-v", "-s", stage.far, "-p", str(PORT), "-d", str(asked), "-W"),
        *("-Q", str(RATE), "-l", f"{stage.seconds:.0f}", "-t", str(TIMEOUT_S), "-c", "1"),
    )
    asking.says("Run time (s)", stage.seconds + TIMEOUT_S + 5.0)
    stage.pause(0.2)
    yield read(asking.text())


def read(text: str) -> Report:
    """Return the times of a report of dnsperf, and the share that was lost."""
    took = [float(seconds) * 1e9 for _, seconds in ANSWER.findall(text) if seconds]
    sent, lost = SENT.search(text), LOST.search(text)
    asked, gone = int(sent[1]) if sent else 0, int(lost[1]) if lost else 0
    samples = [*took, *[TIMEOUT_S * 1e9] * gone]
    share = gone / asked if asked else 1.0
    return {"samples": {"lookup": samples}, "values": {"lookups_lost_share": share}}


NAMES: Final = Application(
    name="dns",
    title="names (DNS)",
    about="names",
    label="dns",
    needs={"dnsmasq": "dnsmasq-base", "dnsperf": "dnsperf"},
    qualities=(
        Quality(
            quantity="lookup_p95_ns",
            good=50 * MS,
            bad=200 * MS,
            source="our choice: a page asks for several names before it shows",
        ),
        Quality(
            quantity="lookups_lost_share",
            short="lost",
            good=0.0,
            bad=0.01,
            source="our choice: a lost question costs seconds",
        ),
    ),
    waits=0.2,
    serve=serve,
    use=use,
)
