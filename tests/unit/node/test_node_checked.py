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


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_more_than_a_value_is_refused(kind: str, hostile: str) -> None:
    check, right = KINDS[kind]
    with pytest.raises(ValueError, match="is no"):
        check(hostile.format(right, right))


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (checked.device, "br-lan"),
        (checked.device, "eth0.2"),
        (checked.device, "eth0@if7"),
        (checked.device, "x" * 15),
        (checked.mac, "02:00:5e:10:00:0a"),
        (checked.address, "192.0.2.1"),
        (checked.address, "2001:db8::1"),
        (checked.interface, "192.0.2.1/24"),
        (checked.interface, "2001:db8::1/64"),
    ],
)
def test_a_value_is_taken(check: Callable[[str], str], text: str) -> None:
    assert check(text) == text


@pytest.mark.parametrize(
    ("check", "text", "printed"),
    [
        (checked.address, "fe80::1%eth0", "fe80::1"),
        (checked.address, "2001:DB8:0::1", "2001:db8::1"),
        (checked.interface, "2001:db8::1%$(touch X)/64", "2001:db8::1/64"),
        (checked.interface, "fe80::1%eth0/64", "fe80::1/64"),
    ],
)
def test_an_address_is_printed_anew(check: Callable[[str], str], text: str, printed: str) -> None:
    assert check(text) == printed


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (checked.device, "x" * 16),
        (checked.device, "."),
        (checked.mac, "02:00:00:00:00"),
        (checked.mac, "02-00-00-00-00-01"),
        (checked.mac, "none"),
        (checked.address, "192.0.2.1/24"),
        (checked.address, "192.0.2"),
        (checked.interface, "192.0.2.1"),
        (checked.interface, "192.0.2.1/33"),
    ],
)
def test_a_wrong_form_is_refused(check: Callable[[str], str], text: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        check(text)


def test_a_refusal_names_the_host_on_one_line() -> None:
    with pytest.raises(NodeError) as refused:
        checked.by("gateway", checked.mac, "02:00\n\x1b[2J" + "x" * 300)
    text = str(refused.value)
    assert text.startswith("gateway: '02:00\\n\\x1b[2Jxxx")
    assert text.isprintable()
    assert len(text) < 120
