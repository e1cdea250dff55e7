# SPDX-License-Identifier: Apache-2.0
"""Take the pictures in docs/pictures: a run's page at three widths, light and dark, and on paper.

make pictures RUN=DIRECTORY
python docs/pictures.py RUN NAME    keeps it as docs/sample/NAME.tar.gz, an example of the site;
                                    of a campaign give a copy (`gatemark campaign copy`)

The run itself, what `gatemark show` prints of it and the words of the page's first screen go to
docs/sample, where tests compare them with what the code makes of the run.
"""

import io
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

DOCS = Path(__file__).resolve().parent
PICTURES, SAMPLE = DOCS / "pictures", DOCS / "sample"
TRIALS = "trials.jsonl"
FEW_BYTES = 500_000
FIRST_SCREEN = """() => ["header", "#answer", "figure figcaption"]
    .map((part) => document.querySelector(part).innerText).join("\\n")"""
WIDTHS = (360, 900, 1600)
SCREEN = 1080  # pixels: the height of the first screen, which README shows
DRAWN = (
    "() => [...document.querySelectorAll('.plot')]"
    ".every((plot) => plot.querySelector('svg .role-mark :is(path, line, text)'))"
)


def main() -> None:
    """Write all pictures anew."""
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: make pictures RUN=DIRECTORY")
    run = Path(sys.argv[1]).resolve()
    if len(sys.argv) == 3:
        pack(run, sys.argv[2])
        return
    gatemark("report", str(run), folder=run)
    page = run / "report.html"
    keep(run)
    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        for width in WIDTHS:
            take(browser, page, width, "light")
        take(browser, page, WIDTHS[-1], "dark")
        browser.close()


def keep(run: Path) -> None:
    """The run's records, and its answer as README shows it."""
    SAMPLE.mkdir(exist_ok=True)
    pack(run, "run")
    answer = gatemark("show", f"gatemark-runs/{run.name}", folder=run.parents[1])
    (SAMPLE / "answer.txt").write_text(answer, encoding="utf-8")


def pack(kept: Path, name: str) -> None:
    """The records of a run, or of a campaign with its ledger, as an archive.

    Series come along where they are few; else they are larger than all else.
    """
    series = [*kept.glob("series/*")]
    has_few = 0 < sum(path.stat().st_size for path in series) < FEW_BYTES
    files = [path for path in (kept / "campaign.toml", kept / "campaign.db") if path.exists()]
    files += [path for path in sorted(kept.rglob("*")) if path.name in ("run.json", TRIALS)]
    files += sorted(series) if has_few else []
    with tarfile.open(SAMPLE / f"{name}.tar.gz", "w:gz") as archive:
        for path in files:
            is_bare = path.name == TRIALS and not has_few
            data = records(path.parent).encode() if is_bare else path.read_bytes()
            member = tarfile.TarInfo(f"{kept.name}/{path.relative_to(kept)}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def gatemark(*words: str, folder: Path) -> str:
    """What the command prints on stdout."""
    command = (sys.executable, "-m", "gatemark", *words)
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout


def records(run: Path) -> str:
    """The records without their series."""
    kept = [json.loads(line) for line in (run / TRIALS).read_text().splitlines()]
    return "".join(json.dumps(record | {"series": ""}) + "\n" for record in kept)


def take(browser: Browser, page: Path, width: int, scheme: str) -> None:
    """The whole page in light, on paper too; of the widest its first screen, in dark that alone."""
    context = browser.new_context(
        viewport={"width": width, "height": SCREEN},
        color_scheme="dark" if scheme == "dark" else "light",
        offline=True,
    )
    visit = context.new_page()
    visit.goto(page.as_uri())
    visit.wait_for_function(DRAWN)
    name = f"{width}-{scheme}"
    if scheme == "light":
        visit.screenshot(path=PICTURES / f"{name}.png", full_page=True)
    if width == WIDTHS[-1]:
        visit.screenshot(path=PICTURES / f"first-{scheme}.png")
    if name == f"{WIDTHS[-1]}-light":
        (SAMPLE / "first.txt").write_text(visit.evaluate(FIRST_SCREEN) + "\n", encoding="utf-8")
        visit.pdf(path=PICTURES / "paper.pdf", prefer_css_page_size=True, print_background=True)
    context.close()


if __name__ == "__main__":
    main()
