# SPDX-License-Identifier: Apache-2.0
"""The map of the published values: a slip in it is told with file and entry."""

import pytest

from gatemark.error import GatemarkError
from gatemark.store.mapping import Key, read_map

HEAD = """
schema = "gatemark.reference/1"
[study.B]
name = "wrt54"
work = "a blog"
"""
SAID = 'path = "nat", features = ["filter:10"], direction = "up", l4 = "udp", family = "ipv4"'
ENTRY = f"""
[[measured]]
study      = "B"
experiment = "nat"
parameter  = "rate"
quantity   = "received_l4_bps"
stated     = {{ {SAID}, frame_bytes = {{ min = 512 }} }}
implied    = ["family"]
unstated   = ["flows", "duration_s"]
assumed    = {{ flows = 1 }}
"""
KEY = Key("B", "nat", "rate")


def test_lists_are_tuples_as_in_a_definition() -> None:
    assert read_map(HEAD + ENTRY).measured[KEY].stated["features"] == ("filter:10",)


def test_a_range_stays_a_range() -> None:
    assert read_map(HEAD + ENTRY).measured[KEY].stated["frame_bytes"] == {"min": 512}


def test_several_protocols_are_asked_for_what_each_of_them_has() -> None:
    text = ENTRY.replace('l4 = "udp"', 'l4 = { in = ["tcp", "udp"] }')
    assert text != ENTRY
    with pytest.raises(GatemarkError, match="'write_bytes' is neither stated nor unstated"):
        read_map(HEAD + text)


def test_a_reason_holds_for_a_whole_experiment() -> None:
    text = HEAD + '[[unmapped]]\nstudy = ["B"]\nexperiment = "wifi"\nwhy = "no Wi-Fi"\n'
    assert read_map(text).reason(Key("B", "wifi", "any")) == "no Wi-Fi"


@pytest.mark.parametrize("kind", ['[[claimed]]\nclaim = "alike"', '[[ratio]]\nof = "rate"'])
def test_words_and_ratios_can_stand_beside_ours_too(kind: str) -> None:
    text = f'{HEAD}{kind}\nstudy = "B"\nexperiment = "nat"\nparameter = "rate"\n'
    mapping = read_map(text)
    assert (mapping.is_shown(KEY), mapping.reason(KEY)) == (True, None)
    with pytest.raises(GatemarkError, match=r"it is \[\[unmapped\]\], \[\[claimed\]\] or"):
        read_map(text + ENTRY)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('path = "nat"', 'pth = "nat"', "unknown field 'pth'"),
        ('path = "nat"', 'path = "rout"', "'path' is 'rout'"),
        ('path = "nat"', 'path = { in = ["nat", "rout"] }', "'path' is 'rout'"),
        ('path = "nat"', "streams = 1", "`stated` needs `path`"),
        ("min = 512", 'min = "512"', "'frame_bytes' is '512'"),
        ("{ min = 512 }", "{ least = 512 }", "'frame_bytes' is"),
        ('"received_l4_bps"', '"speed"', "unknown quantity 'speed'"),
        ('["flows", "duration_s"]', '["flows"]', "'duration_s' is neither stated nor unstated"),
        (
            '["flows", "duration_s"]',
            '["flows", "duration_s", "path"]',
            "'path' is stated and unstated",
        ),
        ('implied    = ["family"]', 'implied = ["streams"]', "'streams' is implied and not in"),
        ("{ flows = 1 }", "{ flows = { min = 1 } }", "assumed 'flows' is a range"),
        ('study      = "B"', 'study = "X"', "no [study.X]"),
    ],
)
def test_a_slip_is_told_with_its_entry(old: str, new: str, said: str) -> None:
    assert old in ENTRY
    with pytest.raises(GatemarkError) as told:
        read_map(HEAD + ENTRY.replace(old, new))
    assert str(told.value).startswith("map.toml: measured[0] (")
    assert said in str(told.value)


def test_an_entry_is_there_once() -> None:
    with pytest.raises(GatemarkError, match=r"measured\[1\] \(B nat rate\): it is there twice"):
        read_map(HEAD + ENTRY + ENTRY)


def test_an_entry_is_measured_or_unmapped() -> None:
    why = '[[unmapped]]\nstudy = ["B"]\nexperiment = "nat"\nwhy = "."\n'
    with pytest.raises(GatemarkError, match=r"it is .*unmapped"):
        read_map(HEAD + ENTRY + why)


@pytest.mark.parametrize(
    "text", ["schema = ", HEAD + "[[measured]]\nstudy = 1\n", HEAD.replace("ence/1", "ence/2")]
)
def test_a_broken_file_is_named(text: str) -> None:
    with pytest.raises(GatemarkError, match=r"^map\.toml: "):
        read_map(text)
