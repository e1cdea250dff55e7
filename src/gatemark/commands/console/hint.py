# SPDX-License-Identifier: Apache-2.0
"""The likely meaning of a word that is no verb and no option: by other tools, else by spelling."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from gatemark.error import UsageError

TOOLS: Final = ("iperf", "iperf2", "iperf3", "nuttcp", "netperf", "tcpreplay", "flent", "speedtest")
VERBS: Final = {
    "help": "`gatemark --help`, or `gatemark VERB --help`",
    "version": "`gatemark --version`",
    "bench": "`gatemark run`",
    "test": "`gatemark run`",
    "start": "`gatemark run`",
    "measure": "`gatemark run`",
    "compare": "`gatemark diff` or `gatemark cmp`",
    "resume": "`gatemark run --resume RUN`",
    "install": "`gatemark doctor`, which says what is missing",
    **dict.fromkeys(TOOLS, "`gatemark run quick/tcp`; `--driver iperf3` measures with that tool"),
}
# Names of options, the option without which they mean something else, and what is meant.
OPTIONS: Final = (
    ("v V", "--version", "write `gatemark --version`"),
    ("v verbose", "", "`--debug` shows the whole trace of a failure"),
    ("n dry-run dryrun simulate", "", "`gatemark plan` shows what would run, and measures nothing"),
    ("fix repair", "", "nothing is changed here: beside what is missing stands how to get it"),
    ("o output", "--out", "write `--out`"),
    ("csv", "--format", "write `--format csv`"),
    ("csv", "", "write `gatemark export --format csv`"),
    ("no-color", "", "set NO_COLOR=1"),
)


def of_verb(word: str, verbs: Sequence[str]) -> str:
    """Return the words behind `no verb 'WORD'`: a command, or the nearest verbs."""
    from gatemark.plan.load import load
    from gatemark.plan.toml import nearest

    if text := VERBS.get(word.lower()):
        return f"; write {text}"
    if Path(word, "run.json").exists():
        return f"; it is a run: write `gatemark show {word}`"
    try:
        load(word)
    except UsageError:
        return nearest(word, list(verbs))
    return f"; it can be run: write `gatemark run {word}`"


def of_option(option: str, options: Sequence[str]) -> str:
    """Return the words behind `no option 'OPTION'`: the likely one, or the nearest."""
    from gatemark.plan.toml import nearest

    name = option.lstrip("-")
    for names, needed, text in OPTIONS:
        if name in names.split() and (not needed or needed in options):
            return f"; {text}"
    return _of_a_plan(name, options) or nearest(option, list(options))


def _of_a_plan(name: str, options: Sequence[str]) -> str:
    """Return the hint for a word that is a variant, a tool, or a key of a plan."""
    from gatemark.commands.console.offer import offers
    from gatemark.commands.option.wire import DRIVERS
    from gatemark.plan.expand import FACTORS
    from gatemark.plan.model import Repeat
    from gatemark.plan.toml import meant

    if name in {variant for offer in offers() for variant in offer.variants}:
        place = "" if "--variant" in options else "gatemark run "
        return f"; write `{place}--variant {name}`"
    if name in DRIVERS and "--driver" in options:
        return f"; write `--driver {name}`"
    if "--set" in options:
        for table, keys in (("workload", FACTORS), ("repeat", Repeat.__struct_fields__)):
            if key := next((key for key in meant(name) if key in keys), ""):
                return f"; write `--set {table}.{key}=...`"
    return ""
