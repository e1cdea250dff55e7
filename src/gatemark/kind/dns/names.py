# SPDX-License-Identifier: Apache-2.0
"""The names that are asked, and dnsperf's report of each: `> NOERROR m7.AaB.gm.test A 0.000213`.

The letters of one label are large or small by the number of the query, which no cache looks at
(RFC 4343, section 3). So the order of what was lost is known of cached names, too.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

ZONE: Final = "gm.test"  # RFC 6761: of nobody
KNOWN: Final = 100  # names that are asked again and again
BITS: Final = 24
MOST: Final = 300_000  # names of a file; it is begun anew where more are asked
LEAST: Final = 60_000  # more than any cache of a home router keeps
LINE: Final = re.compile(
    rf"^> ([A-Z]+) ([hm])\d+\.([aA]{{{BITS}}})\.\w+\.{re.escape(ZONE)} A(?: (\d+\.\d+))?$",
    re.MULTILINE,
)
SENT: Final = re.compile(r"^ *Queries sent: +(\d+)$", re.MULTILINE)
RUN_S: Final = re.compile(r"^ *Run time \(s\): +(\d+\.\d+)$", re.MULTILINE)
LOST: Final = "T"  # in the place of an answer's code
FEWEST: Final = 5  # gaps between lost queries that are a rule
MANY: Final = 0.9  # of them are of the same length


@dataclass(slots=True)
class Part:
    """Queries of cached names, or of new ones."""

    sent: int = 0
    took_ns: list[float] = field(default_factory=list)  # of each that was answered
    lost: list[int] = field(default_factory=list)  # numbers
    codes: Counter[str] = field(default_factory=Counter)  # of answers that are errors


@dataclass(slots=True)
class Report:
    """All that was asked in one trial."""

    hits: Part = field(default_factory=Part)
    misses: Part = field(default_factory=Part)
    sent: int = 0
    seconds: float = 0.0
    ring: int = MOST  # numbers, from which on they are begun anew

    @property
    def parts(self) -> tuple[Part, Part]:
        """Both."""
        return self.hits, self.misses

    @property
    def every(self) -> int:
        """Return of how many queries one is lost, by most of the gaps; 0: by no rule."""
        lost = sorted({number for part in self.parts for number in part.lost})
        gaps = Counter(after - before for before, after in pairwise(lost))
        if self.sent > self.ring or sum(gaps.values()) < FEWEST:
            return 0
        gap, times = gaps.most_common(1)[0]
        return gap if gap > 1 and times >= MANY * sum(gaps.values()) else 0


def count(rate_pps: float, duration_s: float) -> int:
    """Return how many names a file needs: one for each query, and more than a cache keeps."""
    return min(MOST, max(LEAST, round(rate_pps * duration_s * 1.1)))


def known(token: str) -> Iterator[str]:
    """Each name that a cache is to know."""
    for at in range(KNOWN):
        yield _name("h", at, at, token)


def asked(number: int, cached: float, token: str, seed: int) -> Iterator[str]:
    """Yield so many names, a share of them known ones, in an order by chance: no pattern of loss
    meets one sort alone.
    """
    rng = random.Random(seed)  # noqa: S311  no secret
    for at in range(number):
        is_known = rng.random() < cached
        yield _name("h", rng.randrange(KNOWN), at, token) if is_known else _name("m", at, at, token)


def _name(sort: str, own: int, number: int, token: str) -> str:
    letters = f"{number:0{BITS}b}".replace("0", "a").replace("1", "A")
    return f"{sort}{own}.{letters}.{token}.{ZONE} A\n"


def read(text: str, ring: int = MOST) -> Report:
    """Return dnsperf's report; lines that are none of ours are let go."""
    sent, ran = SENT.search(text), RUN_S.search(text)
    report = Report(ring=ring)
    report.sent = int(sent[1]) if sent else 0
    report.seconds = float(ran[1]) if ran else 0.0
    for code, sort, letters, took_s in LINE.findall(text):
        part = report.hits if sort == "h" else report.misses
        part.sent += 1
        if code == LOST:
            part.lost.append(int(letters.replace("a", "0").replace("A", "1"), 2))
        elif code == "NOERROR" and took_s:
            part.took_ns.append(float(took_s) * 1e9)
        else:
            part.codes[code] += 1
    return report
