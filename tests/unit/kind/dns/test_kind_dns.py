# SPDX-License-Identifier: Apache-2.0
"""Names: what is asked, dnsperf's report of it, and what is wrong with a forwarder."""

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.conftest import Trial, run
from msgspec.structs import replace

from gatemark.error import GatemarkError, InvalidTrialError, UnavailableError
from gatemark.judge.judge import judge
from gatemark.kind.dns import names
from gatemark.kind.dns import plan as dns_plan
from gatemark.kind.dns.load import unread
from gatemark.kind.dns.names import Report
from gatemark.kind.dns.plan import DNS
from gatemark.kind.dns.result import values
from gatemark.plan.kind import faults
from gatemark.plan.model import Plan, Workload
from gatemark.store.record import Definition, Evidence, Record
from gatemark.tell.fact import say
from gatemark.tell.sentence.answer import answer

TAIL = "  Queries sent:         {sent}\n  Run time (s):         {seconds:.6f}\n"


def report(
    count: int, is_lost: Callable[[int], bool], code: str = "NOERROR", cached: float = 0.5
) -> Report:
    lines = []
    for at, line in enumerate(names.asked(count, cached, "token", 1)):
        name = line.strip()
        lines.append(f"> T {name}" if is_lost(at) else f"> {code} {name} 0.000250")
    text = "\n".join(lines) + "\n" + TAIL.format(sent=count, seconds=2.0)
    return names.read(text, count)


def record(of: Report, rate: float, **also: float) -> Record:
    definition = Definition(path="nat", quantity=DNS, features=("dns:dnsmasq",))
    return replace(
        Trial().record(),
        trial=f"at-{rate:g}",
        arm="dnsmasq",
        point={"rate_pps": rate},
        definition=definition,
        values=values(of) | also,
        evidence=Evidence(service={"code REFUSED": 3}),
    )


def told(*records: Record) -> dict[str, str]:
    judged = judge(run(list(records)), list(records))
    return {
        finding.shape: say.words(finding.fact)
        for diagnosis in judged.diagnoses
        for finding in diagnosis.findings
    }


def test_a_name_has_its_number_in_the_size_of_its_letters() -> None:
    every = list(names.asked(40, 0.5, "token", 1))
    assert [name for name in every if name.lower() != name]
    lost = report(40, lambda at: at == 37)
    assert [number for part in lost.parts for number in part.lost] == [37]


def test_known_and_new_names_are_counted_apart() -> None:
    seen = values(report(400, lambda _: False))
    assert seen["dns_answered"] == 1
    assert seen["dns_per_s"] == 200
    assert (seen["dns_hit_p50_ns"], seen["dns_miss_p99_ns"]) == (250_000, 250_000)
    assert "dns_miss_lost" not in values(report(50, lambda _: False, cached=1))


def test_every_tenth_query_that_is_lost_is_a_rule_and_others_are_none() -> None:
    assert values(report(400, lambda at: at % 10 == 3))["dns_every"] == 10
    assert "dns_every" not in values(report(400, lambda at: at in (3, 9, 77, 80, 200, 311, 399)))
    assert "dns_every" not in values(report(400, lambda at: 100 <= at < 140))


def test_an_error_is_no_answer_and_no_loss() -> None:
    seen = values(report(100, lambda _: False, "REFUSED"))
    assert (seen["dns_answered"], seen["dns_lost"], seen["dns_refused"]) == (0, 0, 1)


def test_a_report_without_a_query_is_no_result() -> None:
    with pytest.raises(InvalidTrialError, match="without a report"):
        values(names.read("dnsperf: nothing"))


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert names.read(text).every >= 0


@given(st.text())
def test_counters_are_read_or_refused(text: str) -> None:
    with contextlib.suppress(GatemarkError):
        assert unread(text) >= 0


def test_what_the_hosts_own_socket_lost_is_read() -> None:
    text = "Udp: InDatagrams RcvbufErrors\nUdp: 12 3\nUdpLite: InDatagrams\nUdpLite: 1\n"
    assert unread(text) == 3


def test_loss_under_load_is_named_with_its_rule_and_the_rate_without_it() -> None:
    lossy = record(report(4000, lambda at: at % 10 == 0), 2000)
    calm = record(report(400, lambda _: False), 200)
    words = told(calm, lossy)["lookups-lost"]
    assert "Of the queries at 2.00 k queries/s 10 %" in words
    assert "one of 10, and none at 200 queries/s" in words


def test_loss_of_new_names_alone_is_named_so() -> None:
    every = list(names.asked(1000, 0.5, "token", 1))
    new = {at for at, name in enumerate(every) if name[0] == "m"}
    words = told(record(report(1000, lambda at: at in new and at % 3 == 0), 500))["lookups-lost"]
    assert "Of the queries of new names" in words


def test_what_a_full_cpu_loses_is_no_fault() -> None:
    lossy = report(400, lambda at: at % 4 == 0)
    assert told(record(lossy, 9000, program_cpu=0.99)) == {}
    assert told(record(report(400, lambda _: False), 200)) == {}


def test_errors_and_late_answers_are_named() -> None:
    refused = told(record(report(400, lambda _: False, "REFUSED"), 500))
    assert "(REFUSED)" in refused["lookups-refused"]
    late = told(record(report(400, lambda _: False), 500, dns_miss_p95_ns=900e6))
    assert "take up to 900 ms" in late["lookups-late"]


def test_the_sentence_has_rates_of_known_and_new_names() -> None:
    trials = [record(report(400, lambda _: False), 200)]
    text = answer(run(trials), trials, judge(run(trials), trials))
    assert "dnsmasq answers 200 queries/s, cached names (95 of 100 within 250 µs)" in text
    hits = [record(report(400, lambda _: False, cached=1), 200)]
    text = answer(run(hits), hits, judge(run(hits), hits))
    assert "dnsmasq answers 200 queries/s from its cache (95 of 100 within" in text


def test_programs_are_needed_by_plans_of_names_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dns_plan, "path", lambda _: None)
    planned = Plan(schema="", title="", why="", reading="", arm=(), workload=Workload(kind="udp"))
    dns_plan.require([planned])
    with pytest.raises(UnavailableError, match="dnsmasq-base dnsperf"):
        dns_plan.require([replace(planned, beside={"names": Workload(kind="dns")})])
    able = dns_plan.able()
    assert "dnsperf" in able.fix


@pytest.mark.parametrize(
    ("given_", "fault"),
    [
        ({"rate_pps": -1.0}, "`rate_pps`"),
        ({"cached": 1.5}, "`cached`"),
        ({"duration_s": 0.5}, "`duration_s`"),
        ({"direction": "down"}, "`direction`"),
        ({"family": "ipv6"}, "`family`"),
        ({"driver": "iperf3"}, "`driver`"),
    ],
)
def test_what_cannot_be_asked_is_refused(given_: dict[str, object], fault: str) -> None:
    load = replace(Workload(kind="dns", duration_s=2.0), **given_)
    assert next(faults(load)).startswith(fault)
