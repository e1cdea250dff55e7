# SPDX-License-Identifier: Apache-2.0
"""Files that people have, as rules that the guest's own nft loads: no grammar of ours.

`nft list ruleset` as text or JSON goes in as it is. `iptables-save` goes through the distribution's
own translator, as nobody; settings of OpenWrt through OpenWrt's own fw4.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from shutil import which
from typing import Final

from gatemark.error import UnavailableError, UsageError
from gatemark.node import nobody
from gatemark.price import backup, queue
from gatemark.price.settings import rendered
from gatemark.price.text import NAME, Rules, interfaces
from gatemark.printable import one_line

MOST_BYTES: Final = 10_000_000
TRANSLATE_S: Final = 60.0
INCLUDE: Final = re.compile(r"^[ \t]*include\b")
IPTABLES: Final = re.compile(r"^\*(filter|nat|mangle|raw|security)\s*$", re.MULTILINE)
QUEUES: Final = "queues"  # a form: of `tc -s qdisc`, and no rules
UCI: Final = re.compile(r"^[ \t]*(package \w|config \w)", re.MULTILINE)
OF_IPV6: Final = re.compile(r"ip6tables-save|icmpv6|icmp6|::")
OLD: Final = re.compile(r"(?:^|\s)(?:-i|-o|--physdev-in|--physdev-out)\s+(\S+)")
AT: Final = re.compile(r"^Error occurred at line: (\d+)$", re.MULTILINE)  # the translator's words
IN_JSON: Final = re.compile(r'"key":\s*"[io]if(?:name)?"\}\},\s*"right":\s*("[^"]+"|\{[^{}]*\})')


def read(path: Path) -> Rules:
    """Read a file of rules. Raises UsageError with the file, the line and what to do."""
    text = _text(path)
    if UCI.search(text):
        return rendered(path, backup.in_export(path, text))
    if queue.LINE.search(text):
        queues = queue.read(str(path), text)
        devices = dict.fromkeys(each.device for each in queues.queues)
        return Rules(text, QUEUES, tuple(devices), queues.notes)
    start = text.lstrip()
    if start.startswith(("{", "[")):
        return _json(path, text)
    if IPTABLES.search(text):
        return _translated(path, text)
    for number, line in enumerate(text.splitlines(), 1):
        if INCLUDE.match(line):
            raise UsageError(
                f"{path}:{number}: `include` names a file that is not here: "
                "`nft list ruleset` on the gateway prints the rules in one"
            )
    return Rules(text, "nft", tuple(interfaces(text)))


def _text(path: Path) -> str:
    try:
        if path.is_dir():
            path = backup.in_folder(path)
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise UsageError(f"{path}: {size} bytes: rules have {MOST_BYTES} at most")
        data = path.read_bytes()
        if data.startswith(backup.GZIP):
            data = backup.in_backup(path, data, MOST_BYTES)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}:{line}: not UTF-8: is this a file of rules?") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise UsageError(f"{path}:{line}: a zero byte: is this a file of rules?")
    if not text.strip():
        raise UsageError(f"{path}: empty: `nft list ruleset` or `iptables-save` fills it")
    return text.replace("\r\n", "\n")  # translators and nft know no other end of a line


def _json(path: Path, text: str) -> Rules:
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise UsageError(f"{path}:{line}: no JSON of `nft -j list ruleset`") from None
    if not isinstance(data, dict) or not isinstance(data.get("nftables"), list):
        raise UsageError(f'{path}: no "nftables" in it: `nft -j list ruleset` writes one')
    again = json.dumps(data)
    names = [name for right in IN_JSON.findall(again) for name in re.findall(r'"([^"]+)"', right)]
    return Rules(again, "json", tuple(dict.fromkeys(filter(NAME.fullmatch, names))))


def _translated(path: Path, text: str) -> Rules:
    """Rules of iptables as those of nft; what has no translation is named."""
    program = ("ip6tables" if OF_IPV6.search(text) else "iptables") + "-restore-translate"
    if not which(program):
        raise UnavailableError(f"{path}: no {program} here: apt-get install iptables")
    try:
        with os.fdopen(os.memfd_create("rules"), "w") as file:  # nobody may open it
            file.write(text)
            file.flush()
            name = f"/proc/self/fd/{file.fileno()}"
            done = subprocess.run(
                [*nobody.words(), program, "-f", name],
                pass_fds=[file.fileno()],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=TRANSLATE_S,
                check=False,
            )
    except subprocess.TimeoutExpired:
        raise UsageError(f"{path}: {program} took longer than {TRANSLATE_S:g} s") from None
    if done.returncode:
        at = AT.search(done.stderr)
        where = f"{path}:{at[1]}" if at else path
        why = one_line((done.stderr.strip().splitlines() or ["it failed"])[0])
        raise UsageError(f"{where}: {program}: {why}")
    lines = done.stdout.splitlines()
    left = [line[2:] for line in lines if line.startswith("# -")]
    notes = [f"not translated, so not priced: {one_line(line)}" for line in left]
    names = [name for name in OLD.findall(text) if NAME.fullmatch(name)]
    kept = "".join(f"{line}\n" for line in lines if not line.startswith("#"))
    notes.append("rules of iptables, priced as nft's own that stand for them")
    return Rules(kept, "iptables", tuple(dict.fromkeys(names)), tuple(notes))
