# SPDX-License-Identifier: Apache-2.0
"""Growth of CPU time and memory of the verbs that read a run, with its trials.

python -m benchmarks.growth RUN [--most TRIALS] [--verbs VERB ...]

The records of a short RUN are repeated to runs of 100 trials up to `--most`, each ten times the one
before. Each verb reads each in a process of its own that finds nothing kept. `campaign status` is
not among them: it reads a ledger of blocks and opens no trial.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from math import log, log10
from pathlib import Path
from typing import Any

VERBS = {
    "report": ["report", "{run}"],
    "show": ["show", "{run}"],
    "diff": ["diff", "{run}", "{again}"],
    "coverage": ["coverage", "{run}"],
}
JITTER = 1e-6  # so that no two copies of a value are equal, as if it was measured again


def make(short: Path, trials: int, path: Path, seed: int) -> None:
    """Write a run of so many trials: its records are those of the short one, over and over."""
    chance = random.Random(seed)  # noqa: S311  not for secrets
    run = json.loads((short / "run.json").read_text())
    lines = (short / "trials.jsonl").read_text().splitlines()
    records = [record for record in map(json.loads, lines) if record["pass"] != "warmup"]
    names = {record["trial"] for record in records}
    specs = [spec for spec in run.pop("trials") if spec["trial"] in names]
    (path / "series").mkdir(parents=True)
    ended = {record["trial"] for record in islice(_copies(records), trials)}
    with (path / "trials.jsonl").open("w") as file:
        for record in islice(_copies(records), trials):
            values = {name: _jittered(value, chance) for name, value in record["values"].items()}
            new = {**record, "values": values, "series": "", "packets": ""}
            file.write(json.dumps(new, ensure_ascii=False, separators=(",", ":")) + "\n")
    with (path / "run.json").open("w") as file:
        file.write(json.dumps(run, ensure_ascii=False)[:-1] + ', "trials": [')
        planned = (spec for spec in islice(_copies(specs), trials) if spec["trial"] in ended)
        for place, spec in enumerate(planned):
            file.write(",\n" * bool(place) + json.dumps(spec, ensure_ascii=False))
        file.write("]}\n")


def _copies(trials: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the trials, then the same again as further repeats and boots, without end."""
    repeats, boots = (max(trial.get(name, 0) for trial in trials) for name in ("repeat", "boot"))
    copy = 0
    while True:
        for place, trial in enumerate(trials):
            new = {**trial, "repeat": trial["repeat"] + copy * repeats}
            new["sequence"] = copy * len(trials) + place
            new["boot"] = trial.get("boot", 0) and trial["boot"] + copy * boots
            head, _, pass_ = trial["trial"].rsplit("/", 2)
            new["trial"] = f"{head}/{new['repeat']}/{pass_}"
            yield new
        copy += 1


def _jittered(value: float, chance: random.Random) -> float:
    return value if value == int(value) else value * (1 - JITTER * chance.random())


def measure(words: list[str]) -> tuple[float, float]:
    """Return CPU time in s and peak memory in MiB of a verb, as the kernel counted them."""
    command = [sys.executable, "-m", "gatemark", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(words)}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def slope(sizes: list[int], values: list[float]) -> float:
    """Return the slope of the last step in log-log, less what the smallest takes; 1: linear."""
    before, last = (value - values[0] for value in values[-2:])
    return log(last / before) / log(sizes[-1] / sizes[-2])


def main() -> None:
    """Print a row for each verb and size, then the slopes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--most", type=int, choices=(10_000, 100_000), default=10_000)
    parser.add_argument("--verbs", nargs="+", choices=VERBS, default=[*VERBS])
    options = parser.parse_args()
    sizes = [10**power for power in range(2, 1 + round(log10(options.most)))]
    taken: dict[str, list[tuple[float, float]]] = {verb: [] for verb in options.verbs}
    for size in sizes:
        with tempfile.TemporaryDirectory(dir=options.run.parent) as folder:
            names = {name: str(Path(folder) / name) for name in ("run", "again")}
            make(options.run, size, Path(names["run"]), 1)
            if "diff" in taken:
                make(options.run, size, Path(names["again"]), 2)
            for verb, times in taken.items():
                for name in ("judged.json", "answer.json"):
                    (Path(names["run"]) / name).unlink(missing_ok=True)
                times.append(measure([word.format(**names) for word in VERBS[verb]]))
                print(
                    f"{verb:10} {size:8d} {times[-1][0]:8.2f} s {times[-1][1]:7.0f} MiB", flush=True
                )
    for verb, times in taken.items():
        cpu, memory = (slope(sizes, [*column]) for column in zip(*times, strict=True))
        print(f"{verb:10} slope {cpu:.2f} of CPU time, {memory:.2f} of memory")


if __name__ == "__main__":
    main()
