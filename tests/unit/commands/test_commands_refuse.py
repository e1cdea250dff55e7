# SPDX-License-Identifier: Apache-2.0
"""What cannot be done is told in one line on stderr that says how to fix it, with its exit code."""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import builder
import inside
import needs
import pytest
from command import GATEMARK, Done, environment, gatemark
from inside import accepted

from gatemark.plan.load import load

PLAN = """\
schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
[setup]
path = "nat"
[workload]
frame_bytes = 40
"""
SOURCES = Path(load.__code__.co_filename).parents[1]
ADVICE = r"(?:gatemark (?:run|ab)|;) --resume(..)"
STATION = 'schema = "gatemark.station/1"\n[gateway]\nkidn = "netns"\n'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run on disk."""
    return builder.keep(tmp_path_factory.mktemp("kept") / "run", builder.trials()[:20]).path


def refused(done: Done, code: int, said: str) -> None:
    """One line, on stderr, without a trace."""
    assert done.err.count("\n") == 1, done.err
    assert done.err.startswith(f"gatemark: {said}")
    assert (done.code, done.out) == (code, "")


MISTAKES = (
    ("plan qick", "no suite or plan 'qick'; did you mean 'quick'?"),
    ("run qick", "no suite or plan 'qick'; did you mean 'quick'?"),
    ("list koffler", "no suite or plan 'koffler'; did you mean 'kofler'?"),
    ("run kofler --variant shrt", "--variant shrt: no plan of 'kofler' has that variant; did you"),
    ("run none.toml", "none.toml: No such file or directory: give the path of a TOML file"),
    ("run --station labb", "no station 'labb'; did you mean 'lab'?"),
    (
        "run --station none.toml",
        "none.toml: No such file or directory: give the path of a TOML file; "
        "`gatemark station introduce root@ADDRESS` writes one",
    ),
    ("run --resume none", "none: no run there; `gatemark run` makes one"),
    ("run --resume none --out x", "--resume goes on with a run as it was planned: leave out"),
    ("run --resume none --set a=1", "--resume goes on with a run as it was planned: leave out"),
    ("show none", "none: no run there"),
    ("report none", "none: no run there"),
    ("plan quick --set repeat.times", "--set repeat.times: write key=value, as in --set rep"),
    ("plan quick --set repeat.tims=2", "--set repeat.tims: no such key; did you mean 'repea"),
    ("plan quick --set repeat.times=many", "--set repeat.times: 'many' is no whole number"),
    ("plan quick --set repeat.times=0", "--set repeat.times: quick/speed: `times` of [rep"),
    ("plan quick --set workload.frame_bytes=40", "--set workload.frame_bytes: quick/sweep: "),
    ("plan quick/sweep --set sweep.flows=1", "--set sweep.flows: no plan of 'quick/sweep' has"),
    ("plan quick --set =1", "--set : no such key; "),
    ("lab shell attic", "HOST attic: no such name; known are: gateway, lan, lan2, wan"),
    ("classifier attach x!y", "'x!y' is no address: write root@192.0.2.1:22"),
    ("classifier attach lab --step jump", "--step jump: no such name; did you mean 'jumping'?"),
    ("classifier attach lab --lan a+b", "--lan: 'a+b' is no device's name: 1 to 15 letters"),
    ("classifier detach qemu-x86", "qemu-x86: a gateway that lasts as long as a run does"),
    ("show none --reference --line 50/10", "--reference is of published values alone: leave"),
    (
        "show none --reference --all",
        "--reference is of published values alone: leave out --all",
    ),
    ("show none --reference --subsystems x", "--reference is of published values alone: lea"),
    ("show none --row --all", "--row is Markdown alone: leave out --all"),
    ("classifier attach lab --queue cake", "--queue is what holds up to --shape: add --shape"),
    ("rank --quantity knee_ps", "--quantity knee_ps: no such name; did you mean 'knee_pps'?"),
    ("lab up --slow-to-pps 999", "--slow-to-pps 999: must be 1000 to 500000, or 0 for no"),
    ("lab up --slow-to-pps 500001", "--slow-to-pps 500001: must be 1000 to 500000, or 0"),
    ("lab up --path direct", "--path direct: no such name; known are: nat, route, switch"),
    (
        "agent build --target pdp11",
        "--target pdp11: no such name; known are: aarch64, all",
    ),
)
MISTYPED = (
    ("lst", "no verb 'lst'; did you mean 'list'?"),
    ("lab dwon", "lab: no verb 'dwon'; did you mean 'down'?"),
    ("run --sed 3", "run: no option '--sed'; did you mean '--seed'?"),
    ("run --seed", "run: --seed needs a value; see `gatemark run --help`"),
    ("run --seed x", "run: --seed: write a whole number; see `gatemark run --help`"),
    ("plan a b", "plan: 'b' is more than it takes; see `gatemark plan --help`"),
    ("list --json=3", "list: --json takes no value; see `gatemark list --help`"),
    ("lab shell", "lab shell: HOST is missing; see `gatemark lab shell --help`"),
    ("fit", "fit: --setup is missing; see `gatemark fit --help`"),
    ("--frob", "no option '--frob'; known are: --completion"),
    ("run --short", "run: no option '--short'; write `--variant short`"),
    ("--short", "no option '--short'; write `gatemark run --variant short`"),
    ("quick", "no verb 'quick'; it can be run: write `gatemark run quick`"),
    ("quick/sweep", "no verb 'quick/sweep'; it can be run: write `gatemark run quick/sweep`"),
    ("iperf", "no verb 'iperf'; write `gatemark run quick/tcp`; `--driver iperf3` measures with"),
    ("help", "no verb 'help'; write `gatemark --help`, or `gatemark VERB --help`"),
    ("version", "no verb 'version'; write `gatemark --version`"),
    ("-v", "no option '-v'; write `gatemark --version`"),
    ("run -v", "run: no option '-v'; `--debug` shows the whole trace of a failure"),
    ("run quick --dry-run", "run: no option '--dry-run'; `gatemark plan` shows what would run"),
    ("doctor --fix", "doctor: no option '--fix'; nothing is changed here"),
    ("run --iperf3", "run: no option '--iperf3'; write `--driver iperf3`"),
    ("run --duration 5", "run: no option '--duration'; write `--set workload.duration_s=...`"),
    ("plan --repeats 5", "plan: no option '--repeats'; write `--set repeat.times=...`"),
    ("run --frame-bytes=64", "run: no option '--frame-bytes'; write `--set workload.frame_byt"),
    ("show --csv", "show: no option '--csv'; write `gatemark export --format csv`"),
    ("run --line 1000", "--line 1000: write down/up, as 1000/500; 1000/1000 where both"),
)


def test_a_usage_error_names_the_mend(tmp_path: Path) -> None:
    assert accepted(MISTAKES, cwd=tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_command_line_is_a_usage_error_too(tmp_path: Path) -> None:
    assert accepted(MISTYPED, cwd=tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


def test_a_fault_of_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PLAN)
    (tmp_path / "s.toml").write_text(STATION)
    size = "p.toml:8: `frame_bytes` = 40 is impossible for ipv4: a frame with FCS and"
    faults = (
        ("plan p.toml", size),
        ("run p.toml", size),
        ("run --station s.toml", "s.toml:3: unknown key 'kidn' in [gateway]; did you mean 'kind'?"),
    )
    assert accepted(faults, cwd=tmp_path) == {}


def test_a_directory_that_holds_a_run_is_not_taken(run: Path) -> None:
    needs.two_cpus()
    if os.geteuid():
        pytest.skip("needs root: another run is refused for its rights first")
    done = gatemark("run", "quick", "--out", run)
    refused(done, 2, f"{run} holds a run already: `gatemark run --resume {run}` goes on with it,")


def test_a_run_that_is_no_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    refused(inside.gatemark("show", tmp_path / "run"), 2, f"{tmp_path}/run: no run there")


# --- rights and tools


STRANGER = ("unshare", "--user")  # rights in a namespace where it is nobody: none at all
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
NO_MORE = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$0" "$@"'  # in this namespace alone
NAMELESS = "rights: not root, and this system gives an ordinary user no namespaces"


@cache
def possible(before: tuple[str, ...]) -> tuple[str, ...]:
    """The command before ours, if the machine lets it run."""
    done = subprocess.run(
        [*before, sys.executable, "-S", "-c", "import gatemark"],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    if done.returncode:
        pytest.skip(f"rights cannot be laid down here: {done.stderr.strip()}")
    return before


def forbidden() -> tuple[str, ...]:
    """Before a command: as an ordinary user where user namespaces are forbidden."""
    ordinary = () if os.geteuid() else NOBODY
    return possible((*ordinary, "unshare", "--user", "--map-root-user", "sh", "-c", NO_MORE))


def test_where_namespaces_are_forbidden_the_sysctl_is_named() -> None:
    refused(
        gatemark("run", "quick", "--out", "new", before=forbidden()),
        1,
        "rights: not root, and user.max_user_namespaces is 0, so an ordinary user gets no "
        "namespaces; run with sudo, or allow them: `sudo sysctl -w user.max_user_namespaces=10000`",
    )


@pytest.mark.long
def test_the_doctor_names_the_sysctl_too() -> None:
    done = gatemark("doctor", before=forbidden())
    assert done.code == 1
    told = " ".join(done.out.split())
    assert "NO rights not root, and user.max_user_namespaces is 0, so" in told
    assert "NO nat cannot be asked without rights: see rights" in told


def test_where_no_sysctl_forbids_it_the_kernels_word_is_told(tmp_path: Path) -> None:
    done = gatemark("run", "quick", before=possible(STRANGER), cwd=tmp_path)
    refused(done, 1, f"{NAMELESS} (Operation not permitted), as in a container or chroot; run w")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_without_rights_a_run_cannot_go_on(run: Path) -> None:
    refused(gatemark("run", "--resume", run, before=possible(STRANGER)), 1, NAMELESS)


def test_without_root_no_lab_stays_open() -> None:
    done = gatemark("lab", "up", before=possible(STRANGER))
    refused(done, 1, "lab up: not root, and a lab in an ordinary user's own namespaces would end")


def test_a_run_that_may_not_be_read_is_told(run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "copy")
    (copy / "run.json").chmod(0)
    done = gatemark("show", copy, before=possible(STRANGER))
    refused(done, 1, f"{copy}/run.json: Permission denied")


def mounting(script: str, *words: str) -> Done:
    """`gatemark WORDS` where `script` has changed the mounts; nobody else sees them."""
    if os.geteuid():
        pytest.skip("needs root: changes mounts of its own")
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-ec", f'{script}\nexec "$@"', "sh", *GATEMARK, *words],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
        timeout=60,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def test_without_a_tool_its_package_is_named(tmp_path: Path) -> None:
    needs.two_cpus()
    path = shutil.which("nft", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    assert path, "these tests need nft"
    hide = f"mount --bind /dev/null {Path(path).resolve()}"
    done = mounting(hide, "run", "quick", "--out", str(tmp_path / "new"))
    refused(done, 1, "nft: missing; apt-get install nftables")


def test_each_tool_has_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    from gatemark.station import doctor

    monkeypatch.setenv("PATH", "/none")
    fixes = {name: doctor._tool(name).fix for name in ("nft", "ethtool", "tc", "ip")}
    packages = {"nft": "nftables", "ethtool": "ethtool", "tc": "iproute2", "ip": "iproute2"}
    assert fixes == {name: f"apt-get install {package}" for name, package in packages.items()}


@pytest.mark.long
def test_a_full_disk_under_the_report_is_told_with_the_mend(run: Path, tmp_path: Path) -> None:
    disk = f"mount -t tmpfs -o size=1m none {tmp_path}; cp -r {run} {tmp_path}/run"
    done = mounting(disk, "report", str(tmp_path / "run"))
    refused(done, 1, f"{tmp_path}/run/report.html: No space left on device: free space")


def test_tools_are_found_where_a_poor_path_does_not_look() -> None:
    """As cron and `su` have it; without it the doctor would see tools that a run does not."""
    lines = gatemark("doctor", "--json", env={"PATH": "/usr/bin:/bin"}).out.splitlines()
    rows = {row["what"]: row for row in map(json.loads, lines)}
    assert rows["nft"]["ok"]
    assert rows["nat"]["text"] != "no nft"
    assert all(row["fix"] for row in rows.values() if not row["ok"])


def test_every_advice_to_resume_names_the_run() -> None:
    texts = {path: path.read_text() for path in SOURCES.rglob("*.py")}
    advice = [(path, m[1]) for path, t in texts.items() for m in re.finditer(ADVICE, t)]
    assert len(advice) > 5
    assert [(path, word) for path, word in advice if not re.match(r" [{\w]", word)] == []


# --- the trace


def test_debug_shows_the_trace() -> None:
    done = gatemark("--debug", "plan", "qick")
    assert "Traceback" in done.err
    assert done.err.splitlines()[-1].startswith("gatemark.error.UsageError: no suite or plan")


def test_a_fault_of_our_own_is_one_line_too(tmp_path: Path) -> None:
    """Planted: a module of ours that breaks as it is imported."""
    (tmp_path / "msgspec.py").write_text("raise LookupError('planted\\nhere')\n")
    paths = f"{tmp_path}{os.pathsep}{environment()['PYTHONPATH']}"
    done = gatemark("plan", env={"PYTHONPATH": paths})
    refused(done, 1, "a fault of gatemark's own (LookupError: planted); `gatemark --debug ...`")
