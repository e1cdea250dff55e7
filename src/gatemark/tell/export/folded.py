# SPDX-License-Identifier: Apache-2.0
"""Paths as collapsed stacks, for flame graphs: `a;b;c 123` a line, own instructions of `c` (or ns).

The format is that of stackcollapse.pl; flamegraph.pl, speedscope and others read it. A flame graph
adds up equal stacks and drops the order, which the tree of the page keeps.
"""

import re
from collections.abc import Iterator
from typing import Final

from gatemark.judge.judgement import Travel
from gatemark.judge.point.tree import stacks
from gatemark.tell.answer import kernel_path
from gatemark.tell.group.source import Source

SUFFIX = ".folded"
ODD: Final = re.compile(r"[;\s]")  # what would end a name of a function, or its line


def files(source: Source) -> Iterator[tuple[str, bytes]]:
    """One for each path of a run: its name, and what is in it."""
    for travel in source.judgement.travels:
        yield f"{kernel_path.anchor(travel).removeprefix('path-')}{SUFFIX}", export(travel)


def export(travel: Travel) -> bytes:
    """One path; what came before and after it has a stack of one function each."""
    own = stacks(travel.calls, travel.unit)
    sizes = {";".join(ODD.sub("_", name) for name in stack): size for stack, size in own.items()}
    ends = {"(out of idle)": travel.before.amount, "(back to idle)": travel.after.amount}
    lines = [f"{name} {size}" for name, size in (sizes | ends).items() if size]
    return "".join(f"{line}\n" for line in lines).encode()
