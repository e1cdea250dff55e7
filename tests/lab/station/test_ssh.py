# SPDX-License-Identifier: Apache-2.0
"""A host over SSH, against busybox and dropbear: got into, lost and got back, left as it was."""

import asyncio
import inspect
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gatemark.error import NodeError, UnavailableError
from gatemark.gateway.program import Program
from gatemark.gateway.supervisor import Supervised
from gatemark.node.agent import Agent
from gatemark.node.remote import channel
from gatemark.node.remote.channel import LOST
from gatemark.node.remote.lease import Lease
from gatemark.node.remote.login import ASK, PASSWORD, Address, Caller, Login
from gatemark.node.remote.look import Look
from gatemark.node.remote.ssh import Ssh
from gatemark.node.shell import Clock, here
from gatemark.probe.drop import reading
from gatemark.probe.drop.reading import Reading
from gatemark.store.drops import PORT_IN, PORT_OUT, QDISC
from lab.station import device
from lab.station.device import Desk, desk

TMP = "/tmp"  # noqa: S108 (the device's, a tmpfs of its own)
SILENCE_S = 120.0  # until an agent is given up: well after a silent host is
PATIENCE_S = 5.0  # with a silent host: a busy machine is silent itself, for a while
WATCH = {"interval_ms": 50, "samples": 1000, "what": ["memory", "cpu"]}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    if os.geteuid() != 0:
        pytest.skip("needs root: namespaces with their own CPU")
    with desk(tmp_path_factory.mktemp("desk")) as made:
        yield made


@asynccontextmanager
async def into(bench: Desk, login: Login | None = None, **how: Any) -> AsyncIterator[Ssh]:
    host = Ssh("gateway", login or bench.login(), namespace=bench.tester, **how)
    await host.connect()
    try:
        yield host
    finally:
        await host.close()


def on(bench: Desk, do: Callable[[Ssh], Awaitable[Any]], **how: Any) -> Any:
    """Do something on the device."""

    async def done() -> Any:
        async with into(bench, **how) as host:
            return await do(host)

    return asyncio.run(done())


def refused(bench: Desk, login: Login) -> str:
    """What is said of a login that must not succeed: one line."""
    with pytest.raises(NodeError) as error:
        on(bench, lambda host: host.run("true"), login=login)
    message = str(error.value)
    assert message.startswith("gateway: root@192.0.2."), message
    assert "\n" not in message
    return message


# Getting in


@pytest.mark.parametrize(
    "how",
    [
        pytest.param({"key": None, "password": device.PASSWORD}, id="password"),
        pytest.param({"jump": True}, id="jump host"),
    ],  # by its key all other tests get in
)
def test_it_is_got_into(bench: Desk, how: dict[str, Any]) -> None:
    assert on(bench, lambda host: host.run("echo", "in"), login=bench.login(**how)) == "in\n"


@pytest.mark.long
def test_a_password_is_asked_for_once(bench: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, device.PASSWORD)

    async def again(host: Ssh) -> str:
        monkeypatch.delenv(PASSWORD)
        await host.reconnect(5)
        return await host.run("echo", "in")

    assert on(bench, again, login=bench.login(key=None, password=ASK)) == "in\n"


@pytest.mark.long
def test_the_users_own_ssh_config_counts(
    bench: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/config").write_text(
        f"Host box\n  HostName 192.0.2.6\n  Port {device.PORT}\n  User root\n"
        f"  IdentityFile {bench.folder}/key\n  UserKnownHostsFile {bench.folder}/known\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    login = Login(Address("box"))
    assert on(bench, lambda host: host.run("echo", "in"), login=login) == "in\n"


@pytest.mark.long
def test_a_wrong_key_is_told(bench: Desk, tmp_path: Path) -> None:
    device.new_key(tmp_path / "other")
    message = refused(bench, bench.login(key=tmp_path / "other"))
    assert f"does not take the key {tmp_path}/other: put the public key into" in message


@pytest.mark.long
def test_a_wrong_password_is_told(bench: Desk) -> None:
    message = refused(bench, bench.login(password="open", key=None))  # noqa: S106
    assert "does not take your keys and the password" in message


def test_an_unknown_host_key_is_told_with_the_line_that_learns_it(
    bench: Desk, tmp_path: Path
) -> None:
    message = refused(bench, bench.login(known_hosts=tmp_path / "known"))
    assert "has a host key that is not known (ssh-" in message
    assert f"`ssh-keyscan -p 2222 192.0.2.6 >> {tmp_path}/known`" in message


@pytest.mark.long
def test_a_changed_host_key_is_told_with_what_forgets_it(bench: Desk, tmp_path: Path) -> None:
    lines = (bench.folder / "known").read_text().splitlines()
    theirs, ours = lines[0].split(), lines[-1].split()  # the jump host's key, for the device
    (tmp_path / "known").write_text(" ".join([theirs[0], *ours[1:]]) + "\n")
    message = refused(bench, bench.login(known_hosts=tmp_path / "known"))
    assert "has another host key than before (ssh-ed25519 SHA256:" in message
    assert f"`ssh-keygen -f {tmp_path}/known -R '[192.0.2.6]:2222' && ssh-keyscan" in message


@pytest.mark.long
def test_a_jump_host_that_is_not_known_is_told_by_its_own_name(bench: Desk, tmp_path: Path) -> None:
    (tmp_path / "known").write_text(bench.device.known("192.0.2.10"))
    message = refused(bench, bench.login(jump=True, known_hosts=tmp_path / "known"))
    assert message.startswith("gateway: root@192.0.2.2:2222 has a host key that is not known")


@pytest.mark.long
def test_a_host_where_nobody_listens_is_told(bench: Desk) -> None:
    login = bench.login()
    message = refused(bench, Login(Address("192.0.2.6", "root", 22), login.key))
    assert "refuses connections: does an SSH server listen on port 22?" in message


@pytest.mark.long
def test_a_host_that_is_off_is_told_in_time(bench: Desk) -> None:
    async def knock() -> None:
        await Ssh("gateway", bench.login(), namespace=bench.tester).connect(0.3)

    bench.device.deaf()
    try:
        with pytest.raises(NodeError, match=r"^gateway: root@192.0.2.6:2222 did not answer in 0"):
            asyncio.run(knock())
    finally:
        bench.device.hearing()


# Commands


def test_words_arrive_as_they_were_given(bench: Desk) -> None:
    words = ["it's", "a b", "$HOME", "`x`", "*", "\\", '"', "", "ä\n"]
    output = on(bench, lambda host: host.run("printf", "%s|", *words))
    assert output == "".join(f"{word}|" for word in words)


@pytest.mark.long
def test_bytes_arrive_as_they_were_given(bench: Desk) -> None:
    data = bytes(range(256)) * 4096
    assert on(bench, lambda host: host.pipe("cat", stdin=data)) == data


@pytest.mark.long
def test_a_failure_is_told_by_its_last_word(bench: Desk) -> None:
    with pytest.raises(NodeError, match=r"^gateway: 'cat /none' failed: cat: can't open '/none'"):
        on(bench, lambda host: host.run("cat", "/none"))


@pytest.mark.long
def test_commands_asked_for_at_once_are_done_in_turn(bench: Desk) -> None:
    async def many(host: Ssh) -> list[str]:
        return await asyncio.gather(*(host.run("echo", str(n)) for n in range(20)))

    assert on(bench, many) == [f"{n}\n" for n in range(20)]


@pytest.mark.long
def test_a_command_talks_while_it_runs(bench: Desk) -> None:
    async def talk(host: Ssh) -> tuple[bytes, bytes, str, int]:
        script = "read x; echo got $x; echo bad >&2; read y; exit 7"
        process = await host.start("sh", "-c", script)
        process.write(b"one\n")
        first = await process.line()
        assert not process.ended
        process.close_stdin()
        return first, await process.line(), await process.errors(), await process.wait()

    assert on(bench, talk) == (b"got one\n", b"", "bad\n", 7)


@pytest.mark.long
def test_commands_that_end_while_others_begin_harm_nobody(bench: Desk) -> None:
    async def turns(host: Ssh) -> list[str]:
        talking = [await host.start("cat") for _ in range(3)]
        for process in talking:
            process.close_stdin()
        outputs = await asyncio.gather(*(host.run("echo", str(n)) for n in range(3)))
        assert [await process.wait() for process in talking] == [0, 0, 0]
        return outputs

    assert on(bench, turns) == ["0\n", "1\n", "2\n"]


@pytest.mark.long
def test_a_line_may_be_long(bench: Desk) -> None:
    async def line(host: Ssh) -> bytes:
        script = "head -c 1000000 /bin/busybox | tr -c x x; echo"
        return await (await host.start("sh", "-c", script)).line()

    assert on(bench, line) == b"x" * 1_000_000 + b"\n"


def test_what_is_killed_is_gone_from_the_host(bench: Desk) -> None:
    async def kill(host: Ssh) -> tuple[int, str]:
        process = await host.start("sleep", "1234")
        process.kill()
        return await process.wait(), await host.run("ps")

    code, left = on(bench, kill)
    assert code == -9
    assert "1234" not in left


@pytest.mark.long
def test_a_command_that_does_not_end_is_told(bench: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(host: Ssh) -> str:
        monkeypatch.setattr(host, "_longest_s", 0.3)
        with pytest.raises(NodeError, match=r"^gateway: 'sleep 9' did not end in 0\.3 s$"):
            await host.run("sleep", "9")
        monkeypatch.undo()
        return await host.run("echo", "next")

    assert on(bench, hang) == "next\n"


@pytest.mark.long
def test_a_command_that_is_not_there_is_told(bench: Desk) -> None:
    with pytest.raises(NodeError, match=r"^gateway: no 'nft' on it$"):
        on(bench, lambda host: host.start("nft", "list", "ruleset"))


@pytest.mark.long
def test_others_programs_cannot_be_started_there(bench: Desk) -> None:
    with pytest.raises(UnavailableError, match="gateway: another machine"):
        here(Ssh("gateway", bench.login()))


# The agent


async def watched(host: Ssh) -> dict[str, Any]:
    agent = await Agent.launch(host, "watch", WATCH)
    await agent.start()
    await asyncio.sleep(1)  # of three samples at least, on a busy machine too
    return await agent.close()


def left_of_the_agent(bench: Desk) -> list[str]:
    files = on(bench, lambda host: host.run("find", "/", "-xdev", "-name", "gm-agent*"))
    return [*files.splitlines(), *on(bench, lambda host: host.run("ls", TMP)).split()]


def test_an_agent_is_put_there_used_and_removed(bench: Desk) -> None:
    report = on(bench, watched)
    assert len(report["memory"]["available_bytes"]) == len(report["t_ns"]) >= 3
    assert left_of_the_agent(bench) == ["pid"]


@pytest.mark.long
def test_an_agent_is_put_there_once(bench: Desk) -> None:
    async def twice(host: Ssh) -> tuple[str, str, str]:
        await host.agent("watch")
        paths = await asyncio.gather(host.agent("watch"), host.agent("watch"))
        return (*paths, await host.run("ls", TMP))

    first, second, there = on(bench, twice)
    assert first == second
    assert there.split() == [Path(first).parent.name, "pid"]


@pytest.mark.long
def test_a_users_file_is_put_there_runs_and_is_removed(bench: Desk, tmp_path: Path) -> None:
    """As it is: a program of others need not know --help, so nothing starts it beforehand."""
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\necho started >> /tmp/starts\ncat /tmp/starts\nrm /tmp/starts\n")

    async def run(host: Ssh) -> str:
        return await host.run(await host.put(script))

    assert on(bench, run) == "started\n"
    listed = "ls -d /tmp/gatemark-once.* 2> /dev/null; true"
    left = on(bench, lambda host: host.run("sh", "-c", listed))
    assert left == ""


@pytest.mark.long
def test_an_agent_that_a_dead_run_left_is_removed(bench: Desk) -> None:
    async def push(host: Ssh) -> str:
        left = f"{TMP}/gatemark-once.012345", "/root/gatemark-once.012345"
        await host.run("mkdir", "-m", "700", *left, f"{TMP}/gatemark-of-another")
        await host.agent("watch")
        return await host.run("ls", TMP, "/root")

    try:
        assert "012345" not in (there := on(bench, push))
        assert "gatemark-of-another" in there
    finally:
        on(bench, lambda host: host.run("rmdir", f"{TMP}/gatemark-of-another"))


@pytest.mark.long
@pytest.mark.parametrize("there", [{"sha256sum"}, {"sha256sum", "md5sum"}], ids=["md5", "none"])
def test_an_agent_is_verified_by_what_the_host_has(bench: Desk, there: set[str]) -> None:
    async def push(host: Ssh) -> str:
        return await host.agent("watch")

    folder = bench.device.root / "bin"
    for name in there:
        (folder / name).unlink()
    try:
        assert on(bench, push).startswith(f"{TMP}/gatemark-once.")
    finally:
        for name in there:
            (folder / name).symlink_to("busybox")


@pytest.mark.long
@pytest.mark.parametrize(
    ("mount", "why"),
    [("size=64k", "No space left on device"), ("ro", "Read-only file system")],
    ids=["full", "read-only"],
)
def test_a_folder_of_no_use_is_passed_over(bench: Desk, mount: str, why: str) -> None:
    async def push(host: Ssh) -> tuple[str, str]:
        await host.run("mount", "-t", "tmpfs", "-o", mount, "tmpfs", TMP)
        try:
            path = await host.agent("watch")  # there is no /var/tmp and no /dev/shm: at home
            await host.run("mount", "-o", "bind", TMP, "/root")  # now it is of no use either
            host._files = {}
            with pytest.raises(NodeError) as error:
                await host.agent("watch")
            return path, str(error.value)
        finally:
            await host.run("umount", "-l", "/root")
            await host.run("rm", "-f", path)
            await host.run("umount", TMP)

    path, message = on(bench, push)
    assert path.startswith("/root/gatemark-once.")
    assert message.startswith("gateway: no place for gm-agent (")
    assert message.count(why) == 2
    assert "\n" not in message


@pytest.mark.long
def test_its_clock_is_told_with_an_error_that_holds(bench: Desk) -> None:
    async def read(host: Ssh) -> list[Clock]:
        return [await host.clock() for _ in range(3)]

    clocks = on(bench, read)
    # This kernel's clock is the device's.
    assert [clock for clock in clocks if abs(clock.ahead_ns) > clock.error_ns] == []
    # Other work may make each reading longer, and so its error larger.
    assert min(clock.error_ns for clock in clocks) < 5_000_000


# Loss


async def freeze(host: Ssh) -> None:
    """Stop the host's end of the connection: TCP goes on answering."""
    await host.start("sh", "-c", "sleep 0.1; kill -STOP $PPID")
    await asyncio.sleep(0.2)


@pytest.mark.long
@pytest.mark.parametrize("how", ["deaf", "frozen"])
def test_a_silent_host_is_found_and_told(bench: Desk, how: str) -> None:
    async def job(host: Ssh) -> tuple[str, int]:
        agent = await Agent.launch(host, "watch", WATCH)
        await agent.start()
        if how == "frozen":
            await freeze(host)
        else:
            bench.device.deaf()
        with pytest.raises(NodeError) as error:
            await agent.done(SILENCE_S)
        assert host.lost
        with pytest.raises(NodeError, match="connection was lost"):
            await host.run("true")
        return str(error.value), await agent.process.wait()

    try:
        message, code = on(bench, job, patience_s=PATIENCE_S)
    finally:
        if how == "deaf":
            bench.device.hearing()
    assert message.startswith("gateway: its SSH connection was lost (")
    assert "\n" not in message
    assert code == LOST


@pytest.mark.long
def test_ten_seconds_of_silence_are_enough() -> None:
    assert Caller("gateway", Login(Address("box"))).patience_s <= 10
    assert inspect.signature(Ssh).parameters["patience_s"].default <= 10


def test_a_host_that_restarts_in_a_job_is_got_back(bench: Desk) -> None:
    async def job(host: Ssh) -> tuple[str, dict[str, Any]]:
        agent = await Agent.launch(host, "watch", WATCH)
        await agent.start()
        bench.device.stop()
        with pytest.raises(NodeError) as error:
            await agent.close()
        await agent.abort()
        again = asyncio.create_task(host.reconnect(60))
        await asyncio.sleep(0.1)
        assert not again.done()
        await asyncio.to_thread(bench.device.start)
        await again
        assert not host.lost
        return str(error.value), await watched(host)  # its /tmp was emptied

    output, report = on(bench, job)
    assert "its SSH connection was lost" in output
    assert report["t_ns"]


@pytest.mark.long
def test_a_host_that_stays_away_is_told_with_the_last_reason(bench: Desk) -> None:
    async def job(host: Ssh) -> None:
        bench.device.stop()
        await host.reconnect(1)

    try:
        with pytest.raises(NodeError, match=r"192\.0\.2\.6:2222 refuses connections"):
            on(bench, job)
    finally:
        bench.device.start()


# Lies

FLOODS = "echo 1; exec yes held"
LIES = {
    "its clock, and prints on": ("clock", FLOODS, "/proc/uptime cannot be read: 'held'"),
    "an odd word of a lease": ("lease", "echo 1; exec yes heldd", "lease cannot be read: 'heldd'"),
    "an escape for a lease": ("lease", "echo 1; printf '\\033[2J\\n'; exec yes", r"\\x1b\[2J"),
    "no lease": ("lease", "echo 1", "its lease ended at once"),
    "a number of 4 000 digits": (
        "clock",
        "echo 1; yes 9 | head -n 4000 | tr -d '\\n'; echo",
        "9...",
    ),
    "going back": (
        "clock",
        "echo 1; n=99; while read x; do echo $n.00; n=$((n-1)); done",
        "its clock jumped",
    ),
    "another process": ("clock", "echo -1; exec yes", "the number of a process cannot be read"),
    "a program that prints on": ("run", "exec yes", "printed more than 32 MiB"),
    "errors without an end": ("clock", "echo 1; echo x; exec yes >&2", "cannot be read: 'x'"),
    "death": ("clock", "echo 1; kill -9 $$", "cannot be read: ''"),
}
ASKS: dict[str, Callable[[Ssh], Awaitable[Any]]] = {
    "clock": lambda host: host.clock(),
    "lease": lambda host: Lease.take(host, 20),
    "run": lambda host: host.run("true"),
}


@pytest.mark.timeout(120)  # a second or two; some waited for ever
@pytest.mark.parametrize("lie", LIES)
def test_what_a_lying_shell_says_ends_in_an_error(
    bench: Desk, lie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is asked of it, what would end it too."""
    monkeypatch.setattr(channel, "ENDING_S", 0.3)
    what, says, error = LIES[lie]
    shell = bench.device.root / "bin/sh"
    shell.rename(shell.with_name("true-sh"))
    shell.write_text(f"#!/bin/busybox sh\n{says}\n")
    shell.chmod(0o755)
    try:
        with pytest.raises(NodeError, match=error):
            on(bench, ASKS[what])
    finally:
        shell.with_name("true-sh").rename(shell)
    assert on(bench, lambda host: host.run("echo", "in")) == "in\n"


# Programs beside a trial


WORKS = Program("command:test", ("sh", "-c", "echo at work; exec sleep 4321"), ready="at work")


@pytest.mark.long
def test_a_program_is_run_and_ended_by_busybox(bench: Desk) -> None:
    async def run(host: Ssh) -> None:
        program = await Supervised.start(host, WORKS)
        assert (await program.look()).processes == 1
        ended = await program.end()
        assert (ended.by, ended.code, ended.left, ended.last_words) == ("term", 143, 0, "at work")
        assert "gatemark-program" not in await host.run("ls", TMP)

    on(bench, run)


@pytest.mark.long
def test_a_program_does_not_outlive_its_connection(bench: Desk) -> None:
    async def leave() -> None:
        async with into(bench) as host:
            await Supervised.start(host, WORKS)
            assert "sleep 4321" in await host.run("ps")
        async with into(bench) as host:
            for _ in range(50):
                if "sleep 4321" not in await host.run("ps"):
                    return
                await asyncio.sleep(0.1)
        raise AssertionError("it still runs")

    asyncio.run(leave())


# Looked at by the agent that stays there


@pytest.mark.parametrize(
    "rules", [pytest.param("", id="no rules"), pytest.param("counter drop", id="rules that count")]
)
def test_what_an_agent_sees_is_what_scripts_print(bench: Desk, rules: str) -> None:
    tables = f"table inet own {{ chain c {{ tcp dport 9 {rules}; }}; }}"

    async def both(host: Ssh) -> list[Reading]:
        texts = []
        for host.looks in (True, False):
            assert bool(await Look.at(host)) is host.looks
            texts.append(await reading.read(host, reading.PARTS, ("d0", "d1")))
        return [reading.parse(text, 0.0, devices=("d0", "d1"), is_own=True) for text in texts]

    if rules:
        device.said(*bench.device.node.argv("nft", tables))
    try:
        seen, printed = on(bench, both)
    finally:
        if rules:
            device.said(*bench.device.node.argv("nft", "delete table inet own"))
    # The box has busybox alone: no tc, no nft, no /sys.
    lacks = {"ports", "qdiscs"} | (set() if rules else {"nft rules"})
    assert {*printed.unread} - {*seen.unread} == lacks
    assert {*seen.unread} <= {*printed.unread}
    more = {
        (drop.stage, drop.where) for key, drop in seen.counts.items() if key not in printed.counts
    }
    assert more == {(stage, port) for stage in (PORT_IN, PORT_OUT, QDISC) for port in ("d0", "d1")}
    assert {*printed.counts} <= {*seen.counts}
    assert (seen.mtu, printed.mtu) == ({"d0": 1500, "d1": 1500}, {})


def test_an_agent_forgets_connections_and_reads_what_it_is_asked(bench: Desk) -> None:
    async def look(host: Ssh) -> Look | None:
        assert await Look.at(host, forget=True)
        return await Look.at(host, ("/proc/sys/kernel/random/boot_id", "/proc/none"), ("tables",))

    seen = on(bench, look)
    assert {*seen.files} == {"/proc/sys/kernel/random/boot_id"}
    assert seen.nft_tables() == set()
    with pytest.raises(NodeError, match="gateway: /proc/none: it cannot be read"):
        seen.read("/proc/none")
