# SPDX-License-Identifier: Apache-2.0
"""The first screen speaks plainly: each word is on a list, a word of our own has its meaning."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from sample import SAMPLE

from page.visit import opened

pytestmark = pytest.mark.long


def words(text: str) -> set[str]:
    """Its words in small letters; numbers, dates and signs are none."""
    return set(re.findall(r"[^\W\d_]+", text.lower()))


PLAIN = words(
    """
    a about above added against all alone also an and are arrives as at axis band be beyond busy
    but by came can cost costs do does dots each everything evidence fast fewer first for from
    full held highest home how idle in instead interval invalid is it its keeps kind lab left
    less like line long longer look lost lower machine many mean measured median more most much
    nearly no not now numbers of offered on one only or other over overload packet packets past
    point purpose queue quick rate rates reach reaches received refused right router run seen
    setup setups share shown single size slow slowed slower small so speed station still stops
    surplus takes than that the this through time to total trial trials two under unknown until
    up upper upright value warning warnings what when where which with within without works
    """
)
STANDARD = words(
    """
    b bandwidth bottleneck bridge byte bytes capacity connection connections core cpu delay down
    features flow flows follows frame frames gatemark gateway gbit ipv k kbit kernel kib lan
    limit linux load loss m mbit ms nat nats ns payload percentile port protocol queue route
    routes routing rules s tcp tester tracking udp utc virtual wan way wire writes µs
    """
)
# What the kernel calls its own threads and CPUs is evidence, printed as it is there.
NAMES = {"napi", "gw"}
OWN = {"knee": "the knee, the offered rate beyond which received no longer follows"}
READ = """() => ["header", "#answer", "figure figcaption"]
  .map((part) => document.querySelector(part).innerText).join("\\n")"""


@pytest.mark.parametrize("name", ["whole", "sample"])
def test_each_word_of_the_first_screen_is_plain_or_standard(
    browser: Browser, request: pytest.FixtureRequest, name: str
) -> None:
    with opened(browser, request.getfixturevalue(name), width=1600, height=1000) as visit:
        text = str(visit.page.evaluate(READ))
    own = {word for word, meaning in OWN.items() if meaning in text}
    assert sorted(words(text) - PLAIN - STANDARD - NAMES - own) == []


def test_the_picture_shows_what_the_code_says_today(browser: Browser, sample: Path) -> None:
    """README's picture is of a run that is kept: where this fails, make it anew."""
    with opened(browser, sample, width=1600, height=1080) as visit:
        text = str(visit.page.evaluate(READ))
    assert text + "\n" == (SAMPLE / "first.txt").read_text(encoding="utf-8")


def test_a_private_word_is_on_no_list() -> None:
    assert not {"arm", "knee", "ceiling", "mde", "twin"} & (PLAIN | STANDARD | NAMES)
