# SPDX-License-Identifier: Apache-2.0
"""Typing over ssh: the time from a letter typed to the letter seen.

The far end echoes. A letter is typed every 200 ms, whether the last one came back or not, as a
person does.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from gatemark.kind.application.application import Application, Quality, Report, Running, Stage

PORT: Final = 22
EVERY_S: Final = 0.2
UNSEEN_S: Final = 1.5  # a letter that takes longer counts as so long, and as unseen
READY: Final = "READY"
MS: Final = 1e6

Chunks = Sequence[tuple[int, bytes]]  # time in ns, what was printed


def serve(stage: Stage) -> Iterator[Report]:
    """Serve logins of this very user, by a key that both hosts are given."""
    host, user = stage.folder / "host", stage.folder / "user"
    for key in (host, user):
        stage.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key))
    options = ("UsePAM=no", "StrictModes=no", "PidFile=none", f"AuthorizedKeysFile={user}.pub")
    words = [word for option in options for word in ("-o", option)]
    stage.start("sshd", "-D", "-e", "-p", str(PORT), "-h", str(host), "-f", "/dev/null", *words)
    stage.listening(PORT)
    yield {"key": user.read_text(encoding="utf-8")}


def use(stage: Stage) -> Iterator[Report]:
    """Log in, and type."""
    options = ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR")
    words = [word for option in options for word in ("-o", option)]
    key = stage.file("key", stage.handed["key"])
    far = f"{stage.user}@{stage.far}"
    shell = stage.start(
        *("ssh", "-F", "/dev/null", "-i", str(key), *words, "-T", far),
        f"echo {READY}; exec cat",
        talks=True,
    )
    shell.says(READY, 15.0)
    stage.pause(0.2)
    yield {}
    yield typed(stage, shell, b"x", lambda chunks: [at for at, piece in chunks for _ in piece])


def typed(
    stage: Stage, shell: Running, letter: bytes, seen: Callable[[Chunks], list[int]]
) -> Report:
    """Type one letter after the other; `seen` has the time at which each came back."""
    before = len(shell.chunks())
    times: list[int] = []
    began = time.monotonic()
    while time.monotonic() - began < stage.seconds:
        times.append(time.monotonic_ns())
        shell.write(letter)
        stage.pause(began + len(times) * EVERY_S - time.monotonic())
    stage.pause(UNSEEN_S)
    took = echoes(times, seen(shell.chunks()[before:]))
    return {"samples": {"letter": took}, "values": {"letters_unseen_share": unseen(took)}}


def echoes(typed: list[int], came: list[int]) -> list[float]:
    """Return what each letter took in ns, at most UNSEEN_S; ssh keeps their order."""
    most = UNSEEN_S * 1e9
    took = [min(most, float(at - since)) for since, at in zip(typed, came, strict=False)]
    return took + [most] * (len(typed) - len(took))


def unseen(took: list[float]) -> float:
    """Return the share that took too long."""
    return sum(ns >= UNSEEN_S * 1e9 for ns in took) / len(took)


TYPING: Final = Application(
    name="ssh",
    title="typing (ssh)",
    about="typing",
    label="remote",
    needs={
        "sshd": "openssh-server",
        "ssh": "openssh-client",
        "ssh-keygen": "openssh-client",
    },
    qualities=(
        Quality(
            quantity="letter_p95_ns",
            good=100 * MS,
            bad=250 * MS,
            source="100 ms is felt as at once (Miller 1968); 250 ms: our choice",
        ),
        Quality(
            quantity="letters_unseen_share",
            short="unseen",
            good=0.0,
            bad=0.05,
            source="our choice; unseen: after 1.5 s",
        ),
    ),
    serve=serve,
    use=use,
)
