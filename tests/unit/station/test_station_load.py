# SPDX-License-Identifier: Apache-2.0
"""Station files: a typo is told with file, line and the fix."""

from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.station.load import load, stations

HEAD = 'schema = "gatemark.station/1"\n'


@pytest.mark.parametrize("name", stations())
def test_every_shipped_station_is_read(name: str) -> None:
    assert load(name).name == name


def test_a_station_from_a_file_has_the_files_name(tmp_path: Path) -> None:
    path = tmp_path / "bench.toml"
    path.write_text(HEAD + '[gateway]\nkind = "netns"\n')
    assert load(str(path)).name == "bench"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", '1: write schema = "gatemark.station/1"'),
        ('[gateway]\nkind = "netns"\n', '1: write schema = "gatemark.station/1"'),
        ('\nschema = "gatemark.plan/1"\n', '2: write schema = "gatemark.station/1"'),
        (HEAD, "1: a station needs [gateway] with a kind"),
        (HEAD + "gateway = 3\n", "2: a station needs [gateway] with a kind"),
        (HEAD + "[[gateway]]\n", "2: a station needs [gateway] with a kind"),
        (HEAD + "[gateway]\n", "2: a station needs [gateway] with a kind"),
        (HEAD + "[gatway]\n", "2: unknown key 'gatway'; did you mean 'gateway'?"),
        (
            HEAD + '[gateway]\nkind = "netns"\nkid = 1\n',
            "4: unknown key 'kid' in [gateway]; did you mean 'kind'?",
        ),
        (HEAD + '[gateway]\nkind = "nets"\n', "3: no kind 'nets'; known: netns"),
        (HEAD + "[gateway]\nkind = [3]\n", "3: no kind [3]; known: netns"),
        (HEAD + "[gateway\n", "2: not TOML: "),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as error:
        load(str(path))
    assert str(error.value).startswith(f"{path}:{said}")


def test_the_nearest_name_is_offered() -> None:
    with pytest.raises(UsageError, match=r"no station 'labb'; did you mean 'lab'\?, or a file"):
        load("labb")


def test_a_missing_file_is_told_with_the_mend() -> None:
    with pytest.raises(
        UsageError, match=r"none\.toml: No such file or directory: give the path of"
    ):
        load("none.toml")
