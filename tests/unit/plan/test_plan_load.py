# SPDX-License-Identifier: Apache-2.0
"""Plans by name and from files: what is wrong with one is told with its line and the fix."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gatemark.error import FaultsError, UsageError
from gatemark.plan import load as loading
from gatemark.plan.expand import points
from gatemark.plan.load import load, read_plan
from gatemark.plan.model import Plan
from gatemark.plan.order import order

HEAD = """\
schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
"""
SETUP = '[setup]\npath = "nat"\n'


def refused(folder: Path, text: str | bytes) -> str:
    """What `load` says of a plan file, without the path in front: `line: message`."""
    path = folder / "p.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError) as error:
        load(str(path))
    said = str(error.value)
    assert "\n" not in said
    return said.removeprefix(f"{path}:")


def test_a_whole_plan_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        HEAD
        + '[[arm]]\npath = "nat"\n[[arm]]\nname = "plain"\npath = "route"\n[gateway]\n'
        + 'slow_to_pps = 30_000\n[sweep]\nflows = [1, 64]\n[[sweep.case]]\nfamily = "ipv6"\n'
        + "frame_bytes = 80\n[repeat]\ntimes = 3\n"
    )
    suite, [plan] = load(str(path))
    assert (suite.name, suite.plans) == ("mine", ("mine",))
    assert [arm.name for arm in plan.arm] == ["nat", "plain"]
    assert plan.sweep == {"flows": (1, 64)}
    assert plan.case == ({"family": "ipv6", "frame_bytes": 80},)
    assert (plan.gateway.slow_to_pps, plan.repeat.times) == (30_000, 3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tilte = 3\n", "5: unknown key 'tilte'; did you mean 'title'?"),
        ('[setup]\npaht = "nat"\n', "6: unknown key 'paht' in [setup]; did you mean 'path'?"),
        ('setup = {paht = "nat"}\n', "5: unknown key 'paht' in [setup]; did you mean 'path'?"),
        (SETUP + "[sweep]\nflow = [1]\n", "8: unknown key 'flow' in [sweep]; did you mean 'flows'"),
        (SETUP + "[[sweep.case]]\nflow = 1\n", "8: unknown key 'flow' in [sweep.case]; did you"),
        (
            SETUP + '[workload]\nframe_bytes = 64\nmix = "imix"\n',
            "9: `mix` and `frame_bytes` say the same thing; leave one out",
        ),
        (SETUP + "[serch]\n", "7: unknown key 'serch'; did you mean 'search'"),
        (SETUP + "[repeat]\npath = 1\n", "8: unknown key 'path' in [repeat]; known are: boots"),
        (SETUP + "repeat.tims = 1\n", "7: unknown key 'repeat' in [setup]"),
        (
            '[[arm]]\npath="nat"\n[[arm]]\nfoo=1\n',
            "8: unknown key 'foo' in [arm]; known are: against",
        ),
    ],
)
def test_an_unknown_key_is_named_with_its_line_and_the_nearest(
    text: str, said: str, tmp_path: Path
) -> None:
    assert refused(tmp_path, HEAD + text).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SETUP + '[workload]\nflows = "4"\n', "8: workload.flows: '4' is no whole number"),
        ('[[arm]]\npath="nat"\n[[arm]]\npath="x"\n', "8: arm[1].path: 'x' is none of its words"),
        (
            '[setup]\npath = "x"\n',
            "6: setup.path: 'x' is none of its words; known are: direct, e",
        ),
        ("[setup]\n", "5: setup: `path` is missing"),
        (
            SETUP + '[workload]\nflows = 2\nkind = ["udp"]\n',
            "9: workload.kind: a list is no text",
        ),
        (SETUP + "[repeat]\ntimes = 1.5\n", "8: repeat.times: 1.5 is no whole number"),
        (
            SETUP + "[workload]\nrate_pps = 1" + "0" * 400,
            "8: workload.rate_pps: Number out of range",
        ),
        (SETUP + "[sweep]\nflows = 64\n", "8: `flows` of [sweep] is not a list of levels"),
        (SETUP + "[sweep]\nflows = [[1]]\n", "8: `flows` of [sweep] is not a list of levels"),
        (
            SETUP + '[sweep]\ndirection = ["in"]\n',
            "8: direction: 'in' is none of its words; known are",
        ),
        (
            SETUP + "[[sweep.case]]\nflows = [1]\n",
            "7: sweep.case[0][...]: a list is no",
        ),
    ],
)
def test_a_wrong_type_is_told_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    assert refused(tmp_path, HEAD + text).startswith(said)


def test_a_table_that_is_none_is_told_with_its_line(tmp_path: Path) -> None:
    tables = ("setup", "arm", "gateway", "workload", "sweep", "repeat", "probe", "cites")
    wrong = {}
    for table in tables:
        setup = "" if table in ("setup", "arm") else SETUP
        for value in ("3", '"x"', "[3]", "[[3]]", "2026-11-21", "true"):
            line = f"{table} = {value}"
            message = refused(tmp_path, f"{HEAD}{line}\n{setup}")
            if not message.startswith(f"5: {table}"):
                wrong[line] = message
    assert wrong == {}


def test_a_case_that_is_no_table_is_told_with_its_line(tmp_path: Path) -> None:
    for value in ("3", "[3]", "{}", '"x"', "[[]]"):
        message = refused(tmp_path, f"{HEAD}{SETUP}[sweep]\ncase = {value}\n")
        assert message.startswith("8: sweep.case"), value


WRONG = """[setup]
path = "rout"
[workload]
duration_s = "long"
frame_bytes = 64.5
[sweep]
rate_pps = [
  1000,
  "much",
]
mtu = [64]
[repeat]
times = 'two'
"""
SENSELESS = """[setup]
path = "nat"
[workload]
streams = 4
flows = 200_000
duration_s = 900
"""


@pytest.mark.parametrize(("text", "lines"), [(WRONG, [6, 8, 9, 15, 17]), (SENSELESS, [8, 9, 10])])
def test_every_fault_is_told_at_once(text: str, lines: list[int], tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(HEAD + text)
    with pytest.raises(FaultsError) as error:
        load(str(path))
    assert [int(fault.split(":")[1]) for fault in error.value.faults] == lines


def test_a_fault_is_told_in_plain_words(tmp_path: Path) -> None:
    assert refused(tmp_path, HEAD + SETUP + "[repeat]\ntimes = 'two'\n") == (
        "8: repeat.times: 'two' is no whole number"
    )


def test_a_table_that_lacks_what_is_wrong_in_it_is_not_told(tmp_path: Path) -> None:
    assert refused(tmp_path, HEAD + '[setup]\npath = "rout"\n').startswith("6: ")


def test_a_plan_needs_no_reason(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('schema = "gatemark.plan/1"\ntitle = "t"\n[setup]\npath = "nat"\n')
    _, (plan,) = load(str(path))
    assert (plan.why, plan.reading) == ("", "")


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    for key in ("schema", "title"):
        text = re.sub(rf"^{key} .*\n", "", HEAD, flags=re.MULTILINE)
        message = refused(tmp_path, text + SETUP)
        assert message.startswith("1: "), key
        assert key in message


def test_another_schema_is_told_with_the_right_one(tmp_path: Path) -> None:
    said = refused(tmp_path, "# mine\n" + HEAD.replace("plan/1", "plan/2") + SETUP)
    assert said == "2: schema is 'gatemark.plan/2'; write \"gatemark.plan/1\""


def test_a_setup_beside_arms_is_refused(tmp_path: Path) -> None:
    said = refused(tmp_path, HEAD + SETUP + '[[arm]]\npath = "nat"\n')
    assert said == "5: [setup] and [[arm]] exclude each other"


def test_a_plan_without_setup_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, HEAD) == "1: a plan needs a [setup] or at least one [[arm]]"


@pytest.mark.parametrize(
    ("text", "line"), [("[setup\n", 5), ('why2 = "w', 5), (SETUP + 'path = "nat"\n', 7)]
)
def test_broken_toml_is_told_with_its_line(text: str, line: int, tmp_path: Path) -> None:
    assert refused(tmp_path, HEAD + text).startswith(f"{line}: not TOML: ")


@pytest.mark.parametrize("value", ["[" * 3000 + "]" * 3000, "9" * 5000])
def test_toml_that_breaks_parsers_is_refused(value: str, tmp_path: Path) -> None:
    assert re.match(r"\d+: ", refused(tmp_path, f"{HEAD}cites = {value}\n"))


def test_another_encoding_is_told_with_its_line(tmp_path: Path) -> None:
    said = refused(tmp_path, HEAD.encode() + "cites = ['Z\u00fcrich']".encode("latin-1"))
    assert said == "5: not UTF-8: save it in that encoding"


def test_a_missing_file_is_told_with_the_mend(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    with pytest.raises(UsageError, match=r"none\.toml: No such file .*: give the path of a TOML"):
        load(str(path))


def test_a_folder_is_no_plan(tmp_path: Path) -> None:
    (tmp_path / "d.toml").mkdir()
    with pytest.raises(UsageError, match=r"d\.toml: Is a directory: give the path of a TOML file"):
        load(str(tmp_path / "d.toml"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[workload]\nframe_bytes = 63\n", "8: `frame_bytes` = 63 is impossible for ipv4"),
        ("[workload]\nframe_bytes = 1519\n", "8: `frame_bytes` = 1519 is impossible for ipv4"),
        ('[workload]\nfamily = "ipv6"\nframe_bytes = 79\n', "9: `frame_bytes` = 79 is impossible"),
        (
            '[workload]\nframe_bytes = 100\n[sweep]\nfamily = ["ipv4", "ipv6"]\n'
            "frame_bytes = [64, 80]\n",
            "11: `frame_bytes` = 64 is impossible for ipv6: a frame with FCS and our test header "
            "has 80 to 1518 bytes",
        ),
        (
            '[workload]\nkind = "walk"\nl4 = "tcp"\nfamily = "ipv6"\nframe_bytes = 78\n',
            "11: `frame_bytes` = 78 is impossible for tcp over ipv6: a frame with FCS and a "
            "segment of data has 79 to 1518 bytes",
        ),
        (
            '[workload]\nkind = "walk"\n[sweep]\nl4 = ["udp", "tcp"]\npayload_bytes = [1461]\n',
            "11: `payload_bytes` = 1461 is impossible for tcp over ipv4",
        ),
        ('[workload]\nl4 = "tcp"\n', "8: `l4` means nothing for kind udp; leave it out"),
        (
            '[workload]\nkind = "fill"\ndscp = 46\nflows = 10\n',
            "9: `dscp` means nothing for",
        ),
        ('[workload]\nkind = "walk"\nduration_s = 9\n', "9: `duration_s` means nothing for kind w"),
        (
            '[workload]\nkind = "walk"\nl4 = "sctp"\n',
            "9: workload.l4: 'sctp' is none of its words; known are: tcp, udp",
        ),
        ("[sweep]\nflows = []\n", "8: `flows` has no levels; give at least one"),
        ("[sweep]\nflows = [1, 2, 1]\n", "8: `flows` has the level 1 twice"),
        ("[sweep]\nflows = [1]\n[[sweep.case]]\nflows = 2\n", "8: `flows` is in [sweep] and in a"),
        ("[[sweep.case]]\nflows = 2\n[[sweep.case]]\nflows = 2\n", "7: `case`: two [[sweep.case]]"),
        ("[workload]\nflows = 0\n", "8: `flows` = 0: 1 to 100000"),
        (
            "[workload]\nflows = 40_001\n",
            "8: `flows` = 40001: a client has ports for 40000; set `clients` to 2 or more",
        ),
        (
            '[workload]\nkind = "fill"\nflows = 30\nclients = 2\nsteps = 10\n',
            "9: `flows` = 30: a multiple of `steps` x `clients` (20)",
        ),
        ("[workload]\nrate_pps = -1\n", "8: `rate_pps` = -1: 0 (as fast as it goes) to 5e+07"),
        ("[workload]\nrate_pps = nan\n", "8: `rate_pps` = nan"),
        ("[workload]\nduration_s = inf\n", "8: `duration_s` = inf"),
        ("[workload]\nburst = 257\n", "8: `burst` = 257"),
        ("[workload]\ncap_pps = -1\n", "8: `cap_pps` = -1"),
        ("[workload]\ncap_pps = nan\n", "8: `cap_pps` = nan"),
        (
            "[sweep]\nflows = [1, 2]\n[repeat]\nfirst = [{ flows = 3 }]\n",
            "10: `first` of [repeat]: {'flows': 3} holds at no point of [sweep]",
        ),
        ("[gateway]\nslow_to_pps = 999\n", "8: `slow_to_pps` must be 1000 to 500000"),
        ("[repeat]\ntimes = 2\n[probe]\ntimes = -1\n", "10: `times` of [probe] must be 0 to 1000"),
        ("[probe]\ntimes = 2\n[repeat]\ntimes = 0\n", "10: `times` of [repeat] must be 1 to 1000"),
        ('[probe]\nuse = ["cpu", "gpu"]\n', "8: `use`: no probe 'gpu'; did you mean 'cpu'?"),
    ],
)
def test_what_cannot_be_asked_for_is_told_with_its_line(
    text: str, said: str, tmp_path: Path
) -> None:
    assert refused(tmp_path, HEAD + SETUP + text).startswith(said)


TWO = '[[arm]]\npath = "route"\n[[arm]]\nname = "b"\npath = "nat"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f'compare = false\n{TWO}against = "route"\n',
            "11: `against` is for arms that are compared; leave it out",
        ),
        (
            f'figure = "ladder"\n{TWO}against = "roote"\n',
            "11: `against` = 'roote': no arm with a gateway above it; did you mean 'route'?",
        ),
        (f'figure = "ladder"\n{TWO}against = "b"\n', "11: `against` = 'b': no arm with a gateway"),
        ('figure = "ladder"\n' + SETUP, "5: `figure` = ladder needs two arms with a gateway"),
    ],
)
def test_a_step_that_hangs_in_the_air_is_told_with_its_line(
    text: str, said: str, tmp_path: Path
) -> None:
    assert refused(tmp_path, HEAD + text).startswith(said)


def test_a_ladder_of_one_arm_and_its_twin_is_one(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(f'{HEAD}figure = "ladder"\n{SETUP}[repeat]\ntwin = true\n')
    assert load(str(path))[1][0].figure == "ladder"


def test_an_unknown_feature_is_told_with_its_line(tmp_path: Path) -> None:
    said = refused(tmp_path, HEAD + SETUP + 'features = ["filtre:100"]\n')
    wanted = "7: `features`: no feature 'filtre:100'; did you mean 'filter'?; known are: conntrack,"
    assert said.startswith(wanted)


@pytest.mark.parametrize("name", ['name = "a"\n', ""])
def test_two_arms_of_one_name_are_refused(name: str, tmp_path: Path) -> None:
    said = refused(tmp_path, HEAD + f'[[arm]]\npath = "nat"\n{name}' * 2)
    assert said.startswith("5: `arm`: two arms are named")


def test_a_suite_is_its_plans_in_its_order() -> None:
    suite, plans = load("quick")
    assert [plan.name for plan in plans] == [f"quick/{name}" for name in suite.plans]


@pytest.mark.parametrize("name", ["quick/sweep", "sweep"])
def test_a_plan_is_found_by_its_name(name: str) -> None:
    suite, [plan] = load(name)
    assert plan.name == suite.name == "quick/sweep"


def test_the_nearest_name_is_offered() -> None:
    with pytest.raises(UsageError, match=r"no suite or plan 'qick'; did you mean 'quick'\?"):
        load("qick")


def test_an_ambiguous_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for suite in ("one", "two"):
        (tmp_path / suite).mkdir()
        (tmp_path / suite / "suite.toml").write_text(
            'schema = "gatemark.suite/1"\ntitle = "t"\nwhy = "w"\nplans = ["same"]\n'
        )
        (tmp_path / suite / "same.toml").write_text(HEAD + SETUP)
    monkeypatch.setattr(loading, "plans_folder", lambda: tmp_path)
    with pytest.raises(UsageError, match="several plans: one/same, two/same; name one"):
        load("same")


def test_every_shipped_plan_expands(shipped: dict[str, tuple[Plan, ...]]) -> None:
    for plan in (plan for plans in shipped.values() for plan in plans):
        once = replace(plan, repeat=replace(plan.repeat, times=1))
        assert points(plan), plan.name
        assert order([once], 0), plan.name
        assert plan.why, plan.name
        assert plan.reading, plan.name
        assert plan.rows or plan.cites, f"{plan.name} says who asks so"


def test_every_shipped_file_belongs_to_its_suite() -> None:
    for suite in loading.suites():
        files = {path.stem for path in (loading.plans_folder() / suite).glob("*.toml")}
        assert files - {"suite"} == set(loading.read_suite(suite).plans)


@settings(max_examples=settings().max_examples // 2)
@given(text=st.text(alphabet=st.sampled_from('[]{}="\n.# atsweprm0-'), max_size=60))
def test_no_text_breaks_the_loader(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(HEAD + text)
    try:
        said = f"{path}:1: {read_plan(path, 'any').title}"
    except UsageError as error:
        said = str(error)
    assert re.match(rf"{re.escape(str(path))}:\d+: .", said)
