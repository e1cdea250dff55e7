# SPDX-License-Identifier: Apache-2.0
"""README and addresses as a package shows them: `url` of pyproject.toml says where all is."""

import re
from pathlib import Path
from typing import Any, Final

from hatchling.metadata.plugin.interface import MetadataHookInterface

# A link or picture of a page to a file beside it.
LINK: Final = re.compile(r"(!?)(\[(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*\])\((?!https?:|#)([^)]+)\)")


class Addresses(MetadataHookInterface):
    """Fill in `readme` and `urls`, which pyproject.toml leaves to this."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Take the links of README from where this version is, once that is known."""
        url, version = self.config.get("url", "").rstrip("/"), metadata["version"]
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, url, version) if url else text,
        }
        metadata["urls"] = addresses(url, version) if url else {}


def addresses(url: str, version: str) -> dict[str, str]:
    """Return what a package index shows beside the package."""
    return {
        "Homepage": url,
        "Documentation": f"{url}/blob/v{version}/docs/start.md",
        "Changes": f"{url}/blob/v{version}/CHANGELOG.md",
        "Issues": f"{url}/issues",
    }


def absolute(text: str, url: str, version: str) -> str:
    """Return the page with each relative link as one to the files of this version."""

    def link(match: re.Match[str]) -> str:
        picture, words, path = match.groups()
        words = words if picture else LINK.sub(link, words[:-1]) + "]"
        folder = "raw" if picture or path.endswith((".png", ".svg")) else "blob"
        return f"{picture}{words}({url}/{folder}/v{version}/{path})"

    return LINK.sub(link, text)
