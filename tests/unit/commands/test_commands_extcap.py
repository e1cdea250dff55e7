# SPDX-License-Identifier: Apache-2.0
"""`gatemark-extcap`: what Wireshark asks and is answered, without one."""

import sys
from pathlib import Path

import pytest

from gatemark.commands.extcap import main


def ask(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Ask as Wireshark does; return the exit code."""
    monkeypatch.setattr(sys, "argv", ["gatemark-extcap", *words])
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_its_interfaces_are_the_lab_and_the_files_of_stations(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gatemark/stations").mkdir(parents=True)
    (tmp_path / "gatemark/stations/bench.toml").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert ask(monkeypatch, "--extcap-interfaces", "--extcap-version=4.0") == 0
    program, *interfaces = capsys.readouterr().out.splitlines()
    assert program.startswith("extcap {version=")
    assert interfaces == [
        "interface {value=gatemark}{display=Gatemark: the open lab}",
        "interface {value=gatemark-bench}{display=Gatemark: bench}",
    ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("--extcap-dlts", "dlt {number=1}{name=EN10MB}{display=Ethernet}"),
        ("--extcap-config", "arg {number=0}{call=--on}"),
    ],
)
def test_an_interface_says_what_it_is(
    question: str,
    answer: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ask(monkeypatch, "--extcap-interface", "gatemark", question)
    assert capsys.readouterr().out.startswith(answer)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "this is for Wireshark"),
        (("--extcap-interface", "gatemark-no", "--capture"), "no interface 'gatemark-no'"),
        (("--extcap-interface", "gatemark", "--capture"), "--fifo names no pipe"),
    ],
)
def test_what_wireshark_would_not_ask_is_refused(
    words: tuple[str, ...],
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ask(monkeypatch, *words) == 2
    assert reason in capsys.readouterr().err
