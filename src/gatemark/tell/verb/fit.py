# SPDX-License-Identifier: Apache-2.0
"""`gatemark fit` in print: enough for a line or not, what limits it, what to switch off."""

from collections.abc import Iterator, Sequence

from gatemark.judge.capacity.line import Drop, Fit, Rate, tells_down
from gatemark.judge.capacity.model import Model
from gatemark.judge.capacity.term import BYTE, Case
from gatemark.plan.feature import shaped_bps
from gatemark.tell.answer import capacity
from gatemark.tell.words import column, fold, number
from gatemark.tell.words.column import Column
from gatemark.tell.words.number import KPPS, PERCENT
from gatemark.tell.words.screen import Line as Printed
from gatemark.tell.words.table import NONE, Table

STYLE = {"enough": "green", "not enough": "red", "too close to tell": "yellow"}
MBIT = 1e6


def lines(model: Model, fits: Sequence[tuple[str, Fit]]) -> Iterator[Printed]:
    """The answer for each frame size (its name, and the answer), then what it is made of."""
    for name, fit in fits:
        yield STYLE[fit.answer], sentence(name, fit)
    yield from fold.styled(_rates([fit for _, fit in fits]), fold.room())
    for name, fit in fits:
        yield from (("", text) for text in _advice(name, fit))
    yield from fold.styled(capacity.terms(model, fits[-1][1].setup), fold.room())
    yield from (("dim", text) for text in _notes(model, fits[-1][1]))


def sentence(name: str, fit: Fit) -> str:
    """Enough or not, with the interval and the limit."""
    line = f"{_mbit(fit.line.down_bps)}/{_mbit(fit.line.up_bps)} Mbit/s"
    what = f"{fit.setup.words} at {name}"
    if fit.limit == "shaper":
        if fit.held_bps:
            most = f"its shaper holds {_mbit(fit.held_bps.value)} Mbit/s at most"
            return f"{what}: not enough for {line}: {most}, by a search"
        rates = filter(None, shaped_bps(fit.setup.features) or ())
        shaped = " and ".join(dict.fromkeys(map(_mbit, rates)))
        return f"{what}: not enough for {line}: its own shaper lets {shaped} Mbit/s through"
    share = f"both directions at once take {_percent(fit.share.value)} of the gateway's CPU"
    span = f"({_percent(fit.least)} to {_percent(fit.most)})"
    return f"{what}: {fit.answer} for {line}: {share} {span}"


def _rates(fits: Sequence[Fit]) -> Table:
    """Each direction alone, and both at once."""
    return column.table(
        "Each direction alone",
        [(fit, way, rate) for fit in fits for way, rate in fit.rates.items()],
        Column("frame", lambda row: f"{row[0].frame_bytes:.0f} B"),
        Column("direction", lambda row: row[1]),
        column.number("the line, k packets/s", _line),
        Column("carries alone, k packets/s", lambda row: _span(row[2])),
        column.number("Mbit/s (L1)", lambda row: f"{row[2].l1_bps / MBIT:.0f}"),
        column.number("(L2)", lambda row: f"{row[2].l2_bps / MBIT:.0f}"),
        column.number("(L4)", lambda row: f"{row[2].l4_bps / MBIT:.0f}"),
        column.number("CPU for the line, %", lambda r: number.plain(100 * r[0].alone[r[1]], 0)),
    )


def _line(row: tuple[Fit, str, Rate]) -> str:
    fit, way, _ = row
    return number.plain(fit.line.packets(fit.frame_bytes)[way] / KPPS.factor, 1)


def _span(rate: Rate) -> str:
    middle, low, high = (x / KPPS.factor for x in (rate.pps.value, rate.least, rate.most))
    places = number.decimals_of(middle)
    low_, high_ = number.plain(low, places), number.plain(high, places)
    return f"{number.plain(middle, places)} ({low_} to {high_})"


def _advice(name: str, fit: Fit) -> Iterator[str]:
    """What to switch off, one by one, and the fewest together that are enough."""
    if fit.answer == "enough":
        return
    yield ""
    if not fit.drops:
        yield f"At {name}: nothing of {fit.setup.words} can be switched off to gain anything."
        return
    yield f"At {name}, switched off one by one:"
    yield from (f"  {_drop(drop)}" for drop in fit.drops)
    if fit.enough_without:
        yield f"  Enough without {' and '.join(fit.enough_without)}."
    else:
        yield "  Not surely enough without all of them."
    if fit.rules:
        yield f"  Enough with a filter of {fit.rules} rules at most."


def _drop(drop: Drop) -> str:
    gain = f"{number.plain(100 * drop.gain, 0)} % more packets/s"
    return f"{drop.what}: {gain}, then {_percent(drop.share)} of the CPU: {drop.answer}"


def _notes(model: Model, fit: Fit) -> Iterator[str]:
    """What the answer rests on."""
    yield ""
    blocks = len(model.blocks)
    if model.level:
        factor, sure = _percent(model.margin - 1), _percent(model.level)
        off = f"± {factor}, by which {sure} of setups were off that the fit did not know"
        yield f"In brackets: the interval of {blocks} blocks, and {off}."
    else:
        yield f"In brackets: the interval of {blocks} blocks. No setup was left out to test it."
    if fit.held_bps:
        held = f"{_mbit(fit.held_bps.lo)} to {_mbit(fit.held_bps.hi)} Mbit/s"
        yield f"A search found that its shaper holds up to {held} of full frames."
    if slow_to_pps := model.measured.traffic.slow_to_pps:
        yield f"The gateway was slowed to about {slow_to_pps} packets/s."
    if not tells_down(model):
        yield "Only LAN to WAN was measured: the other direction is taken to cost the same."
    if BYTE in model.unresolved:
        (size,) = {case.frame_bytes for case in model.measured.fitted()}
        yield f"Only frames of {size:g} B were measured: a byte is taken to cost nothing."
    yield from (f"The sum fails: {text}." for text in capacity.failures(model))
    rest = Case(fit.setup, "up", fit.frame_bytes)
    if rest not in model.measured.times:
        at = f"{fit.setup.words} at {fit.frame_bytes:.0f} B"
        yield f"{at} was not measured itself: it is predicted."


def _percent(share: float) -> str:
    return f"{number.plain(share / PERCENT.factor, 0 if share >= 0.1 else 1)} %"


def _mbit(bps: float) -> str:
    return f"{bps / MBIT:g}" if bps else NONE
