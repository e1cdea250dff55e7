# SPDX-License-Identifier: Apache-2.0
"""Where a host is reached: addresses as people write them, and the keys of a station file."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatemark.error import UsageError
from gatemark.node.remote.login import ASK, KEYS, PASSWORD, Address, Login, login

LETTERS = "abcxyz"
NAMES = st.builds(str.__add__, st.sampled_from(LETTERS), st.text(f"{LETTERS}019.-", max_size=20))
HOSTS = NAMES | st.ip_addresses().map(str)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.0.2.1", Address("192.0.2.1")),
        ("root@192.0.2.1:2222", Address("192.0.2.1", "root", 2222)),
        ("box", Address("box")),
        ("root@2001:db8::1", Address("2001:db8::1", "root")),
        ("root@[2001:db8::1]:2222", Address("2001:db8::1", "root", 2222)),
        ("fe80::1%eth0", Address("fe80::1%eth0")),
    ],
)
def test_an_address_is_read_as_people_write_it(text: str, address: Address) -> None:
    assert Address.parse(text) == address


NONE = (
    *("", "root@", "@box", "box:", "box:ssh", "box:65536", "a b", "[::1", "a@b@c", "ssh://a"),
    *("$(id)", "box;id", "`id`", "-oProxyCommand=id", "root@-l", "-l@box", "box\nid", "a|id"),
    *("::1%$(id)", "[::1%;id]:22", "box\x1b[2J", "box'", 'box"', "box:٢٢"),
)


def test_what_is_no_address_is_told_with_one_that_is() -> None:
    def refusal(text: str) -> str:
        try:
            return f"taken: {Address.parse(text)}"
        except ValueError as error:
            return str(error)

    told = "is no address: write root@192.0.2.1:22 or"
    assert [text for text in NONE if told not in refusal(text)] == []


@settings(max_examples=40)
@given(HOSTS, st.just("") | NAMES, st.integers(0, 65535))
def test_an_address_is_written_as_it_is_read(host: str, user: str, port: int) -> None:
    address = Address(host, user, port)
    assert Address.parse(str(address)) == address


def read(folder: Path, text: str) -> Login:
    file = folder / "bench.toml"
    file.write_text(f'schema = "gatemark.station/1"\n[gateway]\nkind = "ssh"\n{text}')
    return login(tomllib.loads(file.read_text())["gateway"], file, "gateway")


def test_a_station_file_says_all_of_it(tmp_path: Path) -> None:
    said = read(
        tmp_path,
        'address = "root@box"\nkey = "keys/box"\npassword = "p"\njump = "me@hop:22"\n'
        'known_hosts = "/etc/known"\n',
    )
    assert said == Login(
        Address("box", "root"),
        tmp_path / "keys/box",
        "p",
        Address("hop", "me", 22),
        Path("/etc/known"),
    )


def test_an_address_is_enough(tmp_path: Path) -> None:
    assert read(tmp_path, 'address = "box"\n') == Login(Address("box"))


def test_a_home_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert read(tmp_path, 'address = "box"\nkey = "~/k"\n').key == Path("/home/me/k")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "2: address: '' is no address"),
        ('x = 1\naddress = "a b"\n', "5: address: 'a b' is no address"),
        ('address = "box"\njump = ":1"\n', "5: jump: ':1' is no address"),
        ('address = "box"\nkey = 7\n', "5: key is a text in quotes"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        read(tmp_path, text)
    assert str(error.value).startswith(f"{tmp_path}/bench.toml:{said}")


def test_every_key_is_one_of_a_login(tmp_path: Path) -> None:
    for key in KEYS:
        assert read(tmp_path, f'{key} = "box"\n' + 'address = "box"\n' * (key != "address"))


def test_a_password_is_asked_for_only_where_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "sesame")
    assert Login(Address("box"), password=ASK).secret() == "sesame"
    assert Login(Address("box"), password="own").secret() == "own"  # noqa: S106
    assert not Login(Address("box")).secret()


def test_each_host_has_a_password_variable_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {
        "root@192.0.2.1": "GATEMARK_PASSWORD_192_0_2_1",
        "192.0.2.1:2222": "GATEMARK_PASSWORD_192_0_2_1_2222",
        "root@[2001:db8::1]:22": "GATEMARK_PASSWORD_2001_DB8__1_22",
        "box-1.lan": "GATEMARK_PASSWORD_BOX_1_LAN",
    }
    parsed = {text: Address.parse(text) for text in variables}
    assert {text: address.variable for text, address in parsed.items()} == variables
    monkeypatch.setenv(PASSWORD, "for all")
    monkeypatch.setenv("GATEMARK_PASSWORD_BOX_1_LAN", "its own")
    assert Login(parsed["box-1.lan"], password=ASK).secret() == "its own"
    assert Login(Address("another"), password=ASK).secret() == "for all"


def test_nobody_to_ask_is_told_with_the_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PASSWORD, raising=False)
    monkeypatch.setattr("sys.stdin", open("/dev/null"))  # noqa: PTH123, SIM115
    fix = f"set {PASSWORD}_BOX, or {PASSWORD} for all hosts"
    with pytest.raises(UsageError, match=f"box: no terminal to ask .*: {fix}"):
        Login(Address("box"), password=ASK).secret()


def test_a_password_is_not_shown() -> None:
    assert "sesame" not in repr(Login(Address("box"), password="sesame"))  # noqa: S106
