# SPDX-License-Identifier: Apache-2.0
"""What OpenWrt's own features change is taken back, and what their path staged stays staged."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from gatemark.gateway import openwrt
from gatemark.gateway.changes import Changes
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.feature.openwrt import fw4_without, offload
from gatemark.node.quoted import literal, shell
from gatemark.node.shell import Local
from gatemark.station.mode import Mode
from gatemark.station.wiring import Gateway

COMMITTED = """
firewall.cfg01 defaults
firewall.cfg01.flow_offloading 1
firewall.cfg02 zone
firewall.cfg02.name lan
firewall.cfg03 zone
firewall.cfg03.name wan
"""
# As uci does: what is staged is a list beside the file, and a revert takes an option out of it.
UCI = f"""#!{sys.executable} -SE
import sys
place = __file__.rpartition("/")[0]
read = lambda name: [line.split() for line in open(f"{{place}}/{{name}}") if line.strip()]
committed, staged = dict(read("committed")), read("staged")
verb, *words = [word for word in sys.argv[1:] if word not in ("-q", "-X")]
key, _, value = words[0].replace("@defaults[0]", "cfg01").partition("=")
values = dict(committed)
for name, *new in staged:
    values.pop(name, None)
    values.update(dict.fromkeys([name], *new) if new else {{}})
if verb == "show":
    for name, value in values.items():
        if name.startswith(key):
            print(name, f"'{{value}}'" if name.count(".") > 1 else value, sep="=")
elif verb == "get":
    print(values[key]) if key in values else sys.exit(1)
elif verb == "set":
    staged.append([key, value])
elif verb == "delete":
    staged.append([key]) if key in values else sys.exit(1)
elif verb == "revert":
    staged = [change for change in staged if change[0] != key]
open(f"{{place}}/staged", "w").writelines(" ".join(change) + "\\n" for change in staged)
"""
FW4 = """#!/bin/sh
case $3 in br-lan) echo lan ;; eth2) echo wan ;; esac
"""
# It reads anything, and where there is a file `refuses`, nothing.
NFT = """#!/bin/sh
case "$*" in
*fw4) printf 'table inet fw4 {\\n\\tchain forward {\\n\\t\\tflow add @ft\\n\\t}\\n}\\n' ;;
'-f -') cat > /dev/null; [ ! -e "${0%/*}/refuses" ] ;;
*gatemark*) exit 1 ;;
esac
"""


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gateway:
    """A box whose owner has its flows offloaded, played by this machine's shell."""
    for name, text in (("uci", UCI), ("fw4", FW4), ("nft", NFT), ("flock", "#!/bin/sh\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "committed").write_text(COMMITTED)
    (tmp_path / "staged").touch()
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(openwrt, "RELOAD", literal(":"))
    devices = {"gw0": "br-lan", "gw1": "eth2"}
    return Gateway(Local("gateway"), devices, mode=Mode.OPENWRT)


def uci(*words: str) -> str:
    done = subprocess.run(["uci", *words], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def test_without_its_feature_a_path_offloads_no_flow_of_the_owners_either(box: Gateway) -> None:
    option = "firewall.cfg01.flow_offloading"
    uci("delete", option)  # as the path does
    changes = Changes(box.node)
    seen = []

    async def through() -> None:
        await offload.apply(Asked(box, changes, "nat", ("software",)))
        seen.append(uci("get", option))
        await changes.undo()
        seen.append(uci("get", option))

    asyncio.run(through())
    uci("revert", option)  # as the path's own undo does
    assert [*seen, uci("get", option)] == ["1", "", "1"]


@pytest.mark.parametrize("refuses", [False, True])
def test_rules_that_are_not_read_again_as_they_were_listed_are_rendered_anew(
    refuses: bool, box: Gateway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openwrt, "RELOAD", shell("touch {file}", file=str(tmp_path / "reloaded")))
    changes = Changes(box.node)

    async def through() -> None:
        await fw4_without.apply(Asked(box, changes, "nat", ("forward", "0")))
        if refuses:
            (tmp_path / "refuses").touch()
        await changes.undo()

    asyncio.run(through())
    assert (tmp_path / "reloaded").exists() is refuses
