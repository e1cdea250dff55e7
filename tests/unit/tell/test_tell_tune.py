# SPDX-License-Identifier: Apache-2.0
"""The answer of a search: lines to type in the words of the box, the gain, or to leave it."""

import pytest

from gatemark.judge.math.interval import Interval
from gatemark.judge.tuning import Advice
from gatemark.plan.model import Arm
from gatemark.plan.tuning.grid import BY_KIND, OTHERS, STEERED
from gatemark.store.run import Run, StationInfo, Tune
from gatemark.tell.sentence import tuned
from gatemark.tell.verb import tune
from gatemark.tell.verb.typing import SHELL, lines

PORTS = ("eth1", "eth2")
TUNE = Tune(base="as it is", ports={"gw0": "eth1", "gw1": "eth2"})
GAIN = Interval(0.4, 0.3, 0.5, 12, 0.96)
SAME = Interval(0.0, -0.01, 0.01, 12, 0.96)
RATE = Interval(400e3, 390e3, 410e3, 12, 0.96)
DELAY = Interval(20e3, 19e3, 21e3, 12, 0.96)
FOUND = Advice(
    best="steering:all + offload:software",
    gains={"rate": GAIN, "delay": SAME},
    worth=True,
    worse=(),
    pairs=12,
    trials=54,
    whole=216,
    able=18,
    skipped=6,
    seen={"rate": RATE, "delay": DELAY},
)


def run_of(**keys: object) -> Run:
    info = StationInfo(name="lab", kind="netns", virtual=True)
    made = {"run": "r", "suite": "s", "title": "t", "command": (), "started": "", "seed": 1}
    made |= {"station": info, "plans": (), "trials": (), "tune": TUNE}
    return Run(**(made | keys))  # type: ignore[arg-type]


def test_every_setting_that_is_searched_has_lines() -> None:
    axes = [*BY_KIND["netns"], *BY_KIND["qemu"], STEERED, *OTHERS]
    for setting in (each for axis in axes for each in axis):
        assert lines([setting], PORTS, openwrt=False), setting
        assert all("eth" in line for line in lines([setting], PORTS, openwrt=False)), setting
        Arm(path="nat", features=(setting,))
    assert {each.partition(":")[0] for axis in axes for each in axis} == {*SHELL}


def test_openwrt_is_told_in_uci_where_it_has_a_word() -> None:
    typed = lines(["steering:all", "offload:hardware", "gro:list"], PORTS, openwrt=True)
    assert "uci set network.@globals[0].packet_steering=2" in typed
    assert "uci set firewall.@defaults[0].flow_offloading_hw=1" in typed
    assert "ethtool -K eth1 gro on rx-udp-gro-forwarding off rx-gro-list on" in typed
    assert any("rps_cpus" in line for line in lines(["steering:rps"], PORTS, openwrt=True))


def test_a_gain_is_told_with_its_interval_and_the_lines() -> None:
    told = [text for _, text in tune.lines(run_of(), FOUND, "folder", "page")]
    assert told[0] == "steering:all + offload:software: +40 ± 10 % in rate at overload. Type:"
    assert any("flow add @ft" in line for line in told)
    assert any("18 combinations; 6 more were not to be had here" in line for line in told)
    assert any("54 trials" in line and "25" in line and "216" in line for line in told)
    row = tune.row(run_of(), FOUND)
    assert (row["advice"], row["gains"]["rate"]["lo"]) == ("set", 0.3)
    assert row["lines"] == tune.typed(TUNE, FOUND)


@pytest.mark.parametrize(
    ("gain", "worse", "words"),
    [
        (SAME, (), "2.00 % would be worth it"),
        (GAIN, (), "not certain that it is 2.00 %"),
        (GAIN, ("delay",), "but"),
    ],
)
def test_what_is_not_worth_it_is_left_and_why(
    gain: Interval, worse: tuple[str, ...], words: str
) -> None:
    left = FOUND._replace(gains={"rate": gain, "delay": SAME}, worth=False, worse=worse)
    text = tuned.headline(TUNE, left)
    assert text.startswith("Leave it: ")
    assert words in text
    assert tune.row(run_of(), left)["lines"] == []


def test_less_is_told_as_less() -> None:
    less = Interval(1.0, 0.9, 1.1, 12, 0.96)  # half the delay: twice as good
    told = FOUND._replace(gains={"delay": less}, seen={"delay": DELAY})
    prefers = Tune(base="as it is", prefer="delay")
    assert "50" in tuned.headline(prefers, told)


def test_processors_that_share_one_say_what_they_are_judged_by() -> None:
    shared = Tune(base="as it is", by_shape=True)
    counted = Interval(9000.0, 8990.0, 9010.0, 12, 0.96)
    told = FOUND._replace(gains={"share": GAIN}, seen={"share": counted})
    texts = [text for _, text in tune.lines(run_of(tune=shared), told, "folder", "page")]
    assert tune.BY_SHAPE in texts
    assert tune.row(run_of(tune=shared), told)["by_shape_alone"] is True


def test_a_search_without_a_sound_trial_says_so() -> None:
    nothing = FOUND._replace(best="", gains={}, worth=False, seen={})
    assert tuned.headline(TUNE, nothing).startswith("Nothing could be compared")
    assert tuned.headline(TUNE, FOUND._replace(gains={})).startswith("Leave it: too few")
