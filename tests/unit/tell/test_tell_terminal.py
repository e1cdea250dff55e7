# SPDX-License-Identifier: Apache-2.0
"""The terminal: a block that draws seldom, plain text where there is no terminal."""

import io
from functools import partial
from pathlib import Path

import builder
import msgspec
import pytest
from rich.console import Console

from gatemark.judge.change.reference import beside
from gatemark.judge.judgement import Judgement, Warning_
from gatemark.store.record import Definition
from gatemark.store.reference import published
from gatemark.tell import terminal
from gatemark.tell.brief import lines as brief
from gatemark.tell.fact import warned
from gatemark.tell.group.source import Source
from gatemark.tell.live import Live
from gatemark.tell.words import screen
from gatemark.tell.words.run import repeat_command

ESCAPE = "\x1b"


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def live(*, terminal: bool) -> tuple[Live, io.StringIO, Clock]:
    out, clock = io.StringIO(), Clock()
    console = Console(
        file=out,
        force_terminal=terminal,
        width=100,
        highlight=False,
        color_system=None,
        _environ={"TERM": "xterm"},
    )
    return Live(repeats={"quick/sweep": 6}, console=console, clock=clock), out, clock


def drive(shown: Live, clock: Clock, every_s: float) -> None:
    run, records = builder.run(), builder.trials()
    shown.begin(len(records), 90)
    for index, (spec, record) in enumerate(zip(run.trials, records, strict=True)):
        shown.trial(spec, index, 90 - index * every_s)
        shown.rate(record.values["received_pps"], "packets/s")
        clock.now += every_s
        shown.result(record)
    shown.end()


def test_plain_lines_come_every_few_seconds() -> None:
    shown, out, clock = live(terminal=False)
    drive(shown, clock, 0.25)
    lines = out.getvalue().splitlines()
    assert ESCAPE not in out.getvalue()
    assert lines[0] == "288 trials, about 1 min 30 s"
    assert 10 <= len(lines) <= 2 + 288 * 0.25 / 5
    assert any("quick/sweep" in line and "repeat" in line and "of 6" in line for line in lines)


@pytest.mark.parametrize(("terminal", "made"), [(True, ["first", "later"]), (False, ["first"])])
def test_the_answer_so_far_grows_in_the_block_and_stands_once_without_one(
    terminal: bool, made: list[str]
) -> None:
    shown, out, clock = live(terminal=terminal)
    shown.begin(10, 90)
    texts: list[str] = []

    def telling(text: str) -> list[screen.Line]:
        texts.append(text)
        return [("", f"answer: {text}")]

    for text, at in (("first", 1.0), ("at once again", 2.0), ("later", 100.0)):
        clock.now = at
        shown.answer(partial(telling, text))
    shown.end()
    assert texts == made
    assert [text for text in ("first", "later") if f"answer: {text}" in out.getvalue()] == made


def test_block_is_drawn_at_most_twice_a_second() -> None:
    shown, out, clock = live(terminal=True)
    drive(shown, clock, 0.05)
    drawn = out.getvalue().count("━━━━")
    assert 0 < out.getvalue().count("left") <= 2 + 288 * 0.05 / 0.5
    assert drawn


def test_block_tells_rate_last_and_warnings() -> None:
    shown, out, clock = live(terminal=True)
    run, records = builder.run(), builder.trials()
    shown.begin(2, 10)
    shown.result(records[60])
    clock.now = 1
    shown.trial(run.trials[60], 1, 5)
    clock.now = 2
    shown.rate(26_200, "packets/s")
    shown.warn("the sender is bursty")
    text = out.getvalue()
    assert "now 26.2 k packets/s" in text
    assert "last: 30.0 k packets/s, loss 14.3 %, CPU 99.2 %" in text
    assert "(route ↑ up, offered 35 k packets/s)" in text
    assert "1/2, 5 s left" in text
    shown.end()
    assert out.getvalue().rstrip().endswith("warning: the sender is bursty")


def test_warning_comes_at_once_without_a_terminal() -> None:
    shown, out, _ = live(terminal=False)
    shown.begin(1, 1)
    shown.warn("low on memory")
    assert "warning: low on memory" in out.getvalue()


WAIT = "another run is measuring on this machine: waiting for it"


def test_the_block_tells_that_a_trial_waits_and_no_longer() -> None:
    shown, out, _ = live(terminal=True)
    shown.begin(1, 1)
    shown.wait(WAIT)
    assert WAIT in out.getvalue()
    drawn = len(out.getvalue())
    shown.go_on(12.0)
    shown.end()
    assert WAIT not in out.getvalue()[drawn:]
    assert "warning" not in out.getvalue()
    assert shown.waited_s == 12


def test_what_takes_long_before_a_trial_is_told_at_once_in_a_pipe() -> None:
    shown, out, _ = live(terminal=False)
    shown.doing("the gateway of box comes up")
    shown.begin(1, 1)
    shown.doing("boot 2: the gateway of box comes up")
    first, _, last = out.getvalue().splitlines()
    assert first == "the gateway of box comes up"
    assert last == "boot 2: the gateway of box comes up"


def test_plain_lines_tell_of_waiting_every_few_seconds() -> None:
    shown, out, clock = live(terminal=False)
    shown.begin(9, 9)
    for _ in range(9):
        shown.wait(WAIT)
        clock.now += 1
        shown.go_on(1.0)
    assert out.getvalue().splitlines().count(WAIT) == 2


def test_invalid_trial_tells_its_reason() -> None:
    shown, out, _ = live(terminal=True)
    bad = msgspec.structs.replace(builder.trials()[0], status="invalid", reason="sink lost packets")
    shown.begin(1, 1)
    shown.result(bad)
    assert "invalid, sink lost packets" in out.getvalue()
    shown.end()


def test_the_whole_answer_says_why_trials_did_not_count() -> None:
    bad = [msgspec.structs.replace(r, status="invalid", reason="odd") for r in builder.trials()[:2]]
    source = builder.source(records=[*bad, *builder.trials()[2:]])
    assert "trials  2 x invalid: odd" in terminal.answer(source, None, whole=True).splitlines()


def test_answer_is_plain_when_piped() -> None:
    out = io.StringIO()
    source, page = builder.source(folder=Path("results/x")), Path("results/x/report.html")
    screen.tell(brief.lines(source, page), out)
    assert ESCAPE not in out.getvalue()
    assert out.getvalue() == terminal.answer(source, page)


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    out = Screen()
    screen.tell(brief.lines(builder.source(), None), out)
    assert f"{ESCAPE}[33m" not in out.getvalue()


def test_command_is_quoted_for_a_shell() -> None:
    run = msgspec.structs.replace(builder.run(), command=("gatemark", "run", "my plan.toml"))
    assert repeat_command(run) == "gatemark run 'my plan.toml'"


def test_a_warning_of_many_points_is_told_once() -> None:
    judged = builder.judgement()
    spread = Warning_("spread", "Repeat more often.")
    points = tuple(msgspec.structs.replace(p, warnings=(spread,)) for p in judged.points)
    judged = msgspec.structs.replace(judged, points=points)
    found = [where for seen, where in warned.warnings(judged) if seen.code == "spread"]
    assert found == ["route up, route down, nat up and 1 more"]


def test_of_one_warning_at_many_points_the_worst_is_told() -> None:
    judged = builder.judgement()
    first, second, *others = judged.points
    points = [
        msgspec.structs.replace(p, warnings=(Warning_("spread", "Repeat.", seen, weight),))
        for p, seen, weight in ((first, "6 %.", 0.06), (second, "20 %.", 0.2))
    ]
    judged = msgspec.structs.replace(judged, points=(*points, *others))
    (worst,) = [seen for seen, _ in warned.warnings(judged) if seen.code == "spread"]
    assert warned.text(worst) == "20 %. Repeat."


def nated(*slowdowns: int) -> Judgement:
    """TCP from LAN to WAN through NAT at some slowdowns: what the blog of 2007 measured."""
    definition = Definition(path="nat", l4="tcp", quantity="goodput", streams=1, duration_s=2.0)
    point = msgspec.structs.replace(
        builder.judgement().points[0].about(definition=definition),
        values={"goodput_bps": builder.median([50e6] * 6), "cpu_busy": builder.median([0.9] * 6)},
    )
    points = tuple(
        point.about(definition=msgspec.structs.replace(definition, slow_to_pps=slowdown))
        for slowdown in slowdowns
    )
    return msgspec.structs.replace(builder.nothing(), points=points)


def published_beside(judged: Judgement) -> Source:
    return builder.source(judged=judged, beside=beside(judged, published()), folder=Path("my x"))


def test_published_values_are_told_below_the_answer() -> None:
    text = terminal.answer(published_beside(nated(1000)), None, whole=True)
    assert "47.5 Mbit/s" in text
    assert "more: gatemark show" not in text


def test_a_dozen_published_values_are_enough_there() -> None:
    text = terminal.answer(published_beside(nated(1000, 2000, 3000, 4000)), None, whole=True)
    assert "  and 4 more: gatemark show 'my x' --reference" in text.splitlines()
