# SPDX-License-Identifier: Apache-2.0
"""Links of README in a package: from where the version is, once an address is known."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
URL = "https://git.example/gatemark"


@pytest.fixture(scope="module")
def metadata() -> ModuleType:
    """`setup/metadata.py`, which is in no package."""
    pytest.importorskip("hatchling", reason="no hatchling: make setup")
    spec = importlib.util.spec_from_file_location("metadata", ROOT / "setup/metadata.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[a](docs/a.md#b)", f"[a]({URL}/blob/v1.0/docs/a.md#b)"),
        ("![a](a.png)", f"![a]({URL}/raw/v1.0/a.png)"),
        ("[![a](b.png)](c.png)", f"[![a]({URL}/raw/v1.0/b.png)]({URL}/raw/v1.0/c.png)"),
        ("[a](#words), [b](https://example.org/)", "[a](#words), [b](https://example.org/)"),
    ],
)
def test_a_link_to_a_file_begins_with_the_address(
    text: str, wanted: str, metadata: ModuleType
) -> None:
    assert metadata.absolute(text, URL, "1.0") == wanted


def test_no_link_of_readme_is_left_relative(metadata: ModuleType) -> None:
    text = metadata.absolute((ROOT / "README.md").read_text(), URL, "1.0")
    assert re.findall(r"\]\((?!https://|#)", text) == []


@pytest.mark.parametrize(("url", "homes"), [("", None), (f"{URL}/", URL)])
def test_an_address_that_is_not_known_is_in_no_package(
    url: str, homes: str | None, metadata: ModuleType
) -> None:
    filled: dict[str, object] = {"version": "1.0"}
    metadata.Addresses(str(ROOT), {"url": url}).update(filled)
    urls = filled["urls"]
    assert isinstance(urls, dict)
    assert urls.get("Homepage") == homes
