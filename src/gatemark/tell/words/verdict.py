# SPDX-License-Identifier: Apache-2.0
"""A verdict in a sentence: what a load adds, its letter, what works meanwhile, what to set."""

from collections.abc import Mapping, Sequence
from typing import Final

from gatemark.judge.verdict.responsive import Responsive
from gatemark.judge.verdict.shaper import Advice
from gatemark.judge.verdict.use import Use
from gatemark.judge.verdict.verdict import Verdict
from gatemark.number import quantity
from gatemark.tell.words import number
from gatemark.tell.words.number import MBPS, PERCENT

SINGLE: Final = {"upload": "an upload", "download": "a download"}
LOADS: Final = {"up": "upload", "down": "download"}


def paragraph(best: Advice) -> list[str]:
    """Without a shaper, with the best one, and what to set."""
    if not best.shaper:
        return [f"{sentence(best.before)}; no shaper here gets a better letter."]
    rest = [text for text in (_set(best), _fast(best)) if text]
    return [f"{sentence(best.before)}.", f"{'; '.join([sentence(best.best), *rest])}."]


def sentence(verdict: Verdict) -> str:
    """`At 15 Mbit/s up with cake an upload adds 4 ms (p99 9 ms): A+; game and call work`."""
    where = line(verdict.line_bps)
    by = f"with {verdict.shaper}" if verdict.shaper else "without a shaper"
    start = f"At {where} {by}" if where else f"Through {verdict.point.setup}"
    tail = verdict.tail_ns
    far = f" ({verdict.tail} {quantity(tail.value, 'ns')})" if tail else ""
    text = f"{start} {_load(verdict)} {quantity(verdict.added_ns.value, 'ns')}{far}"
    return "; ".join(filter(None, [f"{text}: {verdict.letter}", _works(verdict.uses)]))


def responsiveness(made: Sequence[Responsive]) -> list[str]:
    """The least and the most of the setups: `Responsiveness without a shaper, up: 312 ...`."""
    ends = made if len(made) < 2 else (made[0], made[-1])
    return [f"{_responsive(each)}." for each in ends]


def _responsive(made: Responsive) -> str:
    by = f"with {made.shaper}" if made.shaper else "without a shaper"
    parts = (("foreign", made.foreign), ("loaded", made.loaded))
    scores = ", ".join(f"{name} {value:.0f}" for name, value in parts if value is not None)
    of = f" ({scores})" if scores else ""
    way = made.point.definition.direction
    return f"Responsiveness {by}, {way}: {made.rpm:.0f} round trips/min, {made.grade}{of}"


def line(rates: Mapping[str, float]) -> str:
    """`15 Mbit/s up`, `100 Mbit/s down and 15 Mbit/s up`; nothing without a line."""
    by_way = [(way, number.nominal(rates[way], "bit/s")) for way in ("down", "up") if way in rates]
    if len({rate for _, rate in by_way}) < len(by_way):
        return f"{by_way[0][1]} both ways"
    return " and ".join(f"{rate} {way}" for way, rate in by_way)


def _load(verdict: Verdict) -> str:
    """`an upload adds`, `8 uploads add`."""
    ways = {load.get("direction", "up") for load in verdict.loads.values()}
    if {load["kind"] for load in verdict.loads.values()} != {"tcp"} or not ways <= LOADS.keys():
        return "the load adds"
    streams = sum(int(load.get("streams", 1)) for load in verdict.loads.values())
    if len(ways) > 1:
        return f"{streams} uploads and downloads add"
    what = LOADS[ways.pop()]
    return f"{SINGLE[what]} adds" if streams == 1 else f"{streams} {what}s add"


def _works(uses: Sequence[Use]) -> str:
    """`game and call work, web does not`."""
    good, bad = ([use.name for use in uses if use.works is is_so] for is_so in (True, False))
    parts = [f"{_listed(good)} {'works' if len(good) == 1 else 'work'}"] if good else []
    verb = "does not" if len(bad) == 1 else "do not"
    parts += [f"{_listed(bad)} {verb}{'' if good else ' work'}"] if bad else []
    return ", ".join(parts)


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _set(best: Advice) -> str:
    rates = [
        f"{number.plain(least / MBPS.factor, number.decimals_of(least / MBPS.factor))} to "
        f"{number.plain(most / MBPS.factor, number.decimals_of(most / MBPS.factor))} Mbit/s {way}"
        for way, (least, most) in best.rates_bps.items()
    ]
    return f"set it to {' and '.join(rates)}" if rates else ""


def _fast(best: Advice) -> str:
    """What the CPU can do: by the search for the rate it holds, else by its load here."""
    if best.holds_bps:
        return f"it shapes up to {quantity(best.holds_bps.value, 'bit/s')}, then its CPU ends"
    if best.fast_enough is None or best.cpu is None:
        return ""
    busy = f"{number.value_alone(best.cpu, PERCENT)} % busy"
    return f"the CPU is {'fast enough' if best.fast_enough else 'too slow'} ({busy})"
