# SPDX-License-Identifier: Apache-2.0
"""`--driver` and `--port`: what they set, what repeats them, and words that mean nothing."""

import pytest
from inside import gatemark

from gatemark.commands.option.asked import Asked
from gatemark.commands.option.wire import split
from gatemark.error import UsageError
from gatemark.plan.model import Workload

PLAIN = "cost/ab"


def asked(driver: str = "", *ports: str, settings: tuple[str, ...] = ()) -> Asked:
    return Asked(PLAIN, None, "", settings, driver, split(ports))


def load(one: Asked) -> Workload:
    (plan,) = one.chosen()[1]
    return plan.workload


def test_a_driver_is_set_where_it_can_drive() -> None:
    one = asked("tcpreplay", settings=("workload.flows=4",))
    assert (load(one).driver, load(one).flows) == ("tcpreplay", 4)


@pytest.mark.parametrize("words", [("live", "ring"), ("ring,live",), ("live, ring",)])
def test_ports_are_set_by_the_end_that_they_are_of(words: tuple[str, ...]) -> None:
    found = load(asked("", *words))
    assert (found.sender_port, found.sink_port) == ("live", "ring")


def test_the_run_repeats_them() -> None:
    command = " ".join(asked("gatemark", "raw,xdp").command(7))
    assert command == ("gatemark run cost/ab --driver gatemark --port raw --port xdp --seed 7")


@pytest.mark.parametrize(
    ("driver", "ports", "settings", "printed"),
    [
        ("iperf", (), (), "--driver iperf: no such name; did you mean 'iperf3'?"),
        ("", ("veth",), (), "--port veth: no such name; known are: afxdp, live, raw, ring, xdp"),
        ("", ("live", "raw"), (), "--port live and raw are both of a sender"),
        ("iperf3", (), ("workload.driver=nuttcp",), "leave one out"),
        ("iperf3", (), (), "`duration_s` = 0.5: iperf3 counts whole seconds; write 1"),
    ],
)
def test_what_means_nothing_is_refused(
    driver: str, ports: tuple[str, ...], settings: tuple[str, ...], printed: str
) -> None:
    with pytest.raises(UsageError) as error:
        asked(driver, *ports, settings=settings).chosen()
    assert printed in str(error.value)


def test_the_command_line_refuses_with_exit_code_2() -> None:
    done = gatemark("run", PLAIN, "--port", "veth")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("gatemark: --port veth: no such name; known are: afxdp, live")
