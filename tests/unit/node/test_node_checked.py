# SPDX-License-Identifier: Apache-2.0
"""What a device may call itself: forms that are taken, and all that is refused."""

from collections.abc import Callable

import pytest

from gatemark.error import NodeError
from gatemark.node import checked

# Of each kind of value: behind a right one, before it, and instead of it.
HOSTILE = (
    "{}; touch X",
    "{}\ntouch X",
    "{}\n",
    "{}$(touch X)",
    "{}`touch X`",
    "{}' ; touch X; '",
    '{}" ; touch X; "',
    "{}|touch X",
    "{}\0",
    "-{}",
    "--help",
    "..",
    "",
    "{} {}",
    "{}\u202e",
    "{}\x1b[2J",
    "${{IFS}}{}",
    "x" * 300,
    "\uff45th0",
)
KINDS: dict[str, tuple[Callable[[str], str], str]] = {
    "device": (checked.device, "eth0"),
    "MAC": (checked.mac, "02:00:00:00:00:01"),
    "address": (checked.address, "2001:db8::1"),
    "interface": (checked.interface, "192.0.2.1/24"),
}


WRONG: dict[str, tuple[str, ...]] = {
    "device": ("x" * 16, "."),
    "MAC": ("02:00:00:00:00", "02-00-00-00-00-01", "none"),
    "address": ("192.0.2.1/24", "192.0.2"),
    "interface": ("192.0.2.1", "192.0.2.1/33"),
}
RIGHT: dict[str, tuple[str, ...]] = {
    "device": ("br-lan", "eth0.2", "eth0@if7", "x" * 15),
    "MAC": ("02:00:5e:10:00:0a",),
    "address": ("192.0.2.1", "2001:db8::1"),
    "interface": ("192.0.2.1/24", "2001:db8::1/64"),
}


def refusal(check: Callable[[str], str], text: str) -> str:
    """What is said of a value that is not taken; nothing of one that is."""
    try:
        check(text)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_value_or_more_than_one_is_refused(kind: str) -> None:
    check, right = KINDS[kind]
    texts = [*(hostile.format(right, right) for hostile in HOSTILE), *WRONG[kind]]
    assert [text for text in texts if " is no " not in refusal(check, text)] == []


def test_a_value_is_taken_as_it_is() -> None:
    for kind, (check, _) in KINDS.items():
        assert [check(text) for text in RIGHT[kind]] == [*RIGHT[kind]]


@pytest.mark.parametrize(
    ("check", "text", "printed"),
    [
        (checked.address, "fe80::1%eth0", "fe80::1"),
        (checked.address, "2001:DB8:0::1", "2001:db8::1"),
        (checked.interface, "2001:db8::1%$(touch X)/64", "2001:db8::1/64"),
    ],
)
def test_an_address_is_printed_anew(check: Callable[[str], str], text: str, printed: str) -> None:
    assert check(text) == printed


def test_a_refusal_names_the_host_on_one_line() -> None:
    with pytest.raises(NodeError) as refused:
        checked.by("gateway", checked.mac, "02:00\n\x1b[2J" + "x" * 300)
    text = str(refused.value)
    assert text.startswith("gateway: '02:00\\n\\x1b[2Jxxx")
    assert text.isprintable()
    assert len(text) < 120
