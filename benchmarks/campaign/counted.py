# SPDX-License-Identifier: Apache-2.0
"""Two kernels of the distribution and two rule sets, counted on MIPS, x86-64 and aarch64.

Three models by four builds by two suites, once: 24 boots. The gate of a hundred rules has to fail
on each processor. With `--out` the same command goes on, so it may be measured in pieces.
"""

import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.campaign.running import placed, run

KERNELS = {  # model: station, old, new
    "mips": ("qemu-mips", "linux-image-6.1.0-47-4kc-malta", "linux-image-4kc-malta"),
    "x86": ("qemu-x86", "linux-image-6.1.0-47-cloud-amd64", "linux-image-cloud-amd64"),
    "aarch64": ("qemu-aarch64", "linux-image-6.1.0-47-cloud-arm64", "linux-image-cloud-arm64"),
}
BUILDS = {  # name: which kernel, setup
    "field": (1, "nat"),
    "next": (2, "nat"),
    "field-rules": (1, "nat+filter:100"),
    "next-rules": (2, "nat+filter:100"),
}
GATES = (
    ("next", "field", "1%"),
    ("next-rules", "field-rules", "1%"),
    ("field-rules", "field", "1%"),
)
SUITES = """
[[suite]]
plan = "cost/ab"
set = ["repeat.times=1"]
[[suite]]
plan = "rfc/throughput"
set = ["repeat.times=1", "sweep.frame_bytes=1518"]
"""


def text() -> str:
    """The campaign file."""
    lines = ['schema = "gatemark.campaign/1"', 'title = "Two kernels and two rule sets"']
    for name, (station, *_) in KERNELS.items():
        lines += ["[[model]]", f'name = "{name}"', f'stations = ["{station}"]', "exact = true"]
    for name, (which, setup) in BUILDS.items():
        images = ", ".join(f'{model} = "{of[which]}"' for model, of in KERNELS.items())
        lines += ["[[build]]", f'name = "{name}"', f'setup = "{setup}"', f"image = {{ {images} }}"]
    lines.append(SUITES)
    for build, against, allow in GATES:
        lines += ["[[gate]]", f'build = "{build}"', f'against = "{against}"']
        lines.append(f'exact_allow = "{allow}"')
    return "\n".join(lines) + "\n"


def facts(count: int, out: Path | None) -> Iterator[tuple[str, float, float | None]]:
    """The change of each gated row in per cent, and how long it took."""
    del count
    with placed(out) as folder:
        (folder / "counted.toml").write_text(text())
        began = time.monotonic()
        rows = run(folder / "counted.toml", folder / "campaign")[1]
        yield "minutes", (time.monotonic() - began) / 60, 25
    gates = [row for row in rows if row["row"] == "gate"]
    for row in gates:
        what = f"{row['model']}, {row['suite']}: {row['build']} against {row['against']}"
        change = row["change"]
        yield f"{what}, {row['verdict']}, %", 100 * float(str(change or 0)), None
    rules = [row for row in gates if row["build"] == "field-rules"]
    yield (
        "gates of the hundred rules that did not fail",
        sum(row["gate"] != "failed" for row in rules),
        0,
    )
    yield "gates undecided", sum(row["gate"] == "undecided" for row in gates), 0
