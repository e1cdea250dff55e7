# SPDX-License-Identifier: Apache-2.0
"""ways_in.toml names each way into Gatemark, and the test that holds it: none is added unseen."""

import fnmatch
import re
from collections import Counter
from pathlib import Path

import pytest
import ways_in
from ways_in import KINDS, ROOT

PAGE = ROOT / "SECURITY.md"
MORE = "name it in tests/ways_in.toml with its guard and its test, which fails without the guard"
NEW = {
    "listener": (
        ("src/gatemark/new.py", "import socket\nsocket.create_server(('', 0))"),
        ("src/gatemark/new.py", "async def x():\n    await asyncio.start_server(f, '', 0)"),
        ("agent/src/new.c", "int x(void)\n{\n\treturn listen(fd, 1);\n}"),
        ("classifier/src/new.c", "int x = bind(fd, &address, sizeof(address));"),
    ),
    "start": (
        ("src/gatemark/new.py", "import subprocess\nsubprocess.run(['x'])"),
        ("src/gatemark/new.py", "asyncio.create_subprocess_exec('x')"),
        ("src/gatemark/new.py", "os.execvp('x', ['x'])"),
        ("algorithms/src/new.c", 'int x = execlp("x", "x", NULL);'),
    ),
    "script": (("src/gatemark/new.py", "host.run(*sh(SCRIPT))"),),
    "words": (
        ("src/gatemark/new.py", "subprocess.run(word, shell=True)"),
        ("src/gatemark/new.py", "eval(word)"),
    ),
    "parser": (
        ("src/gatemark/new.py", "pickle.loads(data)"),
        ("src/gatemark/new.py", "with tarfile.open(path) as tar:\n    pass"),
        ("agent/fuzz/new_fuzz.c", "int x;"),
    ),
}


def test_each_way_in_is_named() -> None:
    named = {(way.kind, name) for way in ways_in.ways() for name in way.files()}
    assert sorted(ways_in.found() - named) == [], MORE


def test_no_way_in_is_named_that_is_gone() -> None:
    ways = ways_in.ways()
    named = Counter((way.kind, name) for way in ways for name in way.files())
    assert [name for name, count in named.items() if count > 1] == []
    sites = [(way, site) for way in ways for site in way.sites]
    assert [site for way, site in sites if not fnmatch.filter(way.files(), site)] == []


def test_each_program_is_named() -> None:
    assert ways_in.started() == ways_in.programs(), MORE


def test_each_way_in_has_a_test() -> None:
    for way in ways_in.ways():
        assert way.kind in KINDS
        assert way.tests, way.what
        assert [test for test in way.tests if not (ROOT / test).exists()] == []


def test_each_test_that_the_page_names_is_there() -> None:
    named = re.findall(r"`((?:tests|agent|algorithms|classifier)/[\w./-]+)`", PAGE.read_text())
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    ("kind", "name", "text"), [(kind, *pair) for kind, pairs in NEW.items() for pair in pairs]
)
def test_a_new_way_in_is_seen(kind: str, name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(text)
    assert ways_in.found(tmp_path) == {(kind, name)}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("agent/src/new.c", "/* bind() and listen() */ int x; // fork()"),
        ("agent/src/new.c", 'const char *x = "system(";'),
        ("src/gatemark/new.py", '"""It calls eval() and subprocess.run()."""\nre.compile("x")'),
        ("src/gatemark/new.py", "connection.exec(word)"),
    ],
)
def test_what_is_no_way_in_is_passed_over(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(text)
    assert ways_in.found(tmp_path) == set()


def test_a_new_program_is_seen(tmp_path: Path) -> None:
    (tmp_path / "src/gatemark").mkdir(parents=True)
    (tmp_path / "src/gatemark/new.py").write_text('host.run("nc", "-l")\nhost.start(["socat"])')
    assert ways_in.started(tmp_path) == {"nc", "socat"}
