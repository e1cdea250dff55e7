# SPDX-License-Identifier: Apache-2.0
"""`gatemark fit`: is a setup enough for a line, or what does it execute, by a run's model?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from gatemark.commands.console import choice, output
from gatemark.commands.option.line import access_line
from gatemark.commands.runs import locate, reading
from gatemark.error import UnavailableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gatemark.judge.capacity.line import Fit, Line
    from gatemark.judge.capacity.model import Model
    from gatemark.judge.capacity.term import Setup
    from gatemark.judge.math.interval import Interval
    from gatemark.plan.model import Plan
    from gatemark.store.record import Record

PLAN: Final = "cost/model"  # the plan that measures what a model needs
SHAPERS: Final = "delay/shaper"  # the plan that finds the rate that a shaper holds
COUNTED: Final = f"{PLAN}-exact"  # the same in instructions
SMALL: Final = 3  # exit code: --strict, and not surely enough
IMIX: Final = "imix"
FRAMES: Final = ("64", IMIX, "1518")

LINE_HELP = "Down/up in Mbit/s on the wire: 1000/500; 100Mbit, 2.5Gbit; none: instructions."
SETUP_HELP = "Path and features: nat+conntrack+filter:100."
FRAME_HELP = f"Frame in bytes with FCS, or {IMIX} (default: 64, {IMIX} and 1518)."
RUN_HELP = "A run: folder, name or latest.  [the newest of a model]"
STRICT_HELP = "Exit code 3 unless it is surely enough."


def fit(
    setup: Annotated[str, typer.Option(metavar="SETUP", help=SETUP_HELP)],
    line: Annotated[str, typer.Option(metavar="DOWN/UP", help=LINE_HELP)] = "",
    run: Annotated[Path | None, typer.Argument(metavar="RUN", help=RUN_HELP)] = None,
    frame: Annotated[str, typer.Option(metavar="BYTES", help=FRAME_HELP)] = "",
    strict: Annotated[bool, typer.Option("--strict", help=STRICT_HELP)] = False,
    json_: Annotated[bool, typer.Option("--json", help="One JSON object for each frame.")] = False,
) -> None:
    """Is a setup enough for an access line? And if not, why?

    Both directions at once, by a model of what each feature costs, with its interval; and what to
    switch off to get there. A line that does not fit is an answer, not a failure. Without a line:
    the instructions of a packet, by a run of the model that counted them (--exact).
    """
    asked = _setup(setup)
    sizes = {name: _bytes(name) for name in ((frame,) if frame else FRAMES)}
    wanted = access_line(line) if line else None
    path = locate.located(run) if run else _newest(PLAN if line else COUNTED)
    model, records = _model(path)
    _require(model, asked, path, records)
    if model.measured.is_count:
        if line or strict:
            raise UsageError(
                f"{path} counted instructions, which tell no rate: leave out --line and --strict, "
                f"or measure time: `gatemark run {PLAN}`"
            )
        _tell_counts(model, asked, sizes, json_=json_)
        return
    if wanted is None:
        raise UsageError("--line: say which line is to be carried, down/up in Mbit/s: 1000/500")
    held_bps = _held(asked, path)
    _tell(model, asked, wanted, sizes, held_bps, json_=json_, strict=strict)


def _tell(
    model: "Model",
    asked: "Setup",
    wanted: "Line",
    sizes: "Mapping[str, float]",
    held_bps: "Interval | None",
    *,
    json_: bool,
    strict: bool,
) -> None:
    """Enough for the line or not."""
    from gatemark.judge.capacity.line import answer
    from gatemark.tell.verb import diff, fit

    fits = {name: answer(model, asked, wanted, size, held_bps) for name, size in sizes.items()}
    if json_:
        output.lines(_rows(model, fits.values()))
    else:
        diff.tell(fit.lines(model, [(_word(name), fit) for name, fit in fits.items()]))
    if strict and any(fit.answer != "enough" for fit in fits.values()):
        raise typer.Exit(SMALL)


def _tell_counts(
    model: "Model", asked: "Setup", sizes: "Mapping[str, float]", *, json_: bool
) -> None:
    """Print the instructions of a packet, in each direction that was counted."""
    from gatemark.judge.capacity.count import Count, counts
    from gatemark.tell.verb import diff, fit_exact

    texts: list[tuple[str, Count]] = [
        (_word(name), count) for name, size in sizes.items() for count in counts(model, asked, size)
    ]
    if json_:
        output.lines(fit_exact.row(model, count) for _, count in texts)
    else:
        diff.tell(fit_exact.lines(model, texts))


def _setup(text: str) -> "Setup":
    """A path and features. Raises UsageError."""
    from gatemark.commands.lab import PATHS
    from gatemark.judge.capacity.term import Setup
    from gatemark.plan.misfit import check_features
    from gatemark.plan.model import Arm

    path, *features = [part.strip() for part in text.split("+")]
    choice.check("--setup", path, PATHS)
    try:
        check_features(Arm(path=path, features=tuple(features)))  # type: ignore[arg-type]
    except UsageError as error:
        raise UsageError(f"--setup {text}: {error}") from None
    return Setup(path, tuple(features))


def _bytes(text: str) -> float:
    """A frame size, or the mean of the field's mix. Raises UsageError."""
    from gatemark.plan.mix import mean_bytes
    from gatemark.plan.model import Workload
    from gatemark.unit import LARGEST_FRAME_BYTES, SMALLEST_FRAME_BYTES

    if text == IMIX:
        return mean_bytes(Workload(mix=IMIX))
    least = SMALLEST_FRAME_BYTES["ipv4"]
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= LARGEST_FRAME_BYTES:
        raise UsageError(f"--frame {text}: write {IMIX}, or {least} to {LARGEST_FRAME_BYTES} bytes")
    return float(text)


def _word(frame: str) -> str:
    return "the mix of sizes (IMIX)" if frame == IMIX else f"frames of {frame} B"


def _newest(wanted: str) -> Path:
    """The newest run of the plan that measures a model. Raises UnavailableError."""
    if path := locate.newest_with(wanted):
        return path
    if wanted == COUNTED:
        raise UnavailableError(
            "no run of a model in instructions here: name a RUN, make one: `gatemark run "
            f"{PLAN} --exact`, or ask for a line: --line 1000/500"
        )
    raise UnavailableError(
        f"no run of a model here: name a RUN, or make one: `gatemark run {PLAN}`"
    )


def _model(path: Path) -> "tuple[Model, Sequence[Record]]":
    from gatemark.judge.capacity.fit import fit as fitted
    from gatemark.judge.capacity.measured import measured
    from gatemark.tell.group import kept

    contents = reading.read(path)
    judgement = kept.judgement(contents, path).judgement
    kept_measured = measured(contents.run, contents.records, judgement)
    model = fitted(kept_measured) if kept_measured else None
    if model is None:
        raise UnavailableError(
            f"{path}: no rate in it that the gateway's CPU limited: `gatemark run {PLAN}` has some"
        )
    return model, contents.records


def _held(asked: "Setup", path: Path) -> "Interval | None":
    """Return the rate that the setup's shaper held in the station's newest search."""
    from gatemark.judge.verdict import shaping
    from gatemark.plan.feature import shaped_ways
    from gatemark.tell.group import kept

    if not shaped_ways(asked.features) or not (searched := locate.newest_with(SHAPERS)):
        return None
    contents, model = reading.read(searched), reading.read(path)
    if contents.run.station.name != model.run.station.name:
        return None
    points = kept.judgement(contents, searched).judgement.points
    return shaping.rate_of(shaping.rates(points), asked.path, asked.features)


def _require(model: "Model", setup: "Setup", path: Path, records: "Sequence[Record]") -> None:
    """UnavailableError where the run did not measure a part: why, or which plan does."""
    from gatemark.judge.capacity.line import unmeasured

    missing = unmeasured(model, setup)
    if not missing:
        return
    if reason := _skipped(records, missing):
        raise UnavailableError(
            f"{path} could not measure {', '.join(missing)}: {reason}; "
            f"on another station `gatemark run {PLAN} --station ...` may"
        )
    if reason := _left_out(model, missing):
        raise UnavailableError(
            f"{path} measured {', '.join(missing)}, but {reason}; a cost shows only where the "
            "gateway's CPU is the limit"
        )
    plans = _measuring(missing)
    fix = f"`gatemark run {plans[0]}` does" if plans else f"add an arm with it to a copy of {PLAN}"
    at = "" if model.measured.is_count else " at overload"
    raise UnavailableError(f"{path} did not measure {', '.join(missing)}{at}: {fix}")


def _skipped(records: "Iterable[Record]", missing: "Sequence[str]") -> str:
    """Why the run's station could not measure a part; nothing if no arm had it."""
    wanted = _terms(missing)
    trials = (record for record in records if record.status == "skipped")
    reasons = (trial.reason for trial in trials if wanted & _terms(trial.definition.features))
    return next(reasons, "")


def _left_out(model: "Model", missing: "Sequence[str]") -> str:
    """Why a point with a missing part tells no cost; nothing if there is none."""
    wanted = _terms(missing)
    from gatemark.tell.fact import say

    setups = ((left.case.setup, say.words(left.why)) for left in model.measured.left_out)
    reasons = (why for setup, why in setups if wanted & _terms((setup.path, *setup.features)))
    return next(reasons, "")


def _terms(parts: "Iterable[str]") -> set[str]:
    from gatemark.judge.capacity.term import terms

    return {term for part in parts for term in terms(part)}


def _measuring(missing: "Sequence[str]") -> list[str]:
    """Plans with an arm for each missing part, the model's own first."""
    from gatemark.plan.load import load, suites

    wanted = _terms(missing)
    results = []
    for _, plans in map(load, suites()):
        for plan in plans:
            has = _terms(part for arm in plan.arm for part in (arm.path, *arm.features))
            if wanted <= has and _overloads(plan):
                results.append(plan.name)
    return sorted(results, key=lambda name: name != PLAN)


def _overloads(plan: "Plan") -> bool:
    """Return whether a plan goes to where the CPU is full: without a rate, or with many of them."""
    load = plan.workload
    swept = plan.search or {"rate_pps", "rate_bps"} & plan.sweep.keys()
    return load.kind == "udp" and bool(swept or not (load.rate_pps or load.rate_bps))


def _rows(model: "Model", results: "Iterable[Fit]") -> "Iterator[dict[str, object]]":
    for fit in results:
        yield {
            "setup": fit.setup.words,
            "down_bps": fit.line.down_bps,
            "up_bps": fit.line.up_bps,
            "frame_bytes": fit.frame_bytes,
            "answer": fit.answer,
            "limit": fit.limit,
            "cpu": fit.share.value,
            "cpu_lo": fit.least,
            "cpu_hi": fit.most,
            "directions": {
                way: {
                    "needed_pps": fit.line.packets(fit.frame_bytes)[way],
                    "pps": rate.pps.value,
                    "pps_lo": rate.least,
                    "pps_hi": rate.most,
                    "l1_bps": rate.l1_bps,
                    "l2_bps": rate.l2_bps,
                    "l4_bps": rate.l4_bps,
                    "cpu": fit.alone[way],
                }
                for way, rate in fit.rates.items()
            },
            "drops": [
                {"feature": d.what, "gain": d.gain, "cpu": d.share, "answer": d.answer}
                for d in fit.drops
            ],
            "enough_without": list(fit.enough_without),
            "rules": fit.rules,
            "held_bps": fit.held_bps.value if fit.held_bps else None,
            "margin": model.margin,
            "level": model.level,
        }
