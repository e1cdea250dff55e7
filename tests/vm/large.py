# SPDX-License-Identifier: Apache-2.0
"""A ruleset of 400 rules is priced in at most five minutes: how long it takes here.

python -m vm.large [STATION]
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path


def rules() -> str:
    """Four long runs of neighbours of one shape, as lists that grew over years have them."""
    forward = [
        *(f"ip saddr 203.0.{100 + n // 100}.{n % 100 + 1} drop" for n in range(120)),
        *(f"tcp dport {2000 + n} drop" for n in range(100)),
        *(f"ip daddr 192.0.2.{n + 1} udp dport {3000 + n} accept" for n in range(95)),
        "ct state established,related accept",
        *(f'iifname "lan" ip daddr 198.51.100.{n + 1} tcp dport 22 drop' for n in range(80)),
        'iifname "lan" oifname "wan" ct state new accept',
    ]
    tables = (
        ("forward", "filter hook forward priority filter; policy drop", forward),
        (
            "input",
            "filter hook input priority filter; policy drop",
            ['iifname "lan" tcp dport { 22, 443 } accept', "ct state established,related accept"],
        ),
        ("post", "nat hook postrouting priority srcnat", ['oifname "wan" masquerade']),
    )
    lines = ["table inet large {"]
    for name, hook, texts in tables:
        lines += [f"chain {name} {{", f"type {hook};", *texts, "}"]
    assert sum(len(texts) for _, _, texts in tables) == 400
    return "\n".join((*lines, "}", ""))


def main() -> None:
    """Price it without advice, and say how long that took."""
    station = sys.argv[1] if len(sys.argv) > 1 else "qemu-x86"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "large.nft"
        file.write_text(rules())
        began = time.monotonic()
        words = ["price", str(file), "--station", station, "--packets", "0"]
        subprocess.run([sys.executable, "-m", "gatemark", *words], check=True)
        sys.stdout.write(f"400 rules on {station}: {time.monotonic() - began:.0f} s\n")


if __name__ == "__main__":
    main()
