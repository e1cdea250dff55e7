# SPDX-License-Identifier: Apache-2.0
"""subsystems.toml: the shipped one is whole, and a slip in a user's is told with its line."""

from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.judge.point.path import Sorter
from gatemark.store.naming import read
from gatemark.store.subsystem import NETFILTER

SHIPPED = Path(__file__).resolve().parents[3] / "counter" / "subsystems.toml"
HEAD = 'schema = "gatemark.subsystems/1"\n'
ONE = '[[subsystem]]\nname = "IP"\npatterns = ["ip_*"]\n'


OWN = {
    "ip_rcv_core": "IP and routing",
    "nf_hook_slow": NETFILTER,
    "__nf_conntrack_find_get": NETFILTER,
    "nft_do_chain": NETFILTER,
    "skb_put": "buffer handling",
    "__netdev_alloc_skb": "buffer handling",
    "napi_gro_receive": "device core",
    "virtqueue_get_buf_ctx": "driver",
    "pcnet32_poll": "driver",
    "_raw_spin_lock_irqsave": "locks, RCU and library",
    "asm_common_interrupt": "interrupt and timer",
    "sched_clock_cpu": "interrupt and timer",
    "do_idle": "scheduler and idle",
    "udp_sendmsg": "UDP",
    "neigh_resolve_output": "neighbour",
    "__dev_queue_xmit": "device core",
    "sch_direct_xmit": "qdisc",
    "br_handle_frame": "bridge",
    "__bzero": "memory and copies",
    "kmem_cache_alloc": "memory and copies",
    "__x64_sys_sendto": "socket API",
    "do_syscall_64": "syscall entry",
    "user space": "user space",
}


def test_a_function_is_of_its_subsystem() -> None:
    sorter = Sorter(read(SHIPPED))
    assert {function: sorter.of(function) for function in OWN} == OWN


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ONE, ":1: write schema ="),
        (HEAD, ":1: write each subsystem as a [[subsystem]]"),
        (HEAD + "subsystem = 3\n", ":2: write each subsystem"),
        (HEAD + "names = []\n" + ONE, ":2: unknown key 'names'"),
        (HEAD + ONE + 'pattern = "x"\n', ":5: unknown key 'pattern' in [subsystem]; did you mean"),
        (HEAD + ONE + "travels = 1\n", ":5: `travels`: Expected `bool`"),
        (HEAD + ONE + ONE, ":6: two subsystems are named 'IP'"),
        (HEAD + '[[subsystem]]\nname = "IP"\n', ":3: a [[subsystem]] needs a `patterns`"),
        (HEAD + '[[subsystem]]\nname = "IP"\npatterns = []\n', ":4: `patterns` is empty"),
        (HEAD + '[[subsystem]]\nname = "IP"\npatterns = "ip_*"\n', ":4: `patterns`: Expected"),
        (HEAD + '[[subsystem]]\nname = ""\npatterns = ["a"]\n', ":3: `name` is empty"),
    ],
)
def test_a_slip_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as raised:
        read(path)
    assert said in str(raised.value)
