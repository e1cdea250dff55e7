# SPDX-License-Identifier: Apache-2.0
"""What function_graph writes, read: depths, times, and which part of it is the packet's."""

import asyncio
from pathlib import Path

import pytest

from gatemark.error import UnavailableError
from gatemark.node.shell import Local
from gatemark.probe import graph

TRACE = """# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)   1.300 us    |  tick_nohz_idle_enter();
 ------------------------------------------
 0)    <idle>-0    =>    dropbear-99
 ------------------------------------------

 0)               |  __x64_sys_read() {
 0)   2.000 us    |    tcp_recvmsg();
 0)   3.000 us    |  }
 0)               |  common_interrupt() {
 0)   0.500 us    |    irq_enter_rcu();
 0)   ==========> |
 0)               |    net_rx_action() {
 0)               |      __napi_poll() {
 0)               |        ip_forward() {
 0)   1.000 us    |          nft_do_chain [nf_tables]();
 0) + 12.500 us   |        }
 0) ! 120.750 us  |      }
 0) ! 121.000 us  |    } /* net_rx_action */
 0)   <========== |
 0) ! 130.000 us  |  }
 0)               |  common_interrupt() {
 0)   7.000 us    |    tcp_v4_rcv();
 0)   9.000 us    |  }
""".splitlines()


def test_a_packet_is_cut_out_by_what_only_it_passes() -> None:
    names = [(call.function, call.depth) for call in graph.packet(TRACE, "up")]
    assert names == [
        ("__napi_poll", 0),
        ("ip_forward", 1),
        ("nft_do_chain", 2),
    ]


def test_times_are_a_functions_own() -> None:
    own = {call.function: call.ns for call in graph.packet(TRACE, "up")}
    assert own["nft_do_chain"] == 1_000
    assert own["ip_forward"] == 11_500
    assert own["__napi_poll"] == 108_250


def test_it_counts_no_instructions() -> None:
    assert {call.instructions for call in graph.packet(TRACE, "up")} == {0}


def test_a_trace_without_the_packet_says_so() -> None:
    with pytest.raises(UnavailableError, match="saw no packet"):
        graph.packet(TRACE, "send")


def test_an_idle_loop_above_it_is_not_the_packets() -> None:
    lines = [
        " 0)               |  do_idle() {",
        " 0)               |    common_interrupt() {",
        " 0)   1.000 us    |      tcp_v4_rcv();",
        " 0)   2.000 us    |    }",
        " 0)               |    common_interrupt() {",
        " 0)   1.000 us    |      ip_forward();",
        " 0)   2.000 us    |    }",
    ]
    path = graph.packet(lines, "down")
    assert [(call.function, call.depth) for call in path] == [
        ("common_interrupt", 0),
        ("ip_forward", 1),
    ]


def test_each_task_has_depths_of_its_own() -> None:
    lines = [
        " 0)               |  run_ksoftirqd() {",
        " 0)   1.000 us    |    ip_forward();",
        " 0)  ksoftirqd/0-15  =>   dropbear-99",
        " 0)   1.000 us    |      tcp_sendmsg();",
        " 0)   dropbear-99   =>  ksoftirqd/0-15",
        " 0)   2.000 us    |    __cond_resched();",
        " 0)   9.000 us    |  }",
    ]
    lines.insert(0, " 0)   dropbear-99   =>  ksoftirqd/0-15")
    names = [call.function for call in graph.packet(lines, "up")]
    assert names == ["run_ksoftirqd", "ip_forward", "__cond_resched"]


def test_each_processor_has_a_stack_of_its_own() -> None:
    lines = [
        " 0)               |  common_interrupt() {",
        " 1)               |  other() {",
        " 0)   1.000 us    |    ip_forward();",
        " 1)   5.000 us    |  }",
        " 0)   2.000 us    |  }",
    ]
    assert [call.ns for call in graph.packet(lines, "up")] == [1_000, 1_000]


def test_of_sending_it_is_the_first_packet() -> None:
    call = [" 0)               |  do_syscall_64() {", " 0)   1.000 us    |    udp_sendmsg();"]
    assert len(graph.packet([*call, " 0)   2.000 us    |  }"] * 2, "send")) == 2


def test_of_receiving_it_goes_on_to_who_reads_it() -> None:
    lines = [
        " 0)               |  common_interrupt() {",
        " 0)   1.000 us    |    udp_rcv();",
        " 0)   2.000 us    |  }",
        " 0)    <idle>-0    =>    gm-agent-99",
        " 0)   1.000 us    |      schedule();",
        " 0)               |  do_syscall_64() {",
        " 0)   1.000 us    |    udp_recvmsg();",
        " 0)   2.000 us    |  }",
        " 0)   1.000 us    |  later();",
    ]
    names = [call.function for call in graph.packet(lines, "receive")]
    assert names == ["common_interrupt", "udp_rcv", "do_syscall_64", "udp_recvmsg"]


def test_functions_are_added_up_longest_first() -> None:
    sizes = graph.sizes(graph.packet(TRACE, "up"))
    assert next(iter(sizes)) == "__napi_poll"
    assert sizes["nft_do_chain"] == (1_000, 1)


@pytest.fixture
def tracefs(tmp_path: Path) -> Path:
    """A folder that looks like tracefs at rest."""
    held = {
        "available_tracers": "function_graph function nop",
        "current_tracer": "nop",
        "tracing_on": "1",
        "trace": " 0)   1.000 us    |  ip_forward();",
        "set_ftrace_filter": "#### all functions enabled ####",
        "set_ftrace_pid": "no pid",
    }
    for name, text in held.items():
        (tmp_path / name).write_text(f"{text}\n")
    return tmp_path


def state(tracefs: Path) -> list[str]:
    return [(tracefs / name).read_text().strip() for name in ("current_tracer", "tracing_on")]


def tracing(tracefs: Path) -> graph.Graph:
    return graph.Graph(Local(), str(tracefs))


def test_while_it_traces_it_is_on_and_afterwards_as_it_was(tracefs: Path) -> None:
    async def trace() -> tuple[list[str], list[str]]:
        tracer = tracing(tracefs)
        await tracer.on()
        on = state(tracefs)
        (tracefs / "trace").write_text(" 0)   1.000 us    |  ip_forward();\n")
        return on, await tracer.off()

    on, lines = asyncio.run(trace())
    assert on == ["function_graph", "1"]
    assert [call.function for call in graph.packet(lines, "up")] == ["ip_forward"]
    assert state(tracefs) == ["nop", "1"]


def test_it_ends_with_who_asked_for_it(tracefs: Path) -> None:
    (tracefs / "tracing_on").write_text("0\n")

    async def cut() -> None:
        tracer = tracing(tracefs)
        await tracer.on()
        await tracer.abort()

    asyncio.run(cut())
    assert state(tracefs) == ["nop", "0"]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("available_tracers", "function nop", "its tracers are: function nop"),
        ("current_tracer", "function", "somebody else traces there: function"),
        ("set_ftrace_filter", "ip_forward", "its tracing is set: set_ftrace_filter"),
        ("set_ftrace_pid", "12", "its tracing is set: set_ftrace_pid"),
    ],
)
def test_what_others_trace_is_left_alone(tracefs: Path, name: str, text: str, reason: str) -> None:
    (tracefs / name).write_text(f"{text}\n")
    before = state(tracefs)
    with pytest.raises(UnavailableError, match=f"no function_graph: {reason}"):
        asyncio.run(tracing(tracefs).on())
    assert state(tracefs) == before
